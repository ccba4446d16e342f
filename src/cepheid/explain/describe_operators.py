"""The operators of the logical plan in words."""

from __future__ import annotations

from typing import assert_never

from cepheid.analysis.bound import (
    AggregateColumn,
    BoundQuery,
    EventsColumn,
    ExpressionColumn,
    MatchColumn,
    SummaryColumn,
    TrendAggregate,
)
from cepheid.analysis.column_names import default_name
from cepheid.analysis.describe import describe
from cepheid.explain.document import Operator, Output
from cepheid.language import ast
from cepheid.language.printer import print_expression
from cepheid.plan import logical
from cepheid.plan.physical import AggregateMethod, PhysicalPlan, WindowMethod


def describe_operators(plan: PhysicalPlan) -> tuple[Operator, ...]:
    """Return name and details of every operator, from the events to the result.

    The details end with where the operator is evaluated, where that is not plain.
    """
    return tuple(
        Operator(type(each).__name__, (*_details(each, plan.query), *_evaluated(each, plan)))
        for each in plan.logical.operators
    )


def _evaluated(operator: logical.Operator, plan: PhysicalPlan) -> list[str]:
    match operator:
        case logical.Filter():
            return ["before the fold: positions that an event fits are bits of its mask"]
        case logical.Partition():
            return ["before the fold: events are sorted by partition"]
        case logical.Select():
            return [_of_runs(plan)]
        case logical.Window() if plan.window.value is not WindowMethod.NONE:
            return [_of_windows(plan)]
        case logical.Negate():
            return [_of_negation(plan)]
        case _:
            return []


def _of_runs(plan: PhysicalPlan) -> str:
    if plan.method.value is AggregateMethod.LAST_EVENTS:
        return "in the fold, on edges: each looks up the last events that it extends"
    if plan.method.value is AggregateMethod.SIDES:
        return "in the folds of the sides"
    return "in the fold: runs with another future are nodes of their own"


def _of_windows(plan: PhysicalPlan) -> str:
    walked = (WindowMethod.START_TIMES, WindowMethod.MATCHES_PLACED)
    where = "after the fold, in the walk" if plan.window.value in walked else "in the fold"
    return f"{where}: {plan.window.value.value}"


def _of_negation(plan: PhysicalPlan) -> str:
    if plan.method.value in (AggregateMethod.NONE, AggregateMethod.ENUMERATION):
        return "after the fold: matches with such events in a gap are dropped as they are walked"
    return "in the fold: such events end the runs that wait in a gap"


def describe_outputs(query: BoundQuery) -> tuple[Output, ...]:
    """Return the columns of the result in the order of RETURN."""
    if query.matches is not None:
        known = tuple(map(_match_output, query.matches))
        return (*_every_attribute(query), *known) if query.schema.is_open else known
    groups = {each.output: each.attribute for each in query.group_by}
    aggregates = {
        each.output: describe_aggregate(each.aggregate) for each in query.aggregates or ()
    }
    constants = {each.output: describe(each.constant) for each in query.constants}
    named = groups | aggregates | constants | _arithmetic(query)
    return tuple(Output(name, named[name]) for name in query.returned)


def _arithmetic(query: BoundQuery) -> dict[str, str]:
    """Return arithmetic over aggregates as it is written."""
    names = [each.output for each in query.arithmetic]
    written = {each.alias or default_name(each.expression): each for each in query.tree.returns}
    return {name: print_expression(written[name].expression) for name in names}


def describe_aggregate(aggregate: TrendAggregate) -> str:
    """Return an aggregate in the language's spelling.

    >>> describe_aggregate(TrendAggregate("SUM", "T", "duration"))
    'SUM(T.duration)'
    """
    if aggregate.of_match is not None:
        return f"{aggregate.function}({aggregate.variable})"
    parts = [each for each in (aggregate.variable, aggregate.attribute) if each is not None]
    argument = ".".join(parts) or "*"
    if aggregate.other is not None:
        sign = "+" if aggregate.sign > 0 else "-"
        argument += f" {sign} {aggregate.other}.{aggregate.other_attribute}"
    text = f"{aggregate.function}({argument})"
    if aggregate.exact:
        text = f"EXACT {text}"
    return f"LOG2({text})" if aggregate.log2 else text


