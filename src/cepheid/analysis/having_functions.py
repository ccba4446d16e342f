"""Functions in HAVING: of aggregates, their aliases and group attributes."""

from __future__ import annotations

from collections.abc import Callable

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bind_conditions import ConditionBinder
from cepheid.analysis.bound import HavingFunction, HavingValue
from cepheid.analysis.expressions import AttributeReference, Role, Value, references
from cepheid.analysis.problems import Problems
from cepheid.analysis.schema import EventSchema
from cepheid.analysis.scope import Scope
from cepheid.language import ast

WITH_FUNCTIONS = (
    ast.Function, ast.Case, ast.Cast, ast.Interval, ast.TypedLiteral, ast.In, ast.Between,
    ast.Like, ast.IsNull, ast.IsDistinct, ast.Comparison, ast.And, ast.Or, ast.Not,
)  # fmt: skip


def has_functions(node: ast.Expression) -> bool:
    """Whether an expression is more than comparisons and arithmetic."""
    return isinstance(node, WITH_FUNCTIONS)


class HavingFunctions(ConditionBinder):
    """Binds functions whose innermost values are columns of the result."""

    depth = 1

    def __init__(
        self,
        place: tuple[Scope, EventSchema, Problems],
        leaf: Callable[[ast.Expression], HavingValue | None],
        type_of: Callable[[HavingValue], AttributeType],
        is_in_ticks: Callable[[HavingValue], bool],
    ) -> None:
        super().__init__(*place)
        self.leaf = leaf
        self.type_of = type_of
        self.is_in_ticks = is_in_ticks
        self.leaves: list[HavingValue] = []

    def function(self, node: ast.Expression) -> HavingFunction | None:
        """Bind a whole expression."""
        value = self.value(node)
        return None if value is None else HavingFunction(value, tuple(self.leaves))

    def value(self, node: ast.Expression) -> Value | None:
        """Bind a value; a column of the result is a reference to the number of a leaf."""
        if not isinstance(node, ast.Name | ast.Attribute | ast.Call):
            return super().value(node)
        leaf = self.leaf(node)
        if leaf is None:
            return None
        if leaf not in self.leaves:
            self.leaves.append(leaf)
        return AttributeReference("", Role.EACH, str(self.leaves.index(leaf)), self.type_of(leaf))

    def has_ticks(self, value: Value) -> bool:
        """Whether a number is made of times, in the units of their column."""
        read = [self.leaves[int(str(each.attribute))] for each in references(value)]
        return bool(read) and all(map(self.is_in_ticks, read))
