"""Arithmetic over aggregates in RETURN: `SUM(a.x) / COUNT(*)`."""

from __future__ import annotations

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bind_aggregates import AggregateBinder
from cepheid.analysis.bind_values import literal_type
from cepheid.analysis.bound import AggregateColumn, GroupColumn
from cepheid.analysis.expressions import (
    AttributeReference,
    Constant,
    Minus,
    Operation,
    Role,
    Value,
)
from cepheid.analysis.problems import Problems
from cepheid.language import ast
from cepheid.language.printer import print_expression

HIDDEN = "aggregate of RETURN"  # with a blank, so that no column of RETURN is called so
FLOAT = AttributeType.FLOAT


def is_arithmetic(node: ast.Expression) -> bool:
    """Whether an expression computes with numbers."""
    return isinstance(node, ast.Arithmetic | ast.Negative)


class AggregateArithmetic:
    """Binds arithmetic; the aggregates in it are hidden columns of the result, collected here."""

    def __init__(
        self, binder: AggregateBinder, groups: tuple[GroupColumn, ...], problems: Problems
    ) -> None:
        self.binder = binder
        self.groups = groups
        self.problems = problems
        self.hidden: list[AggregateColumn] = []

    def value(self, node: ast.Expression) -> Value | None:
        """Bind a number; all of them are DOUBLE."""
        match node:
            case ast.Literal(value=int() | float() as number) if not isinstance(number, bool):
                return Constant(number, literal_type(number))
            case ast.Negative():
                operand = self.value(node.operand)
                return None if operand is None else Minus(operand, FLOAT)
            case ast.Arithmetic():
                left, right = self.value(node.left), self.value(node.right)
                if left is None or right is None:
                    return None
                return Operation(node.operator, left, right, FLOAT)
            case ast.Call():
                return self._aggregate(node)
            case ast.Name(text=name) | ast.Attribute(name=name, index=None, is_next=False):
                for group in self.groups:
                    if name == group.attribute:
                        return self._number(group.output, group.type, node)
            case ast.Parameter():
                return None  # reported when parameters were filled in
        self.problems.add(
            "aggregate-arithmetic",
            f"'{print_expression(node)}' is no part of arithmetic over aggregates",
            node.span,
            "it knows aggregates, numbers and group attributes; return others by themselves and "
            "compute with the result",
        )
        return None

    def _aggregate(self, node: ast.Call) -> Value | None:
        aggregate = self.binder.aggregate(node)
        if aggregate is None:
            return None
        is_extreme = aggregate.function in ("MIN", "MAX")
        kind = aggregate.attribute_type if is_extreme else FLOAT
        column = AggregateColumn(f"{HIDDEN} {len(self.hidden)}", aggregate)
        same = [each for each in self.hidden if each.aggregate == aggregate]
        if not same:
            self.hidden.append(column)
        return self._number((*same, column)[0].output, kind, node)

    def _number(self, name: str, kind: AttributeType, node: ast.Expression) -> Value | None:
        if kind.is_numeric:
            return AttributeReference("", Role.EACH, name, FLOAT)
        self.problems.add(
            "type-mismatch",
            f"arithmetic needs numbers, but '{print_expression(node)}' is {kind.phrase}",
            node.span,
            "return it by itself, and compute with the result",
        )
        return None
