"""What every figure of COGRA asks: how many trends of `A+` or `SEQ(S, A+, F)` per window and group.

Windows follow each other without overlap, as in the paper's charts over the events per window; time
is the place of an event in the stream, so that a window of n has n events. The column `window` says
it once more, for the two-step approach: a match query has no windows of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from benchmarks.papers.baselines.grained_counts import ANY, CONTIGUOUS, NEXT
from benchmarks.papers.baselines.trend_slices import Bits

STRATEGIES = {
    ANY: "skip-till-any-match",
    NEXT: "skip-till-next-match",
    CONTIGUOUS: "contiguous",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """A pattern on a data set.

    `fires` reads which of S, A and F events fit; `partition` are the attributes that the events of
    a trend share, the first of them is the group; `first` is the variable of a trend's first event.
    """

    pattern: str
    partition: tuple[str, ...]
    first: str
    fires: Callable[[pa.Table], Bits]
    bounded: bool
    predicates: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """The GROUP BY attribute."""
        return self.partition[0]


@dataclass(frozen=True, slots=True)
class Task:
    """A shape under a strategy; `window` is how many events a window has.

    `compares`: the earlier one of two adjacent events has its `ceiling` above the later one's
    `price`.
    """

    shape: Shape
    strategy: int
    window: int
    compares: bool = False

    @property
    def query(self) -> str:
        """The aggregate query."""
        group = self.shape.group
        return (
            f"{self._matching(self.shape.partition)} WITHIN {self.window} SLIDE {self.window} "
            f"RETURN {group}, COUNT(*) GROUP BY {group}"
        )

    @property
    def all_trends(self) -> str:
        """The match query of the first of two steps: a row for every trend."""
        first, group = self.shape.first, self.shape.group
        matching = self._matching((*self.shape.partition, "window"))
        return f"{matching} RETURN {first}.window AS window, {first}.{group} AS {group}"

    def _matching(self, partition: tuple[str, ...]) -> str:
        compared = ("S.ceiling > NEXT(S).price",) if self.compares else ()
        terms = (f"[{', '.join(partition)}]", *self.shape.predicates, *compared)
        return (
            f"PATTERN {self.shape.pattern} SEMANTICS {STRATEGIES[self.strategy]} "
            f"WHERE {' AND '.join(terms)}"
        )
