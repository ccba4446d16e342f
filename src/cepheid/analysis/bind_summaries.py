"""Columns of RETURN that sum up the events of a repeated variable."""

from __future__ import annotations

from cepheid.analysis.bind_values import NESTED, ValueBinder
from cepheid.analysis.bound import SummaryColumn
from cepheid.analysis.expressions import BlockAggregate
from cepheid.analysis.names import references_in
from cepheid.analysis.problems import Problems
from cepheid.analysis.summaries import SUMMARIES, WITH_OPTION, Summary
from cepheid.language import ast
from cepheid.language.printer import print_expression

LARGEST_PLACE = 10**9


def is_summary(node: ast.Expression) -> bool:
    """Whether an expression is such a function."""
    return isinstance(node, ast.Function) and node.name in SUMMARIES


def bind_summary(
    node: ast.Function, name: str, side: int, binder: ValueBinder
) -> SummaryColumn | None:
    """Return the column, or None after saying what is wrong."""
    found = summary_of(node, binder)
    if found is None:
        return None
    read, option = found
    wanted, kind = SUMMARIES[node.name].result, read.attribute_type
    result = kind if wanted is None else wanted
    return SummaryColumn(name, node.name, read.variable, str(read.attribute), result, option, side)


def summary_of(
    node: ast.Function, binder: ValueBinder
) -> tuple[BlockAggregate, str | int | None] | None:
    """Return what such a function reads and its option, or None after saying what is wrong."""
    summary, problems = SUMMARIES[node.name], binder.problems
    option = _option(node, summary, problems)
    argument = node.arguments[0] if node.arguments else None
    if isinstance(option, _Wrong):
        return None
    indexes = {each.index for each in references_in(argument)} if argument is not None else set()
    if indexes == {None}:
        report_trends(node, problems)
        return None
    if argument is not None and indexes == {ast.IndexKind.BEFORE}:
        problems.add(
            "bad-arguments",
            f"{node.name} reads all events of an array, not those before the current one",
            node.span,
            f"write {summary.signature}; count, sum, avg, min and max take a[..i-1].x, too",
        )
        return None
    if argument is None or indexes != {ast.IndexKind.ALL}:
        _report(node, summary, problems)
        return None
    counted = ast.Call("COUNT", argument, span=node.span)
    found = binder.value(counted)
    if not isinstance(found, BlockAggregate) or found.attribute is None:
        return None
    kind = found.attribute_type
    if summary.takes is not None and kind not in summary.takes:
        problems.add(
            "type-mismatch",
            f"{node.name} does not take '{print_expression(argument)}', which is {kind.phrase}",
            node.span,
            f"write {summary.signature} with {summary.takes[0].phrase}",
        )
        return None
    nested = binder.schema.nested.get(found.attribute)
    if node.name == "count_distinct" and nested is not None and nested.type in NESTED:
        problems.add(
            "type-mismatch",
            f"{node.name} does not take '{print_expression(argument)}', which is "
            f"{nested.type.phrase}",
            node.span,
            "arrays, maps and structs are not compared; count(a[].x) counts all of them",
        )
        return None
    return found, option


def report_trends(node: ast.Function, problems: Problems) -> None:
    """Say why there is no such aggregate over all matches."""
    signature = SUMMARIES[node.name].signature
    advice = "; or GROUP BY the attribute, and count the groups" * (node.name == "count_distinct")
    problems.add(
        "summary-of-trends",
        f"'{print_expression(node)}' over all matches would have to build every match and keep its "
        "values, which sums and counts need not",
        node.span,
        f"write {signature} for one match{advice}",
    )


class _Wrong:
    """What is reported already."""


def _option(node: ast.Function, summary: Summary, problems: Problems) -> str | int | _Wrong | None:
    """Return the literal that string_agg and nth have beside what they read."""
    wanted = WITH_OPTION.get(node.name)
    if len(node.arguments) != (1 if wanted is None else 2):
        _report(node, summary, problems)
        return _Wrong()
    if wanted is None:
        return None
    given = node.arguments[1]
    value = given.value if isinstance(given, ast.Literal) else None
    is_place = isinstance(value, int) and not isinstance(value, bool)
    if isinstance(value, str) and wanted is str:
        return value
    if isinstance(value, int) and is_place and wanted is int and 1 <= value <= LARGEST_PLACE:
        return value
    what = "a place, 1 for the first event" if wanted is int else "a text to put between"
    problems.add(
        "bad-arguments",
        f"{node.name} needs {what}, not '{print_expression(given)}'",
        given.span,
        f"write {summary.signature}",
    )
    return _Wrong()


def _report(node: ast.Function, summary: Summary, problems: Problems) -> None:
    problems.add(
        "bad-arguments",
        f"'{print_expression(node)}' does not name the events of one match",
        node.span,
        f"write {summary.signature}",
    )
