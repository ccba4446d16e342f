"""A workload of HAMLET: queries whose patterns share a repeated type.

In the first workload (section 5.1) query q is `SEQ(X, T+, Y)` with types X and Y of its own; T,
windows, groups and aggregates are the same. Windows follow each other without overlap. Times are
microseconds from the beginning of the stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MINUTE = 60_000_000


@dataclass(frozen=True, slots=True)
class Task:
    """The first workload on a data set; `group` is one of the attributes of `partition`."""

    kleene: str
    ends: tuple[tuple[str, str], ...]
    partition: tuple[str, ...]
    group: str
    window: int

    @property
    def queries(self) -> tuple[str, ...]:
        """The texts of the queries."""
        return tuple(
            f"PATTERN SEQ({first} x, {self.kleene} t+, {last} y) "
            f"WHERE [{', '.join(self.partition)}] "
            f"WITHIN {self.window} SLIDE {self.window} "
            f"RETURN {self.group}, COUNT(*) AS value GROUP BY {self.group}"
            for first, last in self.ends
        )


def pairs(types: Sequence[str], count: int) -> tuple[tuple[str, str], ...]:
    """Return so many pairs of two types; the first ones have each type once at either end.

    >>> pairs(["A", "B", "C"], 4)
    (('A', 'B'), ('B', 'C'), ('C', 'A'), ('A', 'C'))
    """
    size = len(types)
    every = [
        (first, types[(place + distance) % size])
        for distance in range(1, size)
        for place, first in enumerate(types)
    ]
    return tuple(every[:count])
