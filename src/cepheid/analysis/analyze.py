"""The passes of analysis, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cepheid.analysis.aggregate_arithmetic import HavingBinder
from cepheid.analysis.bind_aggregates import AggregateBinder
from cepheid.analysis.bind_conditions import ConditionBinder, WhereTerms
from cepheid.analysis.bind_outputs import Outputs, bind_outputs
from cepheid.analysis.bind_pattern import Conjunct, Side, finish_pattern, make_conjunct
from cepheid.analysis.bound import AggregateColumn, BoundQuery, NeighbourBound, WindowUnit
from cepheid.analysis.build_automaton import build_automaton
from cepheid.analysis.check_rules import check_rules
from cepheid.analysis.choose_strategy import choose_strategy
from cepheid.analysis.compare_with_null import find_null_comparisons
from cepheid.analysis.expressions import Condition, Value
from cepheid.analysis.fill_parameters import ParameterValue, fill_parameters
from cepheid.analysis.infer_partitions import (
    Partitions,
    chained_attributes,
    check_partition_attribute,
    equivalence_attributes,
)
from cepheid.analysis.infer_window import infer_window, measure
from cepheid.analysis.join_keys import JoinKeys, find_join_keys
from cepheid.analysis.match_duration import write_durations
from cepheid.analysis.names import names_in
from cepheid.analysis.problems import Problems
from cepheid.analysis.schema import OPEN_SCHEMA, EventSchema
from cepheid.analysis.scope import Scope, collect_occurrences, report_duplicate
from cepheid.language import ast
from cepheid.language.source import Source, Span


def analyze(
    tree: ast.Query,
    source: Source,
    *,
    schema: EventSchema = OPEN_SCHEMA,
    parameters: Mapping[str, ParameterValue] | None = None,
) -> BoundQuery:
    """Bind a query to a schema, or raise a BindingError with every mistake.

    >>> from cepheid.language.parser import parse
    >>> text = "PATTERN SEQ(A a, B b) WHERE a.id = b.id"
    >>> analyze(parse(text), Source(text)).partition_by
    ('id',)
    """
    problems = Problems(source)
    schema = replace(schema, computed={})
    query = fill_parameters(tree, parameters or {}, problems)
    query = write_durations(query, schema, problems)
    sides = tuple(_side(each, problems) for each in _split(query.pattern, problems))
    scopes = tuple(side.scope for side in sides)
    _keep_names_apart(scopes, problems)
    terms, strategies, equivalences = _bind_where(query.where, sides, schema, problems)
    strategy = choose_strategy(query.semantics, strategies, scopes, problems)
    conjuncts = [_conjuncts_of(each, side, problems)
                 for each, side in zip(terms, sides, strict=True)]  # fmt: skip
    outputs = bind_outputs(query, scopes, schema, problems)
    wanted = equivalence_attributes(equivalences)
    wanted += [(column.attribute, node.span)
               for column, node in zip(outputs.group_by, query.group_by, strict=False)]  # fmt: skip
    chained = _chained(conjuncts, sides, schema)
    found = _join_keys(conjuncts, sides, schema, [name for name, _ in wanted + chained])
    attributes = _partition_by(wanted + chained, scopes, schema, problems)
    partitions = Partitions(attributes, found)
    patterns = tuple(
        finish_pattern(side, each, partitions, problems)
        for side, each in zip(sides, conjuncts, strict=True)
    )
    having, aggregates = _having(query, outputs, scopes, schema, problems)
    bound = BoundQuery(
        source=source,
        tree=query,
        schema=schema,
        patterns=patterns,
        strategy=strategy,
        partition_by=partitions.columns,
        group_by=outputs.group_by,
        window=infer_window(query.window, schema, problems),
        neighbour_bounds=_neighbour_bounds(query, scopes, schema, problems),
        matches=outputs.matches,
        aggregates=aggregates,
        returned=outputs.returned,
        having=having,
        output=query.output or ast.OutputMode.ALL,
        into=query.into,
        constants=outputs.constants,
        arithmetic=outputs.arithmetic,
        join_keys=found.columns,
        copies=found.copies,
        why_no_key=found.why_none,
        warnings=find_null_comparisons(query, source),
    )
    check_rules(bound, problems)
    problems.raise_if_any()
    return bound


def _split(pattern: ast.Pattern, problems: Problems) -> tuple[ast.Pattern, ...]:
    """Return the sides of an outermost AND, or the pattern itself."""
    if not isinstance(pattern, ast.Conjunction):
        return (pattern,)
    if len(pattern.parts) > 2:
        problems.add(
            "too-many-sides",
            "AND joins exactly two patterns",
            pattern.span,
            "for events in any order write SEQ(A, B, C) OR SEQ(A, C, B) OR …; or ask two queries",
        )
        problems.raise_if_any()  # what follows would know two sides only
    return pattern.parts[:2]


def _side(pattern: ast.Pattern, problems: Problems) -> Side:
    occurrences = collect_occurrences(pattern, problems)
    automaton = build_automaton(pattern, occurrences, problems)
    return Side(automaton, Scope(occurrences, (automaton,)))


def _keep_names_apart(scopes: tuple[Scope, ...], problems: Problems) -> None:
    """Report a variable that both sides of AND declare; each side has checked its own."""
    taken: set[str] = set()
    for scope in scopes:
        for each in scope.occurrences:
            if each.is_named and each.variable in taken:
                report_duplicate(each.node, each.variable, problems)
        taken |= {each.variable for each in scope.occurrences}


def _bind_where(
    where: ast.Expression | None, sides: tuple[Side, ...], schema: EventSchema, problems: Problems
) -> tuple[list[WhereTerms], list[ast.StrategyTerm], list[ast.Equivalence]]:
    """Bind each conjunct on the side whose names it uses (on both, if both know them)."""
    binders = [ConditionBinder(side.scope, schema, problems) for side in sides]
    if len(sides) == 1:
        terms = binders[0].where(where)
        _bind_equivalence_values(terms, binders[0])
        return [terms], terms.strategies, terms.equivalences
    result = [WhereTerms() for _ in sides]
    shared = WhereTerms()
    for conjunct in _conjuncts(where):
        if isinstance(conjunct, ast.StrategyTerm):
            shared.strategies.append(conjunct)
        elif isinstance(conjunct, ast.Equivalence):
            shared.equivalences.append(conjunct)
        else:
            _bind_on_sides(conjunct, sides, binders, result, problems)
    for terms, binder in zip(result, binders, strict=True):
        terms.equivalences = shared.equivalences
        _bind_equivalence_values(terms, binder)
    return result, shared.strategies, shared.equivalences


def _conjuncts(node: ast.Expression | None) -> list[ast.Expression]:
    match node:
        case None:
            return []
        case ast.And():
            return [each for operand in node.operands for each in _conjuncts(operand)]
        case ast.StrategyTerm():
            return [node, *_conjuncts(node.body)]
        case _:
            return [node]


def _bind_on_sides(
    conjunct: ast.Expression,
    sides: tuple[Side, ...],
    binders: list[ConditionBinder],
    result: list[WhereTerms],
    problems: Problems,
) -> None:
    names = names_in(conjunct)
    fitting = [index for index, side in enumerate(sides) if names <= set(side.scope.variables)]
    everywhere = set().union(*(side.scope.variables for side in sides))
    if not fitting and names <= everywhere:
        problems.add(
            "predicate-across-and",
            "a predicate cannot compare events of the two sides of AND",
            conjunct.span,
            "use SEQ, or compare within one side",
        )
        return
    for index in fitting or [0]:
        condition = binders[index].condition(conjunct, positive=True)
        if condition is not None:
            result[index].conditions.append((condition, conjunct.span))


def _bind_equivalence_values(terms: WhereTerms, binder: ConditionBinder) -> None:
    """`[attr = 'v']` partitions by attr and demands the value of every positive event."""
    for term in terms.equivalences:
        name = term.attributes[0]
        if term.value is None or binder.schema.type_of(name) is None:
            continue  # an unknown attribute is reported with the partitions
        for occurrence in binder.scope.positive:
            attribute = ast.Attribute(occurrence.variable, name, span=term.span)
            test = ast.Comparison((attribute, term.value), ("=",), span=term.span)
            condition = binder.condition(test, positive=True)
            if condition is not None:
                terms.conditions.append((condition, term.span))


def _conjuncts_of(terms: WhereTerms, side: Side, problems: Problems) -> list[Conjunct]:
    made = [make_conjunct(condition, span, side, problems) for condition, span in terms.conditions]
    return [each for each in made if each is not None]


def _chained(
    conjuncts: list[list[Conjunct]], sides: tuple[Side, ...], schema: EventSchema
) -> list[tuple[str, Span]]:
    """Return the attributes that equalities chain, and where they are written.

    No predicate names events of both sides of AND, so no chain names all of them.
    """
    if len(sides) > 1:
        return []
    clauses = [clause for each in conjuncts[0] for clause in each.clauses]
    return sorted(chained_attributes(clauses, sides[0].scope, schema).items())


def _join_keys(
    conjuncts: list[list[Conjunct]],
    sides: tuple[Side, ...],
    schema: EventSchema,
    chained: list[str],
) -> JoinKeys:
    """Return the keys with different names; like chains, they never name both sides of AND."""
    if len(sides) > 1:
        return JoinKeys()
    clauses = [clause for each in conjuncts[0] for clause in each.clauses]
    found = find_join_keys(clauses, sides[0].scope, schema, chained)
    schema.computed.update({each.name: each for each in found.computed})
    return found


def _partition_by(
    wanted: list[tuple[str, Span]],
    scopes: tuple[Scope, ...],
    schema: EventSchema,
    problems: Problems,
) -> tuple[str, ...]:
    good: dict[str, None] = {}
    for attribute, span in wanted:
        checks = [
            check_partition_attribute(attribute, span, scope, schema, problems) for scope in scopes
        ]
        if all(checks):
            good[attribute] = None
    return tuple(good)


def _neighbour_bounds(
    query: ast.Query, scopes: tuple[Scope, ...], schema: EventSchema, problems: Problems
) -> tuple[NeighbourBound, ...]:
    bounds = []
    for window in query.neighbour_windows:
        length, unit = measure(window.within, schema, problems)
        node = ast.Name(window.first, span=window.span)
        first = scopes[0].find(node, window.first, problems)
        second = scopes[0].find(node, window.second, problems)
        if unit is WindowUnit.EVENTS:
            problems.add(
                "bad-window",
                "WITHIN … BETWEEN takes a time, not a count",
                window.within.span,
                "write WITHIN 5 s BETWEEN a, b",
            )
        for variable in (first, second):
            if variable is not None and variable.negated_part is not None:
                problems.add(
                    "negated-in-window",
                    f"'{variable.name}' is negated and cannot bound a window",
                    problems.source.narrow(window.span, variable.name),
                    "name events that occur",
                )
        if first is not None and first is second and not first.has_several_events:
            problems.add(
                "bad-window",
                f"'{first.name}' is one event of a match, so there is no time between two of it",
                window.span,
                "name two events, or one that is repeated",
            )
        if length is not None and first is not None and second is not None:
            bounds.append(NeighbourBound(length, first.name, second.name))
    return tuple(bounds)


def _having(
    query: ast.Query,
    outputs: Outputs,
    scopes: tuple[Scope, ...],
    schema: EventSchema,
    problems: Problems,
) -> tuple[Condition | None, tuple[AggregateColumn, ...] | None]:
    """Bind HAVING; with it return all aggregates, those that it reads too."""
    if query.having is None or outputs.aggregates is None:
        return None, outputs.aggregates
    shown = [each for each in outputs.aggregates if each.output in outputs.returned]
    hidden = [each for each in outputs.aggregates if each.output not in outputs.returned]
    named: dict[str, AggregateColumn | Value] = {each.output: each for each in shown}
    named |= {each.output: each.value for each in outputs.arithmetic}
    named |= {each.output: each.constant for each in outputs.constants}
    binder = HavingBinder(
        AggregateBinder(scopes, schema, problems, query), outputs.group_by, hidden, named
    )
    return binder.having(query.having), (*shown, *hidden)
