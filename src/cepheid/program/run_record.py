"""What one run did, as plain data: which folds ran, why not others, counts and times.

Made by the engine, shown by explain.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock, get_ident
from typing import TypeVar

Item = TypeVar("Item")
RANKED, RAN, TOO_LARGE, NOT_NEEDED, REFUSED = (
    "ranked", "ran", "too large", "not needed", "refused",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FoldRecord:
    """What became of a fold for a group, and why; in a plan it is `ranked` or `refused`."""

    name: str
    outcome: str
    why: str | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class GroupRecord:
    """A group of queries that was folded, the folds in their ranking, and the facts it is by.

    `what` says which part of the queries it is; it is empty for all that they ask for.
    """

    queries: tuple[str, ...]
    folds: tuple[FoldRecord, ...]
    facts: dict[str, int]
    what: str = ""

    @property
    def first(self) -> str:
        """The name of the fold that is first in the ranking: it runs, or ran, before others."""
        return self.folds[0].name

    @property
    def ran(self) -> str:
        """The name of the fold that gave the result."""
        return next(each.name for each in self.folds if each.outcome == RAN)


@dataclass(frozen=True, slots=True)
class StepRecord:
    """What a step of a stream does, and why; `is_incremental`: whatever the window has."""

    topic: str
    choice: str
    reason: str
    is_incremental: bool


@dataclass(frozen=True, slots=True)
class StepsTogether:
    """What a step of a stream does for queries that are run together."""

    queries: tuple[str, ...]
    steps: tuple[StepRecord, ...]


class RunRecord:
    """Everything that is written down while queries run; `counts` and `seconds` are by name.

    Seconds of a stage are without those of stages inside it. They are those of one thread: what
    others do meanwhile is part of the stage that waits for them. `is_detailed`: what takes time to
    count is wanted, too.
    """

    def __init__(self, *, is_detailed: bool = False) -> None:
        self.is_detailed = is_detailed
        self.groups: list[GroupRecord] = []
        self.counts: dict[str, int] = {}
        self.seconds: dict[str, float] = {}
        self._stages: list[str] = []
        self._since = 0.0
        self._thread: int | None = None
        self._lock = Lock()

    def add(self, group: GroupRecord) -> None:
        """Write down what was folded, once if threads do the same."""
        with self._lock:
            if group not in self.groups:
                self.groups.append(group)

    def count(self, name: str, number: int) -> None:
        """Add to a number."""
        with self._lock:
            self.counts[name] = self.counts.get(name, 0) + int(number)

    def most(self, name: str, number: int) -> None:
        """Keep the largest of several numbers."""
        with self._lock:
            self.counts[name] = max(self.counts.get(name, 0), int(number))

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure how long something takes."""
        with self._lock:
            if not self._stages:
                self._thread = get_ident()
            is_own = self._thread == get_ident()
            if is_own:
                self._switch()
                self._stages.append(name)
        if not is_own:
            yield
            return
        try:
            yield
        finally:
            self._switch()
            self._stages.pop()

    @property
    def now(self) -> str:
        """The stage that runs; it is empty before the first one and between two."""
        with self._lock:
            return self._stages[-1] if self._stages else ""

    def timed(self, name: str, items: Iterable[Item]) -> Iterator[Item]:
        """Yield items and measure how long it takes to make them."""
        iterator = iter(items)
        while True:
            with self.stage(name):
                try:
                    item = next(iterator)
                except StopIteration:
                    return
            yield item

    def _switch(self) -> None:
        now = time.perf_counter()
        if self._stages:
            name = self._stages[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._since
        self._since = now
