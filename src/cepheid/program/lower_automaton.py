"""Position automaton and position tests to masks."""

from __future__ import annotations

from collections.abc import Iterable

from cepheid.analysis.automaton import Automaton, Position
from cepheid.analysis.expressions import Condition, references
from cepheid.analysis.key_copies import KeyCopies
from cepheid.analysis.normal_forms import all_of
from cepheid.analysis.schema import EventSchema
from cepheid.program.position_automaton import PositionAutomaton, PositionTest


def bit_mask(positions: Iterable[int]) -> int:
    """Return a number with the bits of the positions set."""
    return sum(1 << position for position in set(positions))


def lower_automaton(automaton: Automaton) -> PositionAutomaton:
    """Return the automaton as masks."""
    count = len(automaton.positions)
    return PositionAutomaton(
        first=bit_mask(border.position for border in automaton.first),
        last=bit_mask(border.position for border in automaton.last),
        follow=tuple(bit_mask(e.target for e in automaton.edges_from(p)) for p in range(count)),
        mandatory=tuple(bit_mask(automaton.mandatory_from(p)) for p in range(count)),
        edges=tuple((edge.source, edge.target) for edge in automaton.edges),
    )


def position_test(
    position: Position,
    conditions: list[Condition],
    schema: EventSchema,
    copies: KeyCopies | None = None,
) -> PositionTest:
    """Return the test of a position: its types and its local conditions.

    Where events have several keys, it concerns the copies for that of the position.
    """
    attributes = {
        reference.attribute
        for each in conditions
        for reference in references(each)
        if reference.attribute is not None
    }
    exempt = tuple(
        (event_type, attribute)
        for event_type in position.types
        for attribute in sorted(attributes)
        if not schema.has_attribute(event_type, attribute)
    )
    keys = [] if copies is None else list(copies.conditions(position))
    tested = [*conditions, *keys]
    return PositionTest(position.types, all_of(tested) if tested else None, exempt)
