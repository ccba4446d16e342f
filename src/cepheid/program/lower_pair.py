"""`P1 AND P2`: how the trends of the sides are paired, or what each side adds up to."""

from __future__ import annotations

from dataclasses import replace

from cepheid.analysis.bound import BoundPattern, BoundQuery
from cepheid.language import ast
from cepheid.plan.common_trends import CommonTrends
from cepheid.plan.paired_aggregates import find_one_sided_name
from cepheid.program.lower_adjacent import lower_adjacent
from cepheid.program.lower_automaton import lower_automaton
from cepheid.program.lower_runs import lower_runs
from cepheid.program.lower_slots import lower_slots
from cepheid.program.position_automaton import PositionAutomaton
from cepheid.program.program import FoldedSides, Pair, Program


def make_pair(query: BoundQuery, second: Program, folds: FoldedSides | None) -> Pair:
    """Return what a program needs beside the program of its first side."""
    is_non_overlapping = query.output is ast.OutputMode.NON_OVERLAPPING
    if query.is_aggregate:
        needs_order = find_one_sided_name(query) is not None
    else:
        needs_order = is_non_overlapping or _may_share_trends(query)
    return Pair(
        second,
        query.returned,
        not query.tree.returns,
        is_non_overlapping,
        tuple(query.schema.attributes) if needs_order else (),
        folds,
    )


def with_common_trends(folds: FoldedSides, common: CommonTrends) -> FoldedSides:
    """Return the programs of the sides with one for the trends that both have."""
    masks = [(1 << one, 1 << other) for one, other in common.positions]
    masks += [(0, 1 << each) if side else (1 << each, 0) for side, each in common.witnesses]
    automaton = lower_automaton(common.query.pattern.automaton)
    if common.witnesses:
        automaton = _ended_by_witnesses(automaton, common, (folds.first, folds.second))
    slots, runs, adjacent = lower_slots(common.query), folds.first.runs, None
    if slots is None:
        runs, _ = lower_runs(common.query)
        adjacent = lower_adjacent(common.query, runs)
    program = replace(
        folds.first,
        automaton=automaton,
        tests=(),
        negative_tests=(*folds.first.negative_tests, *folds.second.negative_tests),
        negation=None,
        runs=runs,
        slots=slots,
        adjacent=adjacent,
    )
    return replace(folds, common=program, common_positions=tuple(masks))


def _ended_by_witnesses(
    automaton: PositionAutomaton, common: CommonTrends, sides: tuple[Program, Program]
) -> PositionAutomaton:
    """Let a run of both sides end when either side would take an event and leave where it was."""
    bits = {
        witness: 1 << number
        for number, witness in enumerate(common.witnesses, start=len(common.positions))
    }

    def ends(masks: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
        """Return by position the witnesses of what both sides have in a mask."""
        by_pair = (
            sum(
                bit
                for (side, position), bit in bits.items()
                if masks[side][places[side]] >> position & 1
            )
            for places in common.positions
        )
        return (*by_pair, *(0 for _ in bits))

    return replace(
        automaton,
        follow=ends(tuple(each.automaton.follow for each in sides)),
        mandatory=ends(tuple(each.automaton.mandatory for each in sides)),
    )


def _may_share_trends(query: BoundQuery) -> bool:
    """Whether one sequence of events could be a trend of both sides."""
    if query.schema.type_column is None:
        return True
    one, other = (_types(each) for each in query.patterns)
    return not one.isdisjoint(other)


def _types(pattern: BoundPattern) -> set[str]:
    return {name for each in pattern.automaton.positions for name in each.types}
