"""Expressions over aggregates, in RETURN and in HAVING: `round(SUM(a.x) / COUNT(*)) > 3`."""

from __future__ import annotations

from collections.abc import Mapping

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bind_aggregates import AggregateBinder, is_in_ticks, type_of_aggregate
from cepheid.analysis.bind_conditions import ConditionBinder
from cepheid.analysis.bound import AggregateColumn, GroupColumn, TrendAggregate
from cepheid.analysis.expressions import AttributeReference, Condition, Role, Value, references
from cepheid.errors import suggest
from cepheid.language import ast
from cepheid.language.printer import print_expression

HIDDEN = "aggregate"  # and a number, with a blank, so that no column of RETURN is called so
OTHER = AttributeType.OTHER


class AggregateArithmetic(ConditionBinder):
    """Binds expressions; the aggregates in them are hidden columns of the result, collected here.

    They are computed as in WHERE: whole numbers and decimals exactly.
    """

    depth = 1  # nothing in it is a column of the events

    def __init__(self, binder: AggregateBinder, groups: tuple[GroupColumn, ...]) -> None:
        super().__init__(binder.scopes[0], binder.schema, binder.problems)
        self.binder = binder
        self.groups = groups
        self.hidden: list[AggregateColumn] = []

    def computed_column(self, node: ast.Expression) -> Value | None:
        """Bind a column of RETURN."""
        value = self.value(node)
        if value is None or value.type is not OTHER:
            return value
        self.problems.add(
            "type-mismatch",
            f"'{print_expression(node)}' is {value.type.phrase}",
            node.span,
            "return it by itself",
        )
        return None

    def value(self, node: ast.Expression) -> Value | None:
        """Bind a value; an aggregate or a group attribute in it is a column of the result."""
        match node:
            case ast.Call():
                return self._aggregate(node)
            case ast.Name(text=name) | ast.Attribute(name=name, index=None, is_next=False):
                found = self.column_called(name, node)
                if found is None:
                    self.report_no_column(node, name)
                return found
            case ast.Attribute() | ast.Indexed():
                self.report_no_column(node, print_expression(node))
                return None
        return super().value(node)

    def column_called(self, name: str, node: ast.Expression) -> Value | None:
        """Return what a name stands for."""
        for group in self.groups:
            if name == group.attribute:
                return _column(group.output, group.type)
        return None

    def report_no_column(self, node: ast.Expression, name: str) -> None:
        """Report what is neither an aggregate nor a group attribute."""
        self.problems.add(
            "aggregate-arithmetic",
            f"'{print_expression(node)}' is no part of an expression over aggregates",
            node.span,
            "it knows aggregates, literals and group attributes; return others by themselves and "
            "compute with the result",
        )

    def _aggregate(self, node: ast.Call) -> Value | None:
        aggregate = self.binder.aggregate(node)
        return None if aggregate is None else self.hidden_column(aggregate)

    def hidden_column(self, aggregate: TrendAggregate) -> Value:
        """Return the column that has an aggregate, so that EXACT can be a number."""
        column = AggregateColumn(f"{HIDDEN} {len(self.hidden)}", aggregate)
        same = [each for each in self.hidden if each.aggregate == aggregate]
        if not same:
            self.hidden.append(column)
        return _column((*same, column)[0].output, type_of_aggregate(aggregate))

    def has_ticks(self, value: Value) -> bool:
        """Whether a number is made of times, in the units of their column."""
        read = self._read(value)
        return bool(read) and all(is_in_ticks(each, self.schema) for each in read)

    def is_unsigned(self, value: Value) -> bool:
        """Whether it is the least or largest of whole numbers without a sign."""
        if not isinstance(value, AttributeReference) or value.type is not AttributeType.DECIMAL:
            return False
        known = {each.output: str(each.aggregate.attribute) for each in self.hidden}
        return known.get(value.attribute, "") in self.schema.unsigned

    def _read(self, value: Value) -> list[TrendAggregate | None]:
        """Return the aggregates that an expression reads; None stands for a group attribute."""
        known = {each.output: each.aggregate for each in self.hidden}
        return [known.get(str(each.attribute)) for each in references(value)]


class HavingBinder(AggregateArithmetic):
    """Binds HAVING, which knows the columns of RETURN by their names, too."""

    def __init__(
        self,
        binder: AggregateBinder,
        groups: tuple[GroupColumn, ...],
        hidden: list[AggregateColumn],
        named: Mapping[str, AggregateColumn | Value],
    ) -> None:
        super().__init__(binder, groups)
        self.hidden = hidden
        self.named = named

    def having(self, node: ast.Expression) -> Condition | None:
        """Bind HAVING."""
        condition = self.condition(node, positive=True)
        if condition is None:
            self.problems.expect_any(node.span)
        return condition

    def column_called(self, name: str, node: ast.Expression) -> Value | None:
        """Return what a name stands for; a column of RETURN goes before an attribute."""
        if isinstance(node, ast.Name):
            found = self.named.get(name)
            if isinstance(found, AggregateColumn):
                return self.hidden_column(found.aggregate)
            if found is not None:
                return found
            for group in self.groups:
                if name == group.output:
                    return _column(group.output, group.type)
        return super().column_called(name, node)

    def report_no_column(self, node: ast.Expression, name: str) -> None:
        """Report a name that is no column."""
        written = name if isinstance(node, ast.Name) else print_expression(node)
        known = [*self.named, *(each.output for each in self.groups)]
        self.problems.add(
            "unknown-column",
            f"'{written}' is not a column of the result",
            node.span,
            suggest(written, known, owner="the result"),
        )


def _column(name: str, kind: AttributeType) -> Value:
    return AttributeReference("", Role.EACH, name, kind)
