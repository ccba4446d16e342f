"""Exact answers for sliding windows: SEQ(A, B, C) and falling prices, in plain Python."""

from __future__ import annotations

import functools
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.parquet as pq

from benchmarks.references import Answer


@dataclass(slots=True)
class Sequences:
    """How many subsequences of A, B, C the present events have; the oldest event leaves first.

    The oldest event can only be the first of a subsequence, so leaving is a subtraction.
    """

    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("A", "B", "C", "AB", "BC", "ABC"), 0)
    )
    present: deque[tuple[int, str]] = field(default_factory=deque)

    def enter(self, time: int, kind: str) -> None:
        """Add the newest event."""
        counts = self.counts
        self.present.append((time, kind))
        if kind == "B":
            counts["AB"] += counts["A"]
        elif kind == "C":
            counts["ABC"] += counts["AB"]
            counts["BC"] += counts["B"]
        counts[kind] += 1

    def leave_before(self, time: int) -> None:
        """Remove all events before a time."""
        counts = self.counts
        while self.present and self.present[0][0] < time:
            _, kind = self.present.popleft()
            counts[kind] -= 1
            if kind == "A":
                counts["AB"] -= counts["B"]
                counts["ABC"] -= counts["BC"]
            elif kind == "B":
                counts["BC"] -= counts["C"]


@functools.cache
def recent(path: Path, window: int) -> Answer:
    """Return how many Cs there are, and the sum of the counts over (t - window, t] at them."""
    sequences = Sequences()
    rows = total = 0
    for time, kind in _typed(path):
        sequences.leave_before(time - window + 1)
        sequences.enter(time, kind)
        if kind == "C":
            rows += 1
            total += sequences.counts["ABC"]
    return rows, total


@functools.cache
def sliding(path: Path, window: int, slide: int) -> Answer:
    """Return how many windows have a match; the sums of their starts and counts."""
    events = list(_typed(path))
    sequences = Sequences()
    rows = starts = total = entered = 0
    if not events:
        return 0, 0, 0
    start = (events[0][0] - window) // slide * slide + slide
    while start <= events[-1][0]:
        while entered < len(events) and events[entered][0] < start + window:
            sequences.enter(*events[entered])
            entered += 1
        sequences.leave_before(start)
        if sequences.counts["ABC"]:
            rows, starts = rows + 1, starts + start
            total += sequences.counts["ABC"]
        start += slide
    return rows, starts, total


@functools.cache
def next_falling(path: Path, window: int) -> Answer:
    """Return how many windows there are, and the number of trends in all, under skip-till-next.

    A run waits for the next event below it; the prices of what waits never fall upwards.
    """
    prices = pq.read_table(path, columns=["price"])["price"].to_pylist()
    total = windows = 0
    for begin in range(0, len(prices), window):
        waiting: list[tuple[int, int]] = []
        windows += 1
        for price in prices[begin : begin + window]:
            count = 1
            while waiting and waiting[-1][0] > price:
                count += waiting.pop()[1]
            waiting.append((price, count))
            total += count
    return windows, float(total)


def _typed(path: Path) -> list[tuple[int, str]]:
    table = pq.read_table(path, columns=["ts", "etype"])
    pairs = zip(table["ts"].to_pylist(), table["etype"].to_pylist(), strict=True)
    return [(time, kind) for time, kind in pairs if kind in ("A", "B", "C")]
