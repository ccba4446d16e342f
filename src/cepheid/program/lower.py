"""Physical plan to program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cepheid.analysis.automaton import Position
from cepheid.analysis.bound import (
    BoundPattern,
    BoundQuery,
    PredicateClass,
    Strategy,
    WindowUnit,
)
from cepheid.analysis.derived_types import stream_time
from cepheid.analysis.expressions import Condition, variables_of
from cepheid.errors import InternalError
from cepheid.language import ast
from cepheid.language.printer import print_query
from cepheid.plan.negated_pattern import is_local
from cepheid.plan.physical import AggregateMethod, Parallelism, PhysicalPlan
from cepheid.plan.rules.choose_method import plan_sides
from cepheid.plan.split_sides import split_sides
from cepheid.program.checked_columns import CheckedColumns, checked_columns
from cepheid.program.every_type import has_type, tests_types
from cepheid.program.exact_conditions import with_exact_numbers
from cepheid.program.lower_adjacent import lower_adjacent
from cepheid.program.lower_aggregates import lower_aggregates
from cepheid.program.lower_automaton import lower_automaton, position_test
from cepheid.program.lower_negation import with_inner_parts
from cepheid.program.lower_pair import make_pair, with_common_trends
from cepheid.program.lower_runs import lower_runs
from cepheid.program.lower_slots import lower_slots
from cepheid.program.match_choice import CHOSEN, MatchChoice
from cepheid.program.position_automaton import PositionTest
from cepheid.program.program import (
    Clock,
    FoldedSides,
    MatchOutput,
    Output,
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
    Strategy.LATEST_WINS: StrategyCode.LATEST_WINS,
}
RANKINGS = {Strategy.CONTIGUOUS: Ranking.PARTITION, Strategy.STRICT: Ranking.STREAM}


def lower(plan: PhysicalPlan, *, as_stream: bool = False) -> Program:
    """Return the program of an executable plan; others are refused.

    `as_stream`: the results become events of another query.
    """
    plan.require_executable()
    method = plan.method.value
    first, *others = (
        _lower_side(plan, each, method, as_stream=as_stream)
        for each in split_sides(with_exact_numbers(plan.query))
    )
    if not others:
        return first
    folds = _lower_folds(plan) if method is AggregateMethod.SIDES else None
    (second,) = others
    return replace(first, pair=make_pair(plan.query, second, folds))


def _lower_folds(plan: PhysicalPlan) -> FoldedSides:
    sides = plan_sides(plan.query)
    if isinstance(sides, str):
        raise InternalError(f"the sides of AND cannot be added up apart: {sides}")
    first, second = (
        _lower_side(plan, with_exact_numbers(query), method.value, as_stream=False)
        for query, method in zip(sides.queries, sides.methods, strict=True)
    )
    folds = FoldedSides(first, second)
    return folds if sides.common is None else with_common_trends(folds, sides.common)


def _lower_side(
    plan: PhysicalPlan, query: BoundQuery, method: AggregateMethod, *, as_stream: bool
) -> Program:
    """Return the program of a query with one pattern."""
    if query.schema.time is None:
        raise InternalError("a plan without a time column cannot be lowered")
    window = query.window
    by_events = window is not None and window.unit is WindowUnit.EVENTS
    runs, negation = lower_runs(query)
    checked = checked_columns(query)
    return Program(
        automaton=lower_automaton(query.pattern.automaton),
        tests=tuple(_tests(query, checked)),
        strategy=STRATEGY_CODES[query.strategy],
        ranking=RANKINGS.get(query.strategy, Ranking.NONE),
        clock=Clock.EVENTS if by_events else Clock.TIME,
        window_length=None if window is None else window.length,
        slide=None if window is None else window.slide,
        time=query.schema.time,
        type_column=None if tests_types(query) else query.schema.type_column,
        order=query.schema.order,
        partition_by=query.partition_by,
        output=_output(plan, query, as_stream=as_stream),
        runs=runs,
        negation=negation,
        negative_tests=tuple(_negative_tests(query, checked)),
        name=query.source.name,
        live_limit=plan.live_limit,
        max_matches=plan.max_matches,
        limit=plan.limit,
        warnings=plan.warnings,
        derived_types=tuple(sorted(query.schema.derived_types)),
        slots=lower_slots(query) if method is AggregateMethod.POSITIONS else None,
        adjacent=lower_adjacent(query, runs) if method is AggregateMethod.LAST_EVENTS else None,
        cuts_time=plan.parallelism.value is Parallelism.TIME,
        text=print_query(plan.query.tree),
        is_grouped=plan.is_grouped,
        packs_events=plan.packs_events,
        computed=(*query.schema.computed.values(), *checked.columns.values()),
        copies=query.copies,
        tie_columns=tuple(query.schema.attributes)
        if query.strategy is Strategy.LATEST_WINS
        else (),
    )


def _tests(query: BoundQuery, checked: CheckedColumns) -> Iterable[PositionTest]:
    """One test a position: its types, and the local predicates of every name that covers it."""
    pattern = query.pattern
    always = [each.condition for each in pattern.clauses if not each.variables]
    for position in pattern.automaton.positions:
        conditions = [
            clause.condition
            for clause in pattern.clauses
            if clause.predicate_class is PredicateClass.LOCAL
            for name in clause.variables
            if position.index in pattern.variables[name].positions
        ]
        conditions += has_type(query, position)
        test = position_test(position, conditions + always, query.schema, query.copies)
        yield _checked(test, _names(pattern, position), conditions, checked)


def _negative_tests(
    query: BoundQuery, checked: CheckedColumns
) -> Iterable[tuple[PositionTest, ...]]:
    """The tests of every negated part, with the conditions that read one negated event.

    Negations inside a part have no conditions.
    """
    pattern = query.pattern
    for part in pattern.automaton.negated_parts:
        conditions = pattern.branches[0].negative.get(part.index, ())
        local = [each for each in conditions if is_local(each, pattern)]
        yield tuple(
            _negative_test(query, position, local, checked) for position in part.automaton.positions
        )
        for inner in with_inner_parts(part.automaton.negated_parts):
            yield tuple(
                position_test(each, has_type(query, each), query.schema, query.copies)
                for each in inner.automaton.positions
            )


def _negative_test(
    query: BoundQuery, position: Position, local: list[Condition], checked: CheckedColumns
) -> PositionTest:
    names = _names(query.pattern, position)
    conditions = [each for each in local for name in variables_of(each) if name in names]
    tested = conditions + has_type(query, position)
    test = position_test(position, tested, query.schema, query.copies)
    return _checked(test, names, conditions, checked)


def _names(pattern: BoundPattern, position: Position) -> frozenset[str]:
    """Return the names that cover a position."""
    variables = pattern.variables.items()
    return frozenset(name for name, each in variables if position.index in each.positions)


def _checked(
    test: PositionTest,
    names: frozenset[str],
    conditions: list[Condition],
    checked: CheckedColumns,
) -> PositionTest:
    first = checked.of_condition(conditions)
    others = tuple(each for each in checked.of_position(names) if each not in first)
    return replace(test, checked=others, checked_first=first)


def _output(plan: PhysicalPlan, query: BoundQuery, *, as_stream: bool) -> Output:
    if query.aggregates is None:
        return MatchOutput(
            query.matches or (),
            tuple(_positions(query.pattern)),
            not query.tree.returns,
            _choice(query),
            stream_time=stream_time(plan.query) if as_stream else None,
            is_partial=query.output is ast.OutputMode.PARTIAL,
            is_compressed=query.output is ast.OutputMode.COMPRESSED,
        )
    return replace(
        lower_aggregates(plan),
        of_matches=query.aggregated_of_matches,
        positions_by_variable=tuple(_positions(query.pattern)),
    )


def _choice(query: BoundQuery) -> MatchChoice | None:
    if query.output not in CHOSEN:
        return None
    columns, skip = tuple(query.schema.attributes), query.tree.skip
    if skip is None or skip.variable is None:
        return MatchChoice(query.output, columns, *(() if skip is None else (skip.to,)))
    positions = query.pattern.variables[skip.variable].positions
    return MatchChoice(query.output, columns, skip.to, sum(1 << each for each in positions))


def _positions(pattern: BoundPattern) -> Iterable[tuple[str, tuple[int, ...]]]:
    for name, variable in pattern.variables.items():
        if variable.negated_part is None:
            yield variable.name if name == variable.name else name, variable.positions
