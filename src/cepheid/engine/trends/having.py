"""HAVING: which rows of an aggregate stay."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.analysis.expressions import AttributeReference, Compare, Condition, Constant, Value
from cepheid.errors import DataError
from cepheid.program.evaluate import LocalPredicates

Booleans = NDArray[np.bool_]
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def satisfies(
    having: Condition, columns: Mapping[str, Any], exact: Mapping[str, Sequence[int]], length: int
) -> Booleans:
    """Return which rows stay; `exact` has the counts of columns that a DOUBLE would round."""
    try:
        return HavingPredicates(columns, exact, length).holds(having, {})
    except (DataError, pa.ArrowNotImplementedError) as error:
        raise DataError(
            f"HAVING cannot be computed: {error}", hint="compare numbers with numbers"
        ) from None


class HavingPredicates(LocalPredicates):
    """Compares counts of any size with columns and literals; arithmetic is that of DOUBLE."""

    def __init__(
        self, columns: Mapping[str, Any], exact: Mapping[str, Sequence[int]], length: int
    ) -> None:
        super().__init__(columns, length)
        self.exact = exact

    def _compare(self, atom: Compare, exempt: Mapping[str, Booleans]) -> Booleans:
        sides = atom.left, atom.right
        if not any(self._is_exact(each) for each in sides) or not all(
            isinstance(each, AttributeReference | Constant) for each in sides
        ):
            return super()._compare(atom, exempt)
        compare = COMPARISONS[atom.operator]
        pairs = zip(*map(self._python_values, sides), strict=True)
        return np.array(
            [None not in pair and compare(*pair) for pair in pairs], np.bool_
        )  # Python compares integers with floats exactly

    def _is_exact(self, value: Value) -> bool:
        return isinstance(value, AttributeReference) and value.attribute in self.exact

    def _python_values(self, value: Value) -> Sequence[Any]:
        if isinstance(value, Constant):
            return [value.value] * self.length
        assert isinstance(value, AttributeReference)
        name = str(value.attribute)
        found: Sequence[Any] = self.exact.get(name) or self.columns[name].to_pylist()
        return found
