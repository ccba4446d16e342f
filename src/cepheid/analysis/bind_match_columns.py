"""Columns of RETURN that a match has: its events, expressions and functions of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cepheid.analysis.attribute_types import TEMPORAL, AttributeType
from cepheid.analysis.bind_conditions import ConditionBinder
from cepheid.analysis.bind_summaries import bind_summary, is_summary
from cepheid.analysis.bind_values import literal_type
from cepheid.analysis.bound import EventsColumn, MatchColumn, SummaryColumn, ValueColumn, Variable
from cepheid.analysis.check_arguments import too_large
from cepheid.analysis.column_names import default_name
from cepheid.analysis.decimal_sums import scale_of_whole, sum_without_point
from cepheid.analysis.expressions import AttributeReference, Constant, Role, references
from cepheid.analysis.match_duration import is_duration
from cepheid.analysis.match_expressions import (
    MatchExpressions,
    expression_column,
    needs_columns,
)
from cepheid.analysis.names import references_in
from cepheid.analysis.problems import Problems
from cepheid.analysis.schema import EventSchema
from cepheid.analysis.scope import Scope
from cepheid.language import ast
from cepheid.language.printer import print_expression


class MatchColumnBinder:
    """Binds what RETURN says of every match; of an aggregate, what it aggregates of them."""

    def __init__(
        self, query: ast.Query, scopes: tuple[Scope, ...], schema: EventSchema, problems: Problems
    ) -> None:
        self.query = query
        self.scopes = scopes
        self.schema = schema
        self.problems = problems

    def side_of(self, name: str) -> int:
        """Return the first side of AND that knows the name."""
        sides = range(len(self.scopes))
        return next((each for each in sides if name in self.scopes[each].variables), 0)

    def binder_for(self, name: str) -> ConditionBinder:
        """Return the binder of the side that knows the name."""
        return ConditionBinder(self.scopes[self.side_of(name)], self.schema, self.problems)

    def constant(self, node: ast.Literal) -> Constant:
        """Return a literal as a column has it; integers have 64 bits there."""
        constant = Constant(node.value, literal_type(node.value))
        large = too_large(constant)
        if large is not None:
            self.problems.add(
                "number-too-large",
                f"{large} does not fit 64 bits",
                node.span,
                "write it with a point, as a decimal",
            )
        return constant

    def matches(self) -> tuple[MatchColumn, ...]:
        """Bind RETURN of a match query."""
        columns: list[MatchColumn] = []
        for item in self.query.returns:
            if isinstance(item.expression, ast.Star):
                columns += self._every_column(item.expression)
                continue
            name = item.alias or default_name(item.expression)
            column = self.match_column(item.expression, name)
            if column is not None:
                columns.append(column)
            else:
                self.problems.expect_any(item.span)
        return tuple(columns)

    def match_column(self, node: ast.Expression, name: str) -> MatchColumn | None:
        """Bind one column; None after saying what is wrong."""
        if isinstance(node, ast.Literal):
            return ValueColumn(name, self.constant(node))
        if isinstance(node, ast.Function) and is_summary(node):
            return self._summary(node, name)
        if is_duration(node) and self.schema.time is not None:
            kind = self.schema.type_of(self.schema.time) or AttributeType.UNKNOWN
            kind = AttributeType.DURATION if kind in TEMPORAL else kind
            first = self.scopes[0].positive[0].variable
            return SummaryColumn(name, "duration", first, self.schema.time, kind)
        every = (
            node.index in (None, ast.IndexKind.ALL) if isinstance(node, ast.Attribute) else False
        )
        if isinstance(node, ast.Attribute) and every and not node.is_next:
            binder = self.binder_for(node.variable)
            variable = binder.scope.find(node, node.variable, self.problems)
            if variable is None or not self._is_positive(variable, node):
                return None
            if node.name.upper() != "LEN" or not variable.is_array:
                column = binder.column(variable, node.name, node)
                side = self.side_of(node.variable)
                return None if column is None else self._events(name, variable, column, side)
        names = [each.variable for each in references_in(node)]
        side = self.side_of(names[0] if names else "")
        if self._reads_both_sides(names, node):
            return None
        binder = ConditionBinder(self.scopes[side], self.schema, self.problems)
        exact = MatchExpressions(self.scopes[side], self.schema, self.problems).value(node)
        is_computed = exact is not None and needs_columns(binder, node, exact)
        value = exact if is_computed or exact is None else binder.column_value(node)
        if value is None:
            return None
        if isinstance(value, AttributeReference) and value.attribute in self.schema.computed:
            variable = binder.scope.variables[value.variable]
            if value.role is Role.EACH and self._is_positive(variable, node):
                return self._events(name, variable, value.attribute, side)
        for reference in references(value):
            variable = binder.scope.variables[reference.variable]
            if not self._is_positive(variable, node):
                return None
            several = len(variable.occurrences) > 1
            if reference.role is Role.EACH and variable.has_several_events:
                name = reference.variable
                self.problems.add(
                    "array-as-value",
                    f"'{name}' is several events where one value is needed",
                    node.span,
                    "give each occurrence a variable and use that"
                    if several
                    else f"write {name}[1], {name}[{name}.LEN] or an aggregate",
                )
                return None
            if reference.role in (Role.CURRENT, Role.PREVIOUS, Role.BEFORE, Role.RIGHT):
                self.problems.add(
                    "bad-index",
                    "[i], [i-1] and NEXT have no single value in RETURN",
                    node.span,
                    "use [1], [a.LEN] or an aggregate of []",
                )
                return None
        if is_computed:
            return expression_column(name, node, value, side, binder)
        whole = sum_without_point(value, node)
        if whole is not None and whole.attribute is not None:
            return ValueColumn(name, whole, side, scale_of_whole(whole.attribute, self.schema))
        return ValueColumn(name, value, side)

    def _reads_both_sides(self, names: Sequence[str], node: ast.Expression) -> bool:
        known = [each for each in names if any(each in scope.variables for scope in self.scopes)]
        if len({self.side_of(each) for each in known}) < 2:
            return False
        self.problems.add(
            "predicate-across-and",
            f"'{print_expression(node)}' reads events of both sides of AND",
            node.span,
            "a column reads one side; return the attributes, and compute with the result",
        )
        return True

    def _summary(self, node: ast.Function, name: str) -> SummaryColumn | None:
        names = [each.variable for each in references_in(node)]
        side = self.side_of(names[0] if names else "")
        binder = ConditionBinder(self.scopes[side], self.schema, self.problems)
        column = bind_summary(node, name, side, binder)
        is_good = column is not None and self._is_positive(
            binder.scope.variables[column.variable], node
        )
        return column if is_good else None

    def _is_positive(self, variable: Variable, node: ast.Expression) -> bool:
        if variable.negated_part is None:
            return True
        self.problems.add(
            "negated-in-return",
            f"'{variable.name}' is negated, so a match has no such event",
            node.span,
            "return attributes of the events that occur",
        )
        return False

    def _events(self, name: str, variable: Variable, column: str, side: int) -> EventsColumn:
        kind = self.schema.type_of(column) or AttributeType.UNKNOWN
        return EventsColumn(name, variable.name, column, kind, variable.has_several_events, side)

    def _every_column(self, node: ast.Star) -> list[MatchColumn]:
        """Return the columns of `*`, or of `a.*`."""
        if node.variable is None:
            return list(self.default_matches())
        side = self.side_of(node.variable)
        variable = self.scopes[side].find(node, node.variable, self.problems)
        if variable is None or not self._is_positive(variable, node):
            return []
        return list(self._attributes(variable, side))

    def default_matches(self) -> tuple[MatchColumn, ...]:
        """Return the columns of a query without RETURN."""
        return tuple(
            column
            for side, scope in enumerate(self.scopes)
            for occurrence in scope.positive
            for column in self._attributes(scope.variables[occurrence.variable], side)
        )

    def _attributes(self, variable: Variable, side: int) -> Iterator[MatchColumn]:
        for attribute in self.schema.attributes:
            if self.scopes[side].has_attribute(variable, attribute, self.schema):
                yield self._events(f"{variable.name}_{attribute}", variable, attribute, side)
