"""Copies of events that belong to several partitions: `a.pid = b.parent`, both of one type.

A process is of the partition of its `pid`, as `a`, and of that of its `parent`, as `b`. So there is
a copy of it for each, with the value in a column of its own. A copy can be bound where that is the
value which the equalities ask for: to `a` if it equals `pid`, to `b` if it equals `parent`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.automaton import Position
from cepheid.analysis.build_automaton import Occurrence
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    AttributeReference,
    Compare,
    Condition,
    Role,
)
from cepheid.language.ast import EVERY_TYPE


@dataclass(frozen=True, slots=True)
class KeySlot:
    """The attributes by which some events of a pattern are joined, one a key.

    Events of some types can be bound to one of them; None: of all types.
    """

    attributes: tuple[str, ...]
    types: tuple[str, ...] | None
    occurrences: frozenset[int] = field(compare=False)


@dataclass(frozen=True, slots=True)
class KeyCopies:
    """What copies there are of an event: one for every slot of its type.

    Two with the same values are one copy. An event that has a value of no slot is in no partition.
    `names` are the columns with the values, one a key.
    """

    names: tuple[str, ...]
    kinds: tuple[AttributeType, ...]
    type_column: str | None
    slots: tuple[KeySlot, ...]

    def conditions(self, position: Position) -> Iterator[Condition]:
        """Yield what a copy must satisfy to be bound to a position."""
        (slot,) = (each for each in self.slots if position.occurrence in each.occurrences)
        for name, attribute, kind in zip(self.names, slot.attributes, self.kinds, strict=True):
            key = AttributeReference(position.variable, Role.EACH, name, kind)
            value = AttributeReference(position.variable, Role.EACH, attribute, kind)
            same: Condition = Compare("=", key, value)
            if kind in (AttributeType.FLOAT, AttributeType.UNKNOWN):  # all NaN are one partition
                are_nan = AllOf((Compare("!=", key, key), Compare("!=", value, value)))
                same = AnyOf((same, are_nan))
            yield same


def key_copies(
    keys: Sequence[tuple[tuple[str, ...], AttributeType]],
    occurrences: Sequence[Occurrence],
    type_column: str | None,
) -> KeyCopies | None:
    """Return the copies for some keys, each with the attributes of all events of the pattern."""
    if not keys:
        return None
    found: dict[tuple[str, ...], list[Occurrence]] = {}
    for place, each in enumerate(occurrences):
        found.setdefault(tuple(names[place] for names, _ in keys), []).append(each)
    slots = tuple(
        KeySlot(attributes, _types(some), frozenset(each.index for each in some))
        for attributes, some in sorted(found.items())
    )
    names = tuple(_name(slots, number) for number in range(len(keys)))
    return KeyCopies(names, tuple(kind for _, kind in keys), type_column, slots)


def _types(occurrences: Sequence[Occurrence]) -> tuple[str, ...] | None:
    names = {name for each in occurrences for name in each.types}
    return None if EVERY_TYPE in names else tuple(sorted(names))


def _name(slots: Sequence[KeySlot], number: int) -> str:
    """Return a name that says all of a key: `Process.parent = Process.pid`."""
    return " = ".join(
        f"{name}.{each.attributes[number]}"
        for each in slots
        for name in (("ANY",) if each.types is None else each.types)
    )
