"""What one run did, as plain data: which folds ran, why not others, counts and times.

Made by the engine, shown by explain.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FoldRecord:
    """What became of a fold for a group: `ran`, `too large`, `not needed` or `refused`, and why."""

    name: str
    outcome: str
    why: str | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class GroupRecord:
    """A group of queries that was folded, the folds in their ranking, and the facts it is by."""

    queries: tuple[str, ...]
    folds: tuple[FoldRecord, ...]
    facts: dict[str, int]

    @property
    def ran(self) -> str:
        """The name of the fold that gave the result."""
        return next(each.name for each in self.folds if each.outcome == RAN)


RAN, TOO_LARGE, NOT_NEEDED, REFUSED = "ran", "too large", "not needed", "refused"


@dataclass(slots=True)
class RunRecord:
    """Everything that is written down while queries run; `counts` and `seconds` are by name.

    Seconds of a stage are without those of stages inside it.
    """

    groups: list[GroupRecord] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    _stages: list[str] = field(default_factory=list)
    _since: float = 0.0

    def count(self, name: str, number: int) -> None:
        """Add to a number."""
        self.counts[name] = self.counts.get(name, 0) + int(number)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure how long something takes; on one thread."""
        self._switch()
        self._stages.append(name)
        try:
            yield
        finally:
            self._switch()
            self._stages.pop()

    def _switch(self) -> None:
        now = time.perf_counter()
        if self._stages:
            name = self._stages[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._since
        self._since = now
