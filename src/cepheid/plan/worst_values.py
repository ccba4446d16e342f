"""Conditions on every event of a repetition that only the worst of them decides.

With `A+ a`, `a.x < b.x` is asked of all events of a. It holds if it does for the largest a.x, so a
run needs that value and not its events:

    a.x < b.x    is    max(a[].x) < b.x AND a.x = a.x
    a.x = b.x    is    a[i].x = a[i-1].x AND a[a.LEN].x = b.x

The comparison with itself is for NULL and NaN, with which no comparison holds, while max leaves out
NULL. As it is asked of every event that is taken, all this is right only

1. under skip-till-any, where it does no harm to pass over events of which there is no match;
2. if every match has events of all variables of the condition, since without them it holds;
3. if the repetition is one stretch of every match: `a[]` is the latest one;
4. if the types of the repetition have the attribute: where they lack it, the condition is true.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.automaton import Automaton
from cepheid.analysis.bind_values import block_aggregate
from cepheid.analysis.bound import BoundPattern, BoundQuery, Clause, Strategy, Variable
from cepheid.analysis.classify_predicates import classify_predicate
from cepheid.analysis.describe import describe
from cepheid.analysis.expressions import (
    AttributeReference,
    Compare,
    Condition,
    Minus,
    Operation,
    Role,
    Value,
    references,
)
from cepheid.analysis.schema import EventSchema
from cepheid.language import ast
from cepheid.plan.helpful_directions import LESS, NEITHER, helpful_directions
from cepheid.plan.place_tests import place_tests

ORDERED = (
    AttributeType.INTEGER,
    AttributeType.FLOAT,
    AttributeType.DECIMAL,
    AttributeType.STRING,
    AttributeType.TIMESTAMP,
    AttributeType.ZONED,
    AttributeType.DATE,
    AttributeType.UNKNOWN,  # EXPLAIN without events
)


def with_worst_values(query: BoundQuery) -> BoundQuery:
    """Replace conditions on every event of a repetition by conditions on one value of it."""
    is_plain = len(query.patterns) == 1 and query.strategy is Strategy.SKIP_TILL_ANY
    if not is_plain or query.matches is None or query.output is ast.OutputMode.PARTIAL:
        return query
    pattern = query.pattern
    if len(pattern.branches) > 1:
        return query  # what is asked of a match depends on a negated part
    found = {placed.clause for placed in place_tests(pattern) if placed.needs_path}
    clauses: dict[Condition, Clause] = {}
    for clause in pattern.clauses:
        instead = _instead(clause, pattern, query.schema) if clause in found else None
        for each in instead or [clause]:
            clauses.setdefault(each.condition, each)
    if tuple(clauses.values()) == pattern.clauses:
        return query
    return replace(query, patterns=(replace(pattern, clauses=tuple(clauses.values())),))


def _instead(clause: Clause, pattern: BoundPattern, schema: EventSchema) -> list[Clause] | None:
    """Return clauses that need no whole run and mean the same, if there are any."""
    condition = clause.condition
    variables = [pattern.variables[name] for name in clause.variables]
    if not isinstance(condition, Compare) or not all(
        _is_in_every_match(each, pattern.automaton) for each in variables
    ):
        return None
    for read in references(condition):
        if not isinstance(read, AttributeReference) or not _stands_for_all(
            read, condition, pattern, schema
        ):
            continue
        for conditions in _of_one_value(condition, read):
            found = [_clause(each, clause, pattern) for each in conditions]
            trial = replace(pattern, clauses=tuple(found))
            if not any(placed.needs_path for placed in place_tests(trial)):
                return found
    return None


def _stands_for_all(
    read: AttributeReference, condition: Compare, pattern: BoundPattern, schema: EventSchema
) -> bool:
    """Whether this alone is read of a repetition, and of every event of it."""
    variable = pattern.variables[read.variable]
    reads = [each for each in references(condition) if each.variable == read.variable]
    return (
        variable.has_several_events
        and reads == [read]
        and read.role is Role.EACH
        and read.type in ORDERED
        and _is_one_stretch(variable, pattern.automaton)
        and all(schema.has_attribute(each, read.attribute) for each in variable.types)
    )


def _of_one_value(condition: Compare, read: AttributeReference) -> Iterator[list[Condition]]:
    """Yield conditions that are true together if the condition is true of all that is read."""
    direction = helpful_directions(condition)[read]
    if direction != NEITHER:
        every = replace(read, role=Role.ALL)
        worst = block_aggregate("MAX" if direction == LESS else "MIN", every)
        yield [
            Compare(
                condition.operator,
                _with(condition.left, read, worst),
                _with(condition.right, read, worst),
            ),
            Compare("=", read, read),
        ]
    if (
        condition.operator == "="
        and condition.left.type is condition.right.type
        and read in (condition.left, condition.right)
    ):
        here, before, last = (
            replace(read, role=role) for role in (Role.CURRENT, Role.PREVIOUS, Role.LAST)
        )
        left, right = (_with(each, read, last) for each in (condition.left, condition.right))
        yield [Compare("=", here, before), Compare("=", left, right)]


def _with(value: Value, old: Value, new: Value) -> Value:
    """Return an expression with a reference replaced where its direction is known."""
    match value:
        case _ if value == old:
            return new
        case Minus():
            return replace(value, operand=_with(value.operand, old, new))
        case Operation():
            left, right = _with(value.left, old, new), _with(value.right, old, new)
            return replace(value, left=left, right=right)
    return value


def _clause(condition: Condition, like: Clause, pattern: BoundPattern) -> Clause:
    """Return a clause; that on all variables is shown as the one that it stands for."""
    names = frozenset(each.variable for each in references(condition))
    return Clause(
        condition,
        classify_predicate(condition, pattern.variables, pattern.automaton),
        names,
        like.text if names == like.variables else describe(condition),
        like.span,
    )


# --- what matches have ----------------------------------------------------------------------------


def _is_in_every_match(variable: Variable, automaton: Automaton) -> bool:
    own = set(variable.positions)
    starts = {each.position for each in automaton.first} - own
    return not any(
        each.position in _reached(starts, automaton, without=own) for each in automaton.last
    )


def _is_one_stretch(variable: Variable, automaton: Automaton) -> bool:
    """Whether no event of the variable can come after one that came after it."""
    own = set(variable.positions)
    after = {edge.target for edge in automaton.edges if edge.source in own} - own
    reached = _reached(after, automaton, without=set())
    return not reached & own


def _reached(starts: set[int], automaton: Automaton, *, without: set[int]) -> set[int]:
    reached, waiting = set[int](), sorted(starts)
    while waiting:
        position = waiting.pop()
        if position not in reached and position not in without:
            reached.add(position)
            waiting += [edge.target for edge in automaton.edges_from(position)]
    return reached
