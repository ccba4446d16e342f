"""The exact answers, in plain Python and whole numbers, by the shortest way that is exact."""

from __future__ import annotations

import functools
import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.workloads import W5_QUERIES

Answer: TypeAlias = tuple[float, ...]
WINDOW, SLIDE = 1000, 100
HIGHEST_PRICE = 1 << 16


def agree(one: Answer, other: Answer) -> bool:
    """Whole numbers must be equal; numbers with a fraction went through floating point."""
    return len(one) == len(other) and all(
        a == b
        if isinstance(a, int) and isinstance(b, int)
        else math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
        for a, b in zip(one, other, strict=True)
    )


def summarize(table: pa.Table) -> Answer:
    """Turn a result of whole numbers into its number of rows and the sum of every column."""
    return (table.num_rows, *(pc.sum(each).as_py() or 0 for each in table.columns))


def _columns(path: Path) -> list[list[Any]]:
    return [column.to_pylist() for column in pq.read_table(path).columns]


@functools.cache
def w1(path: Path) -> Answer:
    """Return how many matches, and the sums of a.id, a.ts, b.ts and c.ts."""
    return _sequences(path, lambda value: True)


@functools.cache
def w1_next(path: Path) -> Answer:
    """Return the same of one match per A: with the next B, and the next C after that."""
    sums = [0, 0, 0, 0, 0]
    begun: dict[int, list[int]] = defaultdict(list)  # times of As before a B
    waiting: dict[int, list[tuple[int, int]]] = defaultdict(list)  # of As and Bs before a C
    for ts, etype, key, *_ in zip(*_columns(path), strict=True):
        if etype == "A":
            begun[key].append(ts)
        elif etype == "B":
            waiting[key] += [(a_ts, ts) for a_ts in begun.pop(key, ())]
        elif etype == "C":
            for a_ts, b_ts in waiting.pop(key, ()):
                if ts - a_ts <= WINDOW:
                    found = (1, key, a_ts, b_ts, ts)
                    sums = [one + other for one, other in zip(sums, found, strict=True)]
    return tuple(sums)


@functools.cache
def w1_below_100(path: Path) -> Answer:
    """Return the same of the events with v < 100."""
    return _sequences(path, lambda value: value < 100)


@functools.cache
def neighbours(path: Path) -> Answer:
    """Return how often a B follows an A at once in an id, and the sums of id and times."""
    sums = [0, 0, 0, 0]
    latest: dict[int, tuple[int, str]] = {}
    for ts, etype, key, *_ in zip(*_columns(path), strict=True):
        before, kind = latest.get(key, (0, ""))
        latest[key] = ts, etype
        if (kind, etype) == ("A", "B"):
            found = (1, key, before, ts)
            sums = [one + other for one, other in zip(sums, found, strict=True)]
    return tuple(sums)


@functools.cache
def children(path: Path) -> Answer:
    """Return how many events follow an A of their id, and the sums of ids and times."""
    sums = [0, 0, 0, 0]
    begun: dict[int, list[int]] = defaultdict(list)
    for ts, etype, key, *_ in zip(*_columns(path), strict=True):
        if etype == "A":
            begun[key].append(ts)
            continue
        begun[key] = [each for each in begun[key] if ts - each <= WINDOW]
        for a_ts in begun[key]:
            found = (1, key, a_ts, ts)
            sums = [one + other for one, other in zip(sums, found, strict=True)]
    return tuple(sums)


def _sequences(path: Path, takes: Callable[[int], bool]) -> Answer:
    count, ids, sums = 0, 0, [0, 0, 0]
    times: dict[str, dict[int, list[int]]] = {each: defaultdict(list) for each in "ABC"}
    for ts, etype, key, value, *_ in zip(*_columns(path), strict=True):
        if etype not in times or not takes(value):
            continue
        times[etype][key].append(ts)
        if etype != "C":
            continue
        a_times, b_times = times["A"][key], times["B"][key]
        for a_ts in a_times[bisect_left(a_times, ts - WINDOW) :]:
            for b_ts in b_times[bisect_right(b_times, a_ts) :]:
                count, ids = count + 1, ids + key
                sums = [sums[0] + a_ts, sums[1] + b_ts, sums[2] + ts]
    return (count, ids, *sums)


@functools.cache
def w2(path: Path) -> Answer:
    """Return how many windows of an id have a match; the sums of start, id and count."""
    rows, starts, ids, total = 0, 0, 0, 0
    by_id: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for ts, etype, key, _ in zip(*_columns(path), strict=True):
        if etype in "ABC":
            by_id[key].append((ts, etype))
    for key, events in by_id.items():
        for start, types in _windows(events):
            count = _count_sequences(types)
            if count:
                rows, starts, ids, total = rows + 1, starts + start, ids + key, total + count
    return rows, starts, ids, total