def describe_window(query: BoundQuery) -> str | None:
    """Return every bound in time or events, or None without any."""
    texts = [query.window.text] if query.window is not None else []
    texts += [_neighbour_window(each) for each in query.tree.neighbour_windows]
    return ", ".join(texts) or None


def _neighbour_window(window: ast.NeighbourWindow) -> str:
    amount = window.within.amount
    number = f":{amount.name}" if isinstance(amount, ast.Parameter) else str(amount)
    unit = "" if window.within.unit is None else f" {window.within.unit}"
    return f"WITHIN {number}{unit} BETWEEN {window.first}, {window.second}"


def _details(operator: logical.Operator, query: BoundQuery) -> list[str]:
    match operator:
        case logical.Scan():
            return [", ".join(operator.types)]
        case logical.Filter() | logical.Select():
            return [f"{each.text}  ({each.predicate_class.value})" for each in operator.clauses]
        case logical.Partition():
            return [", ".join(operator.attributes)]
        case logical.Match():
            return [operator.strategy.value, *_sizes(operator)]
        case logical.Window():
            return [describe_window(query) or ""]
        case logical.Negate():
            return [f"¬ {part.text}" for part in operator.parts]
        case logical.Pair():
            return _pair_details(query)
        case logical.Transform():
            return _transform_details(operator, query)
        case logical.AggregateTrends():
            return _aggregate_details(operator, query)
    assert_never(operator)


def _sizes(operator: logical.Match) -> list[str]:
    return [
        f"{len(each.positions)} {'state' if len(each.positions) == 1 else 'states'}, "
        f"{len(each.edges)} {'edge' if len(each.edges) == 1 else 'edges'}"
        for each in operator.automata
    ]


def _pair_details(query: BoundQuery) -> list[str]:
    same = [*query.partition_by, *(["window"] if query.window is not None else [])]
    place = [f"in the same {' and '.join(same)}"] if same else []
    return ["two different sequences of events, one of each side of AND", *place]


def _transform_details(operator: logical.Transform, query: BoundQuery) -> list[str]:
    columns = [_equation(each) for each in describe_outputs(query)]
    mode = [] if operator.output is ast.OutputMode.ALL else [f"OUTPUT {operator.output.value}"]
    return columns + mode + _into(operator.into)


def _aggregate_details(operator: logical.AggregateTrends, query: BoundQuery) -> list[str]:
    shown = [each for each in operator.aggregates if each.output in query.returned]
    lines = [_equation(_aggregate_output(each)) for each in shown]
    lines += [_equation(Output(*each)) for each in _arithmetic(query).items()]
    if operator.group_by:
        groups = [_equation(Output(each.output, each.attribute)) for each in operator.group_by]
        lines.append(f"for each {', '.join(groups)}")
    if operator.has_having and query.tree.having is not None:
        lines.append(f"HAVING {print_expression(query.tree.having)}")
    return lines + _into(operator.into)


def _into(name: str | None) -> list[str]:
    return [] if name is None else [f"INTO {name}"]


def _equation(output: Output) -> str:
    if output.name == output.expression:
        return output.name
    return f"{output.name} = {output.expression}"


def _aggregate_output(column: AggregateColumn) -> Output:
    return Output(column.output, describe_aggregate(column.aggregate))


def _match_output(column: MatchColumn) -> Output:
    if isinstance(column, EventsColumn):
        index = "[]" if column.is_array else ""
        return Output(column.output, f"{column.variable}{index}.{column.attribute}")
    if isinstance(column, SummaryColumn) and column.function == "duration":
        return Output(column.output, "duration(match)")
    if isinstance(column, SummaryColumn):
        option = "" if column.option is None else f", {column.option!r}"
        read = f"{column.variable}[].{column.attribute}"
        return Output(column.output, f"{column.function}({read}{option})")
    if isinstance(column, ExpressionColumn):
        return Output(column.output, column.written)
    return Output(column.output, describe(column.value))


def _every_attribute(query: BoundQuery) -> tuple[Output, ...]:
    """Without a schema the columns of `*`, or without RETURN, are known only with the events."""
    returned = [each.expression for each in query.tree.returns]
    stars = [each.variable for each in returned if isinstance(each, ast.Star)]
    names = dict.fromkeys(name for each in query.patterns for name in each.positive_variables)
    if returned and None not in stars:
        names = dict.fromkeys(each for each in stars if each is not None)
    return tuple(Output(f"{name}_…", f"every attribute of {name}") for name in names)
