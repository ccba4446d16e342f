"""The automaton as bit masks, and what an event must satisfy to fit a position."""

from __future__ import annotations

from dataclasses import dataclass

from cepheid.analysis.expressions import Condition


@dataclass(frozen=True, slots=True)
class PositionTest:
    """What an event must satisfy to fit a position.

    `condition` reads attributes of this one event. `exempt` lists (type, attribute) pairs: an event
    of a type that lacks an attribute satisfies every comparison that reads it. `checked` are
    columns that must be FALSE of an event that fits, else a whole number left 64 bits; those that
    are `checked_first` of every event of the types, because the condition reads such a number.
    """

    types: tuple[str, ...]
    condition: Condition | None
    exempt: tuple[tuple[str, str], ...]
    checked: tuple[str, ...] = ()
    checked_first: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PositionAutomaton:
    """Bit q of a mask stands for position q."""

    first: int
    last: int
    follow: tuple[int, ...]
    mandatory: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
