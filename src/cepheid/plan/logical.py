"""The logical plan: SASE's operators in the order in which they mean something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from cepheid.analysis.automaton import Automaton, NegatedPart
from cepheid.analysis.bound import (
    AggregateColumn,
    BoundQuery,
    BoundWindow,
    Clause,
    GroupColumn,
    MatchColumn,
    NeighbourBound,
    PredicateClass,
    Strategy,
)
from cepheid.language import ast


@dataclass(frozen=True, slots=True)
class Scan:
    """Read the events of the types that the pattern names."""

    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Filter:
    """Keep an event for a variable only if its local predicates hold."""

    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Partition:
    """Split the events by attributes; a match lies in one partition."""

    attributes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """Follow the position automaton under a strategy."""

    automata: tuple[Automaton, ...]
    strategy: Strategy


@dataclass(frozen=True, slots=True)
class Select:
    """Test predicates over several events."""

    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """Bound a match in time, in events, or between neighbours."""

    window: BoundWindow | None
    neighbour_bounds: tuple[NeighbourBound, ...]


@dataclass(frozen=True, slots=True)
class Negate:
    """Discard matches with a negated part in a gap."""

    parts: tuple[NegatedPart, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Pair trends of the two sides of AND."""


@dataclass(frozen=True, slots=True)
class Transform:
    """Make the composite event of a match."""

    columns: tuple[MatchColumn, ...]
    output: ast.OutputMode
    into: str | None


@dataclass(frozen=True, slots=True)
class AggregateTrends:
    """Aggregate over all trends of a group and window."""

    aggregates: tuple[AggregateColumn, ...]
    group_by: tuple[GroupColumn, ...]
    has_having: bool
    into: str | None


Operator: TypeAlias = (
    Scan
    | Filter
    | Partition
    | Match
    | Select
    | Window
    | Negate
    | Pair
    | Transform
    | AggregateTrends
)


@dataclass(frozen=True, slots=True)
class LogicalPlan:
    """Operators from the events to the result."""

    operators: tuple[Operator, ...]


def make_logical_plan(query: BoundQuery) -> LogicalPlan:
    """Return the operators a query needs, without any choice of method."""
    clauses = [clause for pattern in query.patterns for clause in pattern.clauses]
    local = tuple(each for each in clauses if each.predicate_class is PredicateClass.LOCAL)
    across = tuple(each for each in clauses if each.predicate_class is not PredicateClass.LOCAL)
    parts = tuple(part for each in query.patterns for part in each.automaton.negated_parts)
    operators: list[Operator] = [Scan(scanned_types(query))]
    if local:
        operators.append(Filter(local))
    if query.partition_by:
        operators.append(Partition(query.partition_by))
    operators.append(Match(tuple(each.automaton for each in query.patterns), query.strategy))
    if across:
        operators.append(Select(across))
    if query.window is not None or query.neighbour_bounds:
        operators.append(Window(query.window, query.neighbour_bounds))
    if parts:
        operators.append(Negate(parts))
    if len(query.patterns) > 1:
        operators.append(Pair())
    if query.aggregates is not None:
        having = query.having is not None
        operators.append(AggregateTrends(query.aggregates, query.group_by, having, query.into))
    else:
        operators.append(Transform(query.matches or (), query.output, query.into))
    return LogicalPlan(tuple(operators))


def scanned_types(query: BoundQuery) -> tuple[str, ...]:
    """Return every type that the pattern names, negated ones included, in pattern order."""
    names: dict[str, None] = {}
    waiting = [pattern.automaton for pattern in query.patterns]
    while waiting:
        automaton = waiting.pop(0)
        names |= dict.fromkeys(each or "ANY" for one in automaton.positions for each in one.types)
        waiting += [part.automaton for part in automaton.negated_parts]
    return tuple(names)
