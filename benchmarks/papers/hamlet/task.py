"""A workload of HAMLET: queries whose patterns share a repeated type.

In the first workload (section 5.1) query q is `SEQ(X, T+, Y)` with types X and Y of its own; T,
windows, groups and aggregates are the same. Windows follow each other without overlap. Times are
microseconds from the beginning of the stream. In the paper all queries have the same predicates, so
that it always pays to share; here they have one of several, so that there is something to decide.
They ask for SUM(T.value) instead of COUNT(*), since Cepheid counts without sharing bursts at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MINUTE = 60_000_000
NO_LIMIT = float("-inf")


@dataclass(frozen=True, slots=True)
class Task:
    """The first workload on a data set; `group` is one of the attributes of `partition`.

    Queries take turns in `limits`: the shared events of a query have a value above its limit.
    """

    kleene: str
    ends: tuple[tuple[str, str], ...]
    partition: tuple[str, ...]
    group: str
    window: int
    limits: tuple[float, ...] = (NO_LIMIT,)

    @property
    def kinds(self) -> tuple[int, ...]:
        """By query, the place of its limit."""
        return tuple(place % len(self.limits) for place in range(len(self.ends)))

    @property
    def queries(self) -> tuple[str, ...]:
        """The texts of the queries."""
        return tuple(
            f"PATTERN SEQ({first} x, {self.kleene} t+, {last} y) "
            f"WHERE [{', '.join(self.partition)}]{_above(self.limits[kind])} "
            f"WITHIN {self.window} SLIDE {self.window} "
            f"RETURN {self.group}, SUM(t.value) AS value GROUP BY {self.group}"
            for (first, last), kind in zip(self.ends, self.kinds, strict=True)
        )


def _above(limit: float) -> str:
    return "" if limit == NO_LIMIT else f" AND t.value > {limit:g}"


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
