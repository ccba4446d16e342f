"""Slots of an aggregate query to flat tables."""

from __future__ import annotations

from itertools import accumulate

from cepheid.analysis.automaton import Alternatives
from cepheid.analysis.bound import BoundQuery
from cepheid.plan.gap_automaton import CLOSED, first_bits
from cepheid.plan.slot_layout import Gap, Place, SlotLayout, lay_out_slots
from cepheid.program.slot_program import SlotProgram


def lower_slots(query: BoundQuery) -> SlotProgram | None:
    """Return the slots; None if the query is not linear."""
    layout = lay_out_slots(query)
    return None if isinstance(layout, str) else _lower(query, layout)


def _lower(query: BoundQuery, layout: SlotLayout) -> SlotProgram:
    automaton = query.pattern.automaton
    *bits, bit_count = first_bits(automaton.negated_parts)
    sizes = [gap.size for gap in layout.gaps]
    first_slots = [0, *accumulate(sizes)]
    slots: dict[tuple[Place, int | None, Alternatives], range] = {
        (gap.place, gap.position, gap.blocked_by): range(begin, begin + gap.size)
        for gap, begin in zip(layout.gaps, first_slots, strict=False)
    }
    positions = range(len(automaton.positions))
    sources: list[list[int]] = [[] for _ in positions]
    entries: list[list[int]] = [[] for _ in positions]
    for border in automaton.first:
        sources[border.position] += slots[Place.START, None, border.blocked_by]
    for edge in automaton.edges:
        sources[edge.target] += slots[Place.POSITION, edge.source, edge.blocked_by]
    for (place, position, _), own in slots.items():
        if place is Place.POSITION and position is not None:
            entries[position].append(own[0])
    for border in automaton.last:
        entries[border.position].append(slots[Place.END, None, border.blocked_by][0])
    return SlotProgram(
        initial=tuple(
            int(gap.place is Place.START and state == 0)
            for gap in layout.gaps
            for state in range(gap.size)
        ),
        sources=tuple(map(tuple, sources)),
        entries=tuple(map(tuple, entries)),
        owner=tuple(
            -1 if gap.position is None else gap.position
            for gap in layout.gaps
            for _ in range(gap.size)
        ),
        moves=tuple(
            row
            for gap, begin in zip(layout.gaps, first_slots, strict=False)
            for row in _moves(gap, begin, 1 << bit_count)
        ),
        finals=tuple(
            slot for (place, *_), own in slots.items() if place is Place.END for slot in own
        ),
        negative=tuple((part.index, bits[part.index]) for part in automaton.negated_parts),
    )


def _moves(gap: Gap, begin: int, codes: int) -> list[tuple[int, ...]]:
    if gap.automaton is None:
        return [(begin,) * codes]
    return [
        tuple(CLOSED if each == CLOSED else begin + each for each in row)
        for row in gap.automaton.moves
    ]
