"""RETURN and GROUP BY: what a query gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cepheid.analysis.aggregate_arithmetic import AggregateArithmetic
from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bind_aggregates import AggregateBinder, is_trend_aggregate
from cepheid.analysis.bind_match_columns import MatchColumnBinder
from cepheid.analysis.bind_summaries import is_summary, report_trends
from cepheid.analysis.bound import (
    AggregateColumn,
    ArithmeticColumn,
    ConstantColumn,
    GroupColumn,
    MatchColumn,
)
from cepheid.analysis.column_names import NAMELESS, default_name
from cepheid.analysis.expressions import Constant
from cepheid.analysis.names import leaves_of, references_in
from cepheid.analysis.problems import Problems
from cepheid.analysis.schema import EventSchema
from cepheid.analysis.scope import Scope
from cepheid.language import ast
from cepheid.language.printer import print_expression

LITERALS = (ast.Literal, ast.TypedLiteral, ast.Interval)


@dataclass(frozen=True, slots=True)
class Outputs:
    """Either `matches` or `aggregates` is set; `returned` orders the columns of RETURN.

    `constants` and `arithmetic` are those of an aggregate query; `aggregates` has what the latter
    reads, too.
    """

    group_by: tuple[GroupColumn, ...]
    matches: tuple[MatchColumn, ...] | None
    aggregates: tuple[AggregateColumn, ...] | None
    returned: tuple[str, ...]
    constants: tuple[ConstantColumn, ...] = ()
    arithmetic: tuple[ArithmeticColumn, ...] = ()


def bind_outputs(
    query: ast.Query, scopes: tuple[Scope, ...], schema: EventSchema, problems: Problems
) -> Outputs:
    """Bind GROUP BY and RETURN; an aggregate of trends anywhere makes an aggregate query."""
    binder = _OutputBinder(query, scopes, schema, problems)
    group_by = binder.group_by()
    is_aggregate = query.having is not None or any(
        is_trend_aggregate(each.expression, scopes[0]) for each in query.returns
    )
    if is_aggregate or query.group_by:
        return binder.aggregates(group_by)
    matches = binder.matches() if query.returns else binder.default_matches()
    if query.returns or not problems.has("duplicate-variable"):
        times = [] if query.returns else ["first_time", "last_time"]
        binder.reject_repeated([*(each.output for each in matches), *times], query.returns)
    return Outputs(group_by, matches, None, tuple(each.output for each in matches))


class _OutputBinder(MatchColumnBinder):
    # --- groups ---------------------------------------------------------------------------------

    def group_by(self) -> tuple[GroupColumn, ...]:
        columns = []
        for node in self.query.group_by:
            if isinstance(node, ast.Attribute):
                binder = self.binder_for(node.variable)
                variable = binder.scope.find(node, node.variable, self.problems)
                column = None if variable is None else binder.column(variable, node.name, node)
            elif isinstance(node, ast.Name):
                column = node.text  # checked with the partition attributes
            else:
                column = self._group_column(node)
            if column is not None:
                kind = self.schema.type_of(column) or AttributeType.UNKNOWN
                columns.append(GroupColumn(column, self._group_name(node, column), kind))
        self.reject_repeated([each.output for each in columns], self.query.group_by)
        return tuple(columns)

    def _group_column(self, node: ast.Expression) -> str | None:
        """Return the column of the events that an expression in GROUP BY is."""
        names = [each.variable for each in references_in(node)]
        if len(set(names)) > 1:
            self.problems.add(
                "function-across-events",
                f"'{print_expression(node)}' in GROUP BY reads events of {' and '.join(names)}",
                node.span,
                "a group has all events of a match, so it is by an expression that every event "
                "has; to group matches, return it for every match, and aggregate the result",
            )
            return None
        binder = self.binder_for(names[0] if names else "")
        value = binder.group_value(node)
        if value is None:
            self.problems.expect_any(node.span)
            return None
        return value.attribute

    def _group_name(self, node: ast.Expression, column: str) -> str:
        """RETURN names the column if it lists the attribute, else GROUP BY does."""
        for item in self.query.returns:
            if _attribute_of(item.expression) == column or item.expression == node:
                return item.alias or default_name(item.expression)
        return default_name(node)

    # --- aggregate queries ----------------------------------------------------------------------

    def aggregates(self, group_by: tuple[GroupColumn, ...]) -> Outputs:
        aggregates: list[AggregateColumn] = []
        constants: list[ConstantColumn] = []
        computed: list[ArithmeticColumn] = []
        returned: list[str] = []
        binder = AggregateBinder(self.scopes, self.schema, self.problems, self.query)
        arithmetic = AggregateArithmetic(binder, group_by)
        for item in self.query.returns:
            name = item.alias or default_name(item.expression)
            group = self._group_of(item.expression, group_by)
            if group is None and item.expression in self.query.group_by:
                at = self.query.group_by.index(item.expression)
                group = group_by[at] if at < len(group_by) else None
            if group is not None:
                returned.append(group.output)
                continue
            if isinstance(item.expression, LITERALS):
                constant = self._literal(item.expression)
                if constant is None:
                    self.problems.expect_any(item.span)
                    continue
                constants.append(ConstantColumn(name, constant))
                returned.append(name)
                continue
            if isinstance(item.expression, ast.Function) and is_summary(item.expression):
                report_trends(item.expression, self.problems)
                continue
            is_aggregate = is_trend_aggregate(item.expression, self.scopes[0])
            if not is_aggregate and not _reads_groups(item.expression, group_by):
                self.problems.add(
                    "not-a-group-attribute",
                    f"'{print_expression(item.expression)}' is neither an aggregate nor in "
                    "GROUP BY",
                    item.span,
                    "add it to GROUP BY, or aggregate it",
                )
                continue
            if not isinstance(item.expression, ast.Call):
                value = arithmetic.computed_column(item.expression)
                if value is None:
                    self.problems.expect_any(item.span)
                    continue
                computed.append(ArithmeticColumn(name, value))
                returned.append(name)
                continue
            aggregate = binder.aggregate(item.expression)
            if aggregate is not None:
                aggregates.append(AggregateColumn(name, aggregate))
                returned.append(name)
            else:
                self.problems.expect_any(item.span)
        if not aggregates and not arithmetic.hidden and not self.problems.diagnostics:
            self.problems.add(
                "no-aggregate",
                "GROUP BY and HAVING need an aggregate in RETURN",
                (*self.query.group_by, self.query.having or self.query)[0].span,
                "add RETURN COUNT(*)",
            )
        self.reject_repeated(returned, self.query.returns)
        self._reject_names_of_groups(group_by)
        columns: list[AggregateColumn | ConstantColumn | ArithmeticColumn]
        columns = [*aggregates, *constants, *computed]
        self._reject_names_of_the_window(group_by, [each.output for each in columns])
        return Outputs(
            group_by,
            None,
            (*aggregates, *arithmetic.hidden),
            tuple(returned),
            constants=tuple(constants),
            arithmetic=tuple(computed),
        )

    def _literal(self, node: ast.Expression) -> Constant | None:
        """Return a literal, which may be a time, a decimal or a length of time."""
        if isinstance(node, ast.Literal):
            return self.constant(node)
        value = self.binder_for("").value(node)
        return value if isinstance(value, Constant) else None

    def _reject_names_of_groups(self, group_by: tuple[GroupColumn, ...]) -> None:
        """The group is a column of the result also where RETURN does not list it."""
        listed = {_attribute_of(item.expression) for item in self.query.returns}
        computed = [item.expression for item in self.query.returns]
        for group, node in zip(group_by, self.query.group_by, strict=False):
            is_listed = group.attribute in listed or node in computed
            for item in () if is_listed else self.query.returns:
                name = item.alias or default_name(item.expression)
                if name == group.output:
                    self.problems.add(
                        "duplicate-column",
                        f"two columns of the result are called '{name}'",
                        item.span,
                        f"'{name}' comes with GROUP BY; rename this one with AS",
                    )

    def _reject_names_of_the_window(
        self, group_by: tuple[GroupColumn, ...], others: list[str]
    ) -> None:
        """Windows and moments have columns of their own; a group by such a column is that one."""
        window = self.query.window
        if window is None:
            return
        own: list[tuple[str, str | None]] = [("window_start", None), ("window_end", None)]
        if window.slide is None:
            own = [("time", self.schema.time), *((each, each) for each in self.schema.order)]
        if window.slide is None and "time" in self.schema.order and self.schema.time != "time":
            self.problems.add(
                "duplicate-column",
                "two columns of the result are called 'time'",
                self.query.span,
                "results have a time of their own; rename the order column 'time'",
            )
        columns = [(each.output, each.attribute) for each in group_by]
        columns += [(each, "") for each in others]
        for name, attribute in columns:
            if name in dict(own) and (name, attribute) not in own:
                self.problems.add(
                    "duplicate-column",
                    f"two columns of the result are called '{name}'",
                    self.query.span,
                    f"'{name}' comes with the window; rename the other with AS",
                )

    def _group_of(
        self, expression: ast.Expression, group_by: tuple[GroupColumn, ...]
    ) -> GroupColumn | None:
        attribute = _attribute_of(expression)
        return next((each for each in group_by if each.attribute == attribute), None)

    def reject_repeated(
        self, names: list[str], written: Sequence[ast.ReturnItem | ast.Expression]
    ) -> None:
        """Report names that occur twice; columns that nobody wrote are reported together."""
        repeated = list(dict.fromkeys(each for each in names if names.count(each) > 1))
        if repeated and len(written) != len(names):
            self.problems.add(
                "duplicate-column",
                f"two columns of the result are called '{repeated[0]}'",
                self.query.pattern.span,
                "give the events different variables, or name the columns in RETURN",
            )
            return
        for name in repeated:
            self.problems.add(
                "duplicate-column",
                f"two columns of the result are called '{name}'",
                written[names.index(name, names.index(name) + 1)].span,
                "rename one with AS"
                if name != NAMELESS
                else f"'{NAMELESS}' is what a column without a name is called: name them with AS",
            )


def _reads_groups(node: ast.Expression, groups: tuple[GroupColumn, ...]) -> bool:
    """Whether an expression is one of group attributes and literals."""
    names = {_attribute_of(each) for each in leaves_of(node) if not isinstance(each, LITERALS)}
    return names <= {each.attribute for each in groups}


def _attribute_of(expression: ast.Expression) -> str | None:
    """Return the attribute that `district` or `T.district` names."""
    match expression:
        case ast.Name():
            return expression.text
        case ast.Attribute(index=None, is_next=False):
            return expression.name
        case _:
            return None
