"""Contiguous trends that compare neighbours, as trends with a value per position.

Which edges into an event are open follows from the event before it (kernels/last_event/
open_edges.py). So a position with tested edges becomes some *variants*, one for every set of edges
that may be open. What is left has no comparisons: its steps are linear in the slots, and all that
holds of those holds of it. Where several events of a partition have one order key, it is not so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.trends.contiguous_variants import variants_of
from cepheid.kernels.last_event.adjacent_contiguous import NO_EDGE, ContiguousRules
from cepheid.kernels.last_event.adjacent_rules import NO_EVENT
from cepheid.kernels.last_event.open_edges import Variants, fire_variants
from cepheid.kernels.predicates.predicate_machine import ColumnArrays
from cepheid.kernels.values.value_arrays import Measures
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.position_automaton import PositionAutomaton
from cepheid.program.program import Program
from cepheid.program.slot_program import SlotProgram

Masks = NDArray[np.uint64]


def contiguous_rules(program: Program) -> ContiguousRules:
    """Return the edges, of which each makes at most one comparison."""
    edges, adjacent = program.automaton.edges, program.adjacent
    assert adjacent is not None
    positions = len(program.automaton.follow)
    edge_of = np.full((positions, positions), NO_EDGE, np.int64)
    tests = np.zeros((len(edges), 5), np.int64)
    for number, ((source, target), edge) in enumerate(zip(edges, adjacent.edges, strict=True)):
        edge_of[source, target] = number
        compared = edge.comparison
        if adjacent.tests[number] and compared is not None:
            row = (1, compared.operator, compared.is_float, compared.last, compared.new)
            tests[number] = row
    return ContiguousRules(edge_of, tests)


@dataclass(frozen=True, slots=True)
class LinearTrends:
    """A program with variants for positions; and by position, a mask of its variants."""

    program: Program
    begin: tuple[int, ...]
    masks: tuple[int, ...]

    def widened(self, positions: Masks) -> Masks:
        """Return masks of positions as masks of their variants."""
        found = np.zeros_like(positions)
        for position, mask in enumerate(self.masks):
            has = (positions >> np.uint64(position)) & np.uint64(1)
            found |= np.where(has != 0, np.uint64(mask), np.uint64(0))
        return found

    def measures(self, measures: Measures) -> Measures:
        """Return what events contribute, likewise."""
        return measures._replace(
            positions=self.widened(measures.positions),
            least_positions=self.widened(measures.least_positions),
        )


def linear_trends(program: Program) -> LinearTrends:
    """Return the same trends as those of variants."""
    automaton, output, variants = program.automaton, program.output, variants_of(program)
    assert isinstance(output, AggregateOutput)
    sizes = [len(each) for each in variants]
    *begin, count = accumulate(sizes, initial=0)
    masks = tuple(((1 << size) - 1) << at for size, at in zip(sizes, begin, strict=True))

    def widened(positions: int) -> int:
        return sum(mask for position, mask in enumerate(masks) if positions >> position & 1)

    going = [position for position, follow in enumerate(automaton.follow) if follow]
    slot = {position: place for place, position in enumerate(going, start=1)}
    end = len(going) + 1
    sources, entries = list[tuple[int, ...]](), list[tuple[int, ...]]()
    for position, own in enumerate(variants):
        first = (0,) if automaton.first >> position & 1 else ()
        last = (end,) if automaton.last >> position & 1 else ()
        stays = (slot[position],) if position in slot else ()
        sources += [(*first, *(slot[each] for each in open_from)) for open_from in own]
        entries += [(*stays, *last)] * len(own)
    slots = SlotProgram(
        initial=(1, *[0] * end),
        sources=tuple(sources),
        entries=tuple(entries),
        owner=(-1, *(begin[each] for each in going), -1),
        moves=tuple((each,) for each in range(end + 1)),
        finals=(end,),
        negative=(),
    )
    wide = PositionAutomaton(
        widened(automaton.first), widened(automaton.last), (0,) * count, (0,) * count, ()
    )
    measured = replace(
        output,
        numbers=tuple(replace(each, positions=widened(each.positions)) for each in output.numbers),
        minima=tuple(replace(each, positions=widened(each.positions)) for each in output.minima),
    )
    changed = replace(program, automaton=wide, output=measured, slots=slots, adjacent=None)
    return LinearTrends(changed, tuple(begin), masks)


def with_variants(
    program: Program, ordered: OrderedEvents, columns: ColumnArrays
) -> OrderedEvents | None:
    """Return events that fit variants of positions; None if it cannot be told which.

    A step has several events, or a test left 64 bits.
    """
    arrays = ordered.arrays
    if arrays.step_offsets.size - 1 != arrays.fires.size:
        return None
    trends, rules = linear_trends(program), contiguous_rules(program)
    bits, tested = np.zeros(len(program.automaton.edges), np.int64), dict[int, int]()
    for number, (_, target) in enumerate(program.automaton.edges):
        if rules.tests[number, 0]:
            bits[number] = 1 << tested.get(target, 0)
            tested[target] = tested.get(target, 0) + 1
    fires = np.empty_like(arrays.fires)
    variants = Variants(np.array(trends.begin, np.int64), bits)
    if fire_variants(arrays, rules, columns, variants, fires) != NO_EVENT:
        return None
    return replace(ordered, arrays=arrays._replace(fires=fires))
