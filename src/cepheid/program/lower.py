"""Physical plan to program."""

from __future__ import annotations

from collections.abc import Iterable

from cepheid.analysis.automaton import Automaton
from cepheid.analysis.bound import (
    BoundPattern,
    BoundQuery,
    PredicateClass,
    Strategy,
    WindowUnit,
)
from cepheid.analysis.expressions import references
from cepheid.analysis.normal_forms import all_of
from cepheid.errors import InternalError
from cepheid.plan.physical import NumberType, PhysicalPlan
from cepheid.program.lower_runs import lower_runs
from cepheid.program.program import (
    Clock,
    CountKind,
    CountOutput,
    MatchOutput,
    Output,
    PositionAutomaton,
    PositionTest,
    Program,
    Ranking,
    StrategyCode,
)

STRATEGY_CODES = {
    Strategy.SKIP_TILL_ANY: StrategyCode.SKIP_TILL_ANY,
    Strategy.SKIP_TILL_NEXT: StrategyCode.SKIP_TILL_NEXT,
    Strategy.SKIP_TILL_NEXT_KLEENE: StrategyCode.SKIP_TILL_NEXT_KLEENE,
    Strategy.CONTIGUOUS: StrategyCode.CONTIGUOUS,
    Strategy.STRICT: StrategyCode.CONTIGUOUS,
}
RANKINGS = {Strategy.CONTIGUOUS: Ranking.PARTITION, Strategy.STRICT: Ranking.STREAM}


def lower(plan: PhysicalPlan) -> Program:
    """Return the program of an executable plan; others are refused."""
    plan.require_executable()
    query = plan.query
    if query.schema.time is None:
        raise InternalError("a plan without a time column cannot be lowered")
    window = query.window
    by_events = window is not None and window.unit is WindowUnit.EVENTS
    return Program(
        automaton=_automaton(query.pattern.automaton),
        tests=tuple(_tests(query)),
        strategy=STRATEGY_CODES[query.strategy],
        ranking=RANKINGS.get(query.strategy, Ranking.NONE),
        clock=Clock.EVENTS if by_events else Clock.TIME,
        window_length=None if window is None else window.length,
        slide=None if window is None else window.slide,
        time=query.schema.time,
        type_column=query.schema.type_column,
        order=query.schema.order,
        partition_by=query.partition_by,
        output=_output(plan),
        runs=lower_runs(query) if _has_run_tests(query) else None,
    )


def _has_run_tests(query: BoundQuery) -> bool:
    across = [e for e in query.pattern.clauses if e.predicate_class is not PredicateClass.LOCAL]
    return bool(across or query.neighbour_bounds)


def _mask(positions: Iterable[int]) -> int:
    return sum(1 << position for position in set(positions))


def _automaton(automaton: Automaton) -> PositionAutomaton:
    count = len(automaton.positions)
    return PositionAutomaton(
        first=_mask(border.position for border in automaton.first),
        last=_mask(border.position for border in automaton.last),
        follow=tuple(_mask(e.target for e in automaton.edges_from(p)) for p in range(count)),
        mandatory=tuple(_mask(automaton.mandatory_from(p)) for p in range(count)),
        edges=tuple((edge.source, edge.target) for edge in automaton.edges),
    )


def _tests(query: BoundQuery) -> Iterable[PositionTest]:
    """One test a position: its types, and the local predicates of every name that covers it."""
    pattern, schema = query.pattern, query.schema
    for position in pattern.automaton.positions:
        conditions = [
            clause.condition
            for clause in pattern.clauses
            if clause.predicate_class is PredicateClass.LOCAL
            for name in clause.variables
            if position.index in pattern.variables[name].positions
        ]
        always = [each.condition for each in pattern.clauses if not each.variables]
        condition = all_of([*conditions, *always]) if conditions or always else None
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
        yield PositionTest(position.types, condition, exempt)


def _output(plan: PhysicalPlan) -> Output:
    query = plan.query
    if query.aggregates is None:
        return MatchOutput(
            query.matches or (), tuple(_positions(query.pattern)), not query.tree.returns
        )
    wide = plan.numbers.value is NumberType.DOUBLE
    kind = CountKind.DOUBLE if wide else CountKind.BIGINT
    return CountOutput(
        groups=tuple((each.attribute, each.output) for each in query.group_by),
        counts=tuple(
            (each.output, CountKind.LOG2 if each.aggregate.log2 else kind)
            for each in query.aggregates
        ),
        returned=query.returned,
    )


def _positions(pattern: BoundPattern) -> Iterable[tuple[str, tuple[int, ...]]]:
    for name, variable in pattern.variables.items():
        if variable.negated_part is None:
            yield variable.name if name == variable.name else name, variable.positions
