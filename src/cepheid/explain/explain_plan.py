"""Physical plan to explanation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from cepheid.analysis import automaton
from cepheid.analysis.bound import BoundPattern
from cepheid.errors import Diagnostic
from cepheid.explain.describe_operators import (
    describe_operators,
    describe_outputs,
    describe_window,
)
from cepheid.explain.document import (
    Choice,
    Edge,
    Explanation,
    Negation,
    Side,
    State,
    Unsupported,
)
from cepheid.explain.place_predicates import Placed, negated_conditions, place_predicates
from cepheid.language import ast
from cepheid.language.printer import print_pattern, print_query
from cepheid.plan import physical
from cepheid.plan.physical import PhysicalPlan
from cepheid.program.run_record import GroupRecord, StepRecord


def explain_plan(
    plan: PhysicalPlan, folds: Sequence[GroupRecord] = (), steps: Sequence[StepRecord] = ()
) -> Explanation:
    """Return what a plan does, how and why, as plain data."""
    query = plan.query
    return Explanation(
        query=print_query(query.tree),
        pattern=print_pattern(query.tree.pattern),
        strategy=query.strategy.value,
        window=describe_window(query),
        partition_by=query.partition_by,
        outputs=describe_outputs(query),
        sides=tuple(
            _side(pattern, print_pattern(node))
            for pattern, node in zip(query.patterns, _nodes(query.tree.pattern), strict=True)
        ),
        operators=describe_operators(plan),
        choices=_choices(plan),
        unsupported=tuple(map(_unsupported, plan.unsupported)),
        warnings=plan.warnings,
        folds=tuple(folds),
        steps=tuple(steps),
    )


def _nodes(pattern: ast.Pattern) -> tuple[ast.Pattern, ...]:
    return pattern.parts if isinstance(pattern, ast.Conjunction) else (pattern,)


def _choices(plan: PhysicalPlan) -> tuple[Choice, ...]:
    partition = ", ".join(plan.partitioning.value) or "none"
    overlaps = () if plan.overlaps is None else (plan.overlaps,)
    state = () if plan.query.aggregates is None else (plan.method,)
    return (
        Choice("strategy", plan.strategy.value.value, plan.strategy.reason),
        Choice("scan", plan.scan.value.value, plan.scan.reason),
        Choice("push-down", ", ".join(plan.push_down.value), plan.push_down.reason),
        Choice("partition", partition, plan.partitioning.reason),
        Choice("fold", plan.semiring.value.value, plan.semiring.reason),
        *(Choice("state", each.value.value, each.reason) for each in state),
        *(Choice("look-up", each.value.value, each.reason) for each in _distinct(plan)),
        Choice("granularity", plan.granularity.value.value, plan.granularity.reason),
        Choice("window", plan.window.value.value, plan.window.reason),
        *(Choice("overlaps", each.value.value, each.reason) for each in overlaps),
        Choice("numbers", plan.numbers.value.value, plan.numbers.reason),
        Choice("parallel", plan.parallelism.value.value, plan.parallelism.reason),
    )


def _distinct(plan: PhysicalPlan) -> Iterable[physical.Choice[physical.Structure]]:
    """Return what edges are looked up in, each way once."""
    return {each.value: each for each in reversed(plan.structures)}.values()


def _unsupported(diagnostic: Diagnostic) -> Unsupported:
    place = diagnostic.location
    if place is None:
        return Unsupported(diagnostic.message, diagnostic.hint, None, None)
    return Unsupported(diagnostic.message, diagnostic.hint, place.line, place.column)


def _side(pattern: BoundPattern, text: str) -> Side:
    placed = place_predicates(pattern)
    return Side(
        pattern=text,
        states=_states(pattern, placed),
        edges=tuple(_edge(each, pattern, placed) for each in pattern.automaton.edges),
        negations=tuple(
            Negation(part.text, negated_conditions(pattern, part.index))
            for part in pattern.automaton.negated_parts
        ),
        predicates=tuple(each.predicate for each in placed),
    )


def _states(pattern: BoundPattern, placed: Iterable[Placed]) -> tuple[State, ...]:
    entries = {each.position: each for each in pattern.automaton.first}
    exits = {each.position: each for each in pattern.automaton.last}
    copies = Counter[int]()
    states = []
    for position in pattern.automaton.positions:
        copies[position.occurrence] += 1
        entry, leaving = entries.get(position.index), exits.get(position.index)
        states.append(
            State(
                index=position.index,
                variable=position.variable,
                types=tuple(each or "ANY" for each in position.types),
                copy=copies[position.occurrence],
                is_entry=entry is not None,
                is_exit=leaving is not None,
                entry_negation=_negation(entry, pattern),
                exit_negation=_negation(leaving, pattern),
                predicates=tuple(
                    each.predicate for each in placed if position.index in each.states
                ),
            )
        )
    return tuple(states)


def _edge(edge: automaton.Edge, pattern: BoundPattern, placed: Iterable[Placed]) -> Edge:
    ends = (edge.source, edge.target)
    return Edge(
        source=edge.source,
        target=edge.target,
        is_loop=edge.is_loop,
        negation=_negation(edge, pattern),
        predicates=tuple(each.predicate for each in placed if ends in each.edges),
    )


def _negation(
    crossed: automaton.Edge | automaton.Border | None, pattern: BoundPattern
) -> str | None:
    """Return what must not occur, `¬ A, ¬ B` for all of them, with `or` between alternatives."""
    if crossed is None or crossed.blocked_by == automaton.FREE:
        return None
    parts = pattern.automaton.negated_parts
    ways = sorted(sorted(each) for each in crossed.blocked_by)
    return " or ".join(", ".join(f"¬ {parts[index].text}" for index in way) for way in ways)
