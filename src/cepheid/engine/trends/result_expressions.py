"""Expressions over the columns of a result: those of RETURN, and HAVING."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.expressions import (
    Apply,
    AttributeReference,
    Compare,
    Condition,
    Constant,
    Value,
)
from cepheid.errors import DataError
from cepheid.program.arrow_arrays import texts_to_arrow
from cepheid.program.evaluate import LocalPredicates, to_booleans

Booleans = NDArray[np.bool_]
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
NUMBERS_HINT = "compute with doubles where whole numbers are large: 1.0 * SUM(a.x)"


class ResultExpressions(LocalPredicates):
    """Computes of a result; `exact` has the counts of columns that a DOUBLE would round."""

    def __init__(
        self, columns: Mapping[str, Any], exact: Mapping[str, Sequence[int]], length: int
    ) -> None:
        super().__init__(columns, length)
        self.exact = exact

    def satisfies(self, having: Condition) -> Booleans:
        """Return which rows stay."""
        try:
            return to_booleans(self.truth(having), self.length)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise DataError(f"HAVING cannot be computed: {error}", hint=NUMBERS_HINT) from None

    def column(self, name: str, value: Value, kind: pa.DataType) -> Any:
        """Return a column of RETURN."""
        try:
            found = pc.cast(self.value(value), kind)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise DataError(f"'{name}' cannot be computed: {error}", hint=NUMBERS_HINT) from None
        return pa.repeat(found, self.length) if isinstance(found, pa.Scalar) else found

    def _compared(self, atom: Compare) -> Any:
        sides = atom.left, atom.right
        if not any(self._is_exact(each) for each in sides) or not all(
            isinstance(each, AttributeReference | Constant) for each in sides
        ):
            return super()._compared(atom)
        compare = COMPARISONS[atom.operator]
        pairs = zip(*map(self._python_values, sides), strict=True)
        return pa.array(
            [None if None in pair else compare(*pair) for pair in pairs], pa.bool_()
        )  # Python compares integers with floats exactly

    def _applied(self, node: Apply) -> Any:
        """Spell a count with all its digits."""
        match node:
            case Apply("cast", (AttributeReference(attribute=name),), AttributeType.STRING) if (
                name in self.exact
            ):
                return texts_to_arrow([str(Decimal(each)) for each in self.exact[name]])
        return super()._applied(node)

    def _is_exact(self, value: Value) -> bool:
        return isinstance(value, AttributeReference) and value.attribute in self.exact

    def _python_values(self, value: Value) -> Sequence[Any]:
        if isinstance(value, Constant):
            return [value.value] * self.length
        assert isinstance(value, AttributeReference)
        name = str(value.attribute)
        found: Sequence[Any] = self.exact.get(name) or self.columns[name].to_pylist()
        return found
