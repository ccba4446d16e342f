"""Arithmetic, functions and conditions over aggregates in RETURN: `round(SUM(a.x) / COUNT(*))`."""

from __future__ import annotations

from dataclasses import replace

from cepheid.analysis.attribute_types import TEMPORAL, AttributeType
from cepheid.analysis.bind_aggregates import AggregateBinder, is_in_ticks, type_of_aggregate
from cepheid.analysis.bind_conditions import ConditionBinder
from cepheid.analysis.bound import AggregateColumn, GroupColumn, TrendAggregate
from cepheid.analysis.expressions import AttributeReference, Role, Value, references
from cepheid.language import ast
from cepheid.language.printer import print_expression

HIDDEN = "aggregate of RETURN"  # with a blank, so that no column of RETURN is called so
FLOAT = AttributeType.FLOAT


class AggregateArithmetic(ConditionBinder):
    """Binds expressions; the aggregates in them are hidden columns of the result, collected here.

    Numbers of the result are DOUBLE in them.
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
        if value is not None and value.type is AttributeType.DURATION and self._is_average(value):
            return replace(value, type=FLOAT)
        if value is None or value.type not in (*TEMPORAL, AttributeType.OTHER):
            return value
        self.problems.add(
            "type-mismatch",
            f"'{print_expression(node)}' is {value.type.phrase}",
            node.span,
            "an expression over aggregates is a number, a string, a truth value or a length of "
            "time; return a time by itself",
        )
        return None

    def value(self, node: ast.Expression) -> Value | None:
        """Bind a value; an aggregate or a group attribute in it is a column of the result."""
        match node:
            case ast.Call():
                return self._aggregate(node)
            case ast.Name(text=name) | ast.Attribute(name=name, index=None, is_next=False):
                for group in self.groups:
                    if name == group.attribute:
                        return _column(group.output, group.type)
            case ast.Attribute() | ast.Indexed():
                pass
            case _:
                return super().value(node)
        self.problems.add(
            "aggregate-arithmetic",
            f"'{print_expression(node)}' is no part of an expression over aggregates",
            node.span,
            "it knows aggregates, literals and group attributes; return others by themselves and "
            "compute with the result",
        )
        return None

    def _aggregate(self, node: ast.Call) -> Value | None:
        aggregate = self.binder.aggregate(node)
        if aggregate is None:
            return None
        column = AggregateColumn(f"{HIDDEN} {len(self.hidden)}", aggregate)
        same = [each for each in self.hidden if each.aggregate == aggregate]
        if not same:
            self.hidden.append(column)
        return _column((*same, column)[0].output, type_of_aggregate(aggregate))

    def has_ticks(self, value: Value) -> bool:
        """Whether a number is made of times, in the units of their column."""
        read = self._read(value)
        return bool(read) and all(is_in_ticks(each, self.schema) for each in read)

    def _is_average(self, value: Value) -> bool:
        """Whether a length of time need not be whole microseconds."""
        return any(each is not None and each.minus is not None for each in self._read(value))

    def _read(self, value: Value) -> list[TrendAggregate | None]:
        """Return the aggregates that an expression reads; None stands for a group attribute."""
        known = {each.output: each.aggregate for each in self.hidden}
        return [known.get(str(each.attribute)) for each in references(value)]


def _column(name: str, kind: AttributeType) -> Value:
    is_number = kind.is_exact or kind is FLOAT
    return AttributeReference("", Role.EACH, name, FLOAT if is_number else kind)
