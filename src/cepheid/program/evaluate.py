"""Local predicates over Arrow columns: conditions of one event to booleans.

Arithmetic is checked: integers never wrap. Division and modulo by zero give NULL, and a comparison
with NULL does not hold.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, assert_never

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.analysis.describe import describe
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    AttributeReference,
    BlockAggregate,
    Compare,
    Condition,
    Constant,
    Minus,
    Operation,
    Truth,
    Value,
    references,
)
from cepheid.analysis.schema import AttributeType
from cepheid.errors import DataError, InternalError

Booleans: TypeAlias = NDArray[np.bool_]
Column: TypeAlias = Any  # pyarrow ships no types
COMPARE: Mapping[str, Callable[[Column, Column], Column]] = {
    "=": pc.equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}
CHECKED = {"+": pc.add_checked, "-": pc.subtract_checked, "*": pc.multiply_checked}


class LocalPredicates:
    """Evaluates conditions on one table of events."""

    def __init__(self, columns: Mapping[str, Column], length: int) -> None:
        self.columns = columns
        self.length = length

    def holds(self, condition: Condition, exempt: Mapping[str, Booleans]) -> Booleans:
        """Return for every event whether the condition holds.

        `exempt` maps an attribute to the events whose type lacks it.
        """
        match condition:
            case Truth():
                return np.full(self.length, condition.value)
            case AllOf():
                result = np.ones(self.length, np.bool_)
                for operand in condition.operands:
                    result &= self.holds(operand, exempt)
                return result
            case AnyOf():
                result = np.zeros(self.length, np.bool_)
                for operand in condition.operands:
                    result |= self.holds(operand, exempt)
                return result
            case Compare():
                return self._compare(condition, exempt)
        assert_never(condition)

    def _compare(self, atom: Compare, exempt: Mapping[str, Booleans]) -> Booleans:
        null = Constant(None, AttributeType.NULL)
        try:
            left, right = self._sides(atom)
            never = null in (atom.left, atom.right)
            result = pa.scalar(False) if never else COMPARE[atom.operator](left, right)
        except pa.ArrowInvalid as error:
            raise DataError(
                f"the predicate '{describe(atom)}' cannot be computed: {error}",
                hint="integers of 64 bits are exact, but do not wrap; use decimals",
            ) from None
        holds = _to_booleans(result, self.length)
        for reference in references(atom):
            if reference.attribute is not None and reference.attribute in exempt:
                holds = holds | exempt[reference.attribute]
        return holds

    def _sides(self, atom: Compare) -> tuple[Column, Column]:
        left, right = self.value(atom.left), self.value(atom.right)
        for one, other in ((left, right), (right, left)):
            if pa.types.is_temporal(one.type) and isinstance(other, pa.Scalar):
                timed = _time_like(one.type, other)
                return (one, timed) if one is left else (timed, one)
        return left, right

    def value(self, value: Value) -> Column:
        """Return a column or scalar."""
        match value:
            case Constant():
                if value.value is None:
                    return pa.scalar(None, pa.int64())
                return pa.scalar(value.value)
            case AttributeReference():
                return _comparable(self.columns[value.attribute])
            case Minus():
                return pc.negate_checked(self.value(value.operand))
            case Operation():
                return self._operation(value)
            case BlockAggregate():
                raise InternalError("an aggregate over a block is not a local predicate")
        assert_never(value)

    def _operation(self, node: Operation) -> Column:
        left, right = self.value(node.left), self.value(node.right)
        if node.operator in CHECKED:
            return CHECKED[node.operator](left, right)
        zero = pc.equal(right, pa.scalar(0, right.type))
        divisor = pc.if_else(zero, pa.scalar(None, right.type), right)
        if node.operator == "/":
            return pc.divide(pc.cast(left, pa.float64()), pc.cast(divisor, pa.float64()))
        return self._modulo(left, divisor, node.type)

    def _modulo(self, left: Column, divisor: Column, kind: AttributeType) -> Column:
        """The remainder has the sign of the dividend, as in SQL."""
        arrow_type = pa.int64() if kind is AttributeType.INTEGER else pa.float64()
        ones = [self._filled(each, arrow_type) for each in (left, divisor)]
        valid = ones[0][1] & ones[1][1]
        divisors = np.where(valid, ones[1][0], 1)
        return pa.array(np.fmod(ones[0][0], divisors), arrow_type, mask=~valid)

    def _filled(self, column: Column, arrow_type: pa.DataType) -> tuple[NDArray[Any], Booleans]:
        if isinstance(column, pa.Scalar):
            column = pa.array([column.as_py()] * self.length, arrow_type)
        column = pc.cast(column, arrow_type)
        valid = column.is_valid().to_numpy(zero_copy_only=False).astype(np.bool_)
        return pc.fill_null(column, 0).to_numpy(), valid


def _comparable(column: Column) -> Column:
    """Return the column in a type that compares with literals."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return pc.cast(column, kind.value_type)
    if pa.types.is_decimal(kind):
        return pc.cast(column, pa.float64())
    if pa.types.is_integer(kind) and not pa.types.is_uint64(kind):
        return pc.cast(column, pa.int64())
    return column


def _time_like(kind: pa.DataType, constant: pa.Scalar) -> pa.Scalar:
    moment = datetime.datetime.fromisoformat(constant.as_py())
    if pa.types.is_date(kind) and moment.time() == datetime.time():
        return pa.scalar(moment.date(), kind)
    if pa.types.is_timestamp(kind):
        if kind.tz is None:
            moment = moment.replace(tzinfo=None)
        elif moment.tzinfo is None:
            moment = moment.replace(tzinfo=datetime.UTC)
        return pa.scalar(moment, pa.timestamp("us", kind.tz))
    return pa.scalar(moment, pa.timestamp("us"))


def _to_booleans(result: Column, length: int) -> Booleans:
    if isinstance(result, pa.Scalar):
        return np.full(length, result.as_py() is True)
    filled: Booleans = pc.fill_null(result, False).to_numpy(zero_copy_only=False)
    return filled.astype(np.bool_)
