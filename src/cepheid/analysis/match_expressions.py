"""Expressions of RETURN that are computed of the finished columns of a match: `a.s || b.s`."""

from __future__ import annotations

from dataclasses import replace

from cepheid.analysis.attribute_types import TEMPORAL, AttributeType
from cepheid.analysis.bind_columns import CHOICES
from cepheid.analysis.bind_conditions import ConditionBinder
from cepheid.analysis.bind_values import NESTED
from cepheid.analysis.bound import EventsColumn, ExpressionColumn, ValueColumn, Variable
from cepheid.analysis.decimal_sums import scale_of_whole
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    Apply,
    AttributeReference,
    BlockAggregate,
    Compare,
    Condition,
    Minus,
    Operation,
    Reference,
    Role,
    Value,
    references,
)
from cepheid.analysis.problems import Problems
from cepheid.analysis.rename_variables import change_value
from cepheid.language import ast
from cepheid.language.printer import print_expression

DECIMAL, INTEGER = AttributeType.DECIMAL, AttributeType.INTEGER


class MatchExpressions(ConditionBinder):
    """Binds expressions as those of one event: every function, and decimals with all digits."""

    depth = 1  # nothing in it is a column of the events

    def computed_type(self, kind: AttributeType, *operands: Value) -> AttributeType:
        """Return the type of arithmetic, which is exact here."""
        return kind

    def aggregate_of(
        self, node: ast.Call, variable: Variable, argument: ast.Attribute | ast.Indexed
    ) -> Value | None:
        """Bind an aggregate of a block; a sum of decimals is one."""
        return _exact_sum(super().aggregate_of(node, variable, argument))

    def aggregate_of_values(self, node: ast.Call, hint: str) -> Value | None:
        """Bind an aggregate of what an expression says of every event."""
        return _exact_sum(super().aggregate_of_values(node, hint))


def _exact_sum(value: Value | None) -> Value | None:
    match value:
        case Operation(left=BlockAggregate(function="SUM") as whole):
            return replace(whole, type=DECIMAL)
    return value


def needs_columns(binder: ConditionBinder, node: ast.Expression, exact: Value) -> bool:
    """Whether kernels do not know an expression of several events, or would round decimals."""
    if len({(each.variable, each.role) for each in references(exact)}) < 2 and not any(
        isinstance(each, BlockAggregate) for each in references(exact)
    ):
        return False
    problems = Problems(binder.problems.source)
    schema = replace(binder.schema, computed=dict(binder.schema.computed))
    found = ConditionBinder(binder.scope, schema, problems).column_value(node)
    if found is None or _takes_as_is(found):
        return True
    return exact.type is DECIMAL and found.type is not DECIMAL


def _takes_as_is(value: Value | Condition) -> bool:
    """Whether it has a time or a decimal of one of several events, or a function of texts."""
    match value:
        case Apply():
            is_chosen = value.function in CHOICES and value.type in (DECIMAL, *TEMPORAL)
            is_chosen |= value.function == "condition"
            return is_chosen or any(map(_takes_as_is, value.arguments))
        case Minus():
            return _takes_as_is(value.operand)
        case Operation() | Compare():
            return _takes_as_is(value.left) or _takes_as_is(value.right)
        case AllOf() | AnyOf():
            return any(map(_takes_as_is, value.operands))
        case _:
            return False


def expression_column(
    name: str, node: ast.Expression, value: Value, side: int, binder: ConditionBinder
) -> ExpressionColumn:
    """Return a column that is computed of those that it reads."""
    parts: dict[Reference, EventsColumn | ValueColumn] = {}

    def read(leaf: Reference) -> Value:
        if leaf not in parts:
            parts[leaf] = _part(f"{name} part {len(parts)}", leaf, side, binder)
        return AttributeReference("", Role.EACH, parts[leaf].output, leaf.type)

    changed = change_value(value, read)
    return ExpressionColumn(name, changed, tuple(parts.values()), print_expression(node), side)


def _part(
    name: str, leaf: Reference, side: int, binder: ConditionBinder
) -> EventsColumn | ValueColumn:
    if isinstance(leaf, AttributeReference) and leaf.role is Role.EACH:
        return EventsColumn(name, leaf.variable, leaf.attribute, leaf.type, False, side)
    if isinstance(leaf, BlockAggregate) and leaf.function == "SUM" and leaf.type is DECIMAL:
        scale = scale_of_whole(str(leaf.attribute), binder.schema)
        return ValueColumn(name, replace(leaf, type=INTEGER), side, scale)
    if leaf.type in (*NESTED, AttributeType.BINARY):  # what functions ask for, and kernels do not
        leaf = replace(leaf, type=AttributeType.OTHER)
    return ValueColumn(name, leaf, side)