@functools.cache
def w2_one_key(path: Path, sequence: str) -> Answer:
    """Return how many windows have a match of a sequence of types; the sums of start and count."""
    rows, starts, total = 0, 0, 0
    events = [(ts, each) for ts, each, *_ in zip(*_columns(path), strict=True) if each in sequence]
    for start, types in _windows(events):
        counts = [1] + [0] * len(sequence)
        for each in types:
            place = sequence.index(each)
            counts[place + 1] += counts[place]
        if counts[-1]:
            rows, starts, total = rows + 1, starts + start, total + counts[-1]
    return rows, starts, 0, total


def _windows(events: list[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    """Yield where every window begins, and the types of its events."""
    first = (events[0][0] - WINDOW) // SLIDE * SLIDE
    for start in range(first, events[-1][0] + 1, SLIDE):
        begin, end = bisect_left(events, (start,)), bisect_left(events, (start + WINDOW,))
        yield start, [each for _, each in events[begin:end]]


def _count_sequences(types: Any, *, repeats: bool = False) -> int:
    """Count SEQ(A, B, C), or SEQ(A, B+, C): then a B also goes on with what ends in one."""
    first = second = third = 0
    for each in types:
        if each == "A":
            first += 1
        elif each == "B":
            second += second + first if repeats else first
        else:
            third += second
    return third


@functools.cache
def closed_trends(path: Path, slide: int = WINDOW // 2) -> Answer:
    """Return how many windows of an id have trends SEQ(A, B+, C); the sums of end, id and count.

    Of the windows that no event after the last one can be in.
    """
    rows, ends, ids, total = 0, 0, 0, 0.0
    by_id: dict[int, list[tuple[int, str]]] = defaultdict(list)
    last = 0
    for ts, etype, key, _ in zip(*_columns(path), strict=True):
        by_id[key].append((ts, etype))
        last = ts
    for key, events in by_id.items():
        for end in range(slide, last + 2, slide):
            first, beyond = bisect_left(events, (end - WINDOW,)), bisect_left(events, (end,))
            count = _count_sequences((etype for _, etype in events[first:beyond]), repeats=True)
            if count:
                rows, ends, ids, total = rows + 1, ends + end, ids + key, total + count
    return rows, ends, ids, total


@functools.cache
def w3(path: Path, divisor: int = 1) -> Answer:
    """Return log2 of the number of trends of falling prices, over all companies.

    Of the first half of the events, with divisor 2, and so on.
    """
    total = 0
    columns = _columns(path)
    events = len(columns[0]) // divisor
    trees: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for _, company, price in zip(*(each[:events] for each in columns), strict=True):
        tree = trees[company]  # a Fenwick tree over prices, the highest first
        place = HIGHEST_PRICE // 2 - price
        count, node = 1, place - 1
        while node > 0:
            count += tree[node]
            node &= node - 1
        total += count
        while place < HIGHEST_PRICE:
            tree[place] += count
            place += place & -place
    return (math.log2(total),)


@functools.cache
def w4(path: Path) -> Answer:
    """Return how many runs Start, rising Loads, End there are, and the sum of their cpu."""
    count, total = 0, 0
    run_of: dict[int, tuple[int, int] | None] = {}  # highest cpu and sum so far
    for _, etype, mapper, cpu in zip(*_columns(path), strict=True):
        run = run_of.get(mapper)
        if etype == "S":
            run_of[mapper] = (-1, 0)
        elif etype == "L":
            rises = run is not None and cpu > run[0]
            run_of[mapper] = (cpu, run[1] + cpu) if run is not None and rises else None
        else:
            if run is not None and run[0] >= 0:
                count, total = count + 1, total + run[1]
            run_of[mapper] = None
    return count, total


@functools.cache
def w5(path: Path) -> Answer:
    """Return the number of trends of all queries, windows and groups, as a floating number."""
    total, window = 0, -1
    starts: dict[int, list[int]] = {}
    trends: dict[int, list[int]] = {}
    for ts, etype, group, _ in zip(*_columns(path), strict=True):
        if ts // WINDOW != window:
            window, starts, trends = ts // WINDOW, {}, {}
        start = starts.setdefault(group, [0] * W5_QUERIES)
        trend = trends.setdefault(group, [0] * W5_QUERIES)
        if etype == "T":
            for query in range(W5_QUERIES):
                trend[query] = 2 * trend[query] + start[query]
        elif etype[0] == "X":
            start[int(etype[1:])] += 1
        else:
            total += trend[int(etype[1:])]
    return (float(total),)
