"""Local predicates over Arrow columns: conditions of one event to booleans.

Arithmetic is checked: integers never wrap. Division and modulo by zero give NULL, and a comparison
with NULL does not hold.
"""

from __future__ import annotations

import datetime
import decimal
import re
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
from cepheid.program.arrow_arrays import to_arrow, to_numpy, to_scalar
from cepheid.program.predicate_code import rounded

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
LARGEST_DECIMAL = 10**38
EPOCH = datetime.datetime(1970, 1, 1)
FINER_THAN_MICROSECONDS = re.compile(r"[.,]\d{6}(\d+)")
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
        try:
            sides = self._sides(atom)
            result = to_scalar(False) if sides is None else COMPARE[atom.operator](*sides)
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

    def _sides(self, atom: Compare) -> tuple[Column, Column] | None:
        """Return what is compared, in types that Arrow compares; None if a side is NULL always."""
        left, right = self.value(atom.left), self.value(atom.right)
        if pa.types.is_null(left.type) or pa.types.is_null(right.type):
            return None
        for one, other in ((left, right), (right, left)):
            if pa.types.is_temporal(one.type) and isinstance(other, pa.Scalar):
                timed = time_like(one.type, other)
                return (one, timed) if one is left else (timed, one)
        return _like_numbers(left, right)

    def value(self, value: Value) -> Column:
        """Return a column or scalar."""
        match value:
            case Constant():
                return _scalar(value.value)
            case AttributeReference():
                return _comparable(self.columns[value.attribute])
            case Minus():
                return pc.negate_checked(self._number(value.operand))
            case Operation():
                return self._operation(value)
            case BlockAggregate():
                raise InternalError("an aggregate over a block is not a local predicate")
        assert_never(value)

    def _number(self, value: Value) -> Column:
        """Return an operand; one without values is an integer that is NULL."""
        operand = self.value(value)
        return pc.cast(operand, pa.int64()) if pa.types.is_null(operand.type) else operand

    def _operation(self, node: Operation) -> Column:
        left, right = self._number(node.left), self._number(node.right)
        if node.operator in CHECKED:
            return CHECKED[node.operator](*_like_numbers(left, right))
        zero = pc.equal(right, to_scalar(0, right.type))
        divisor = pc.if_else(zero, to_scalar(None, right.type), right)
        if node.operator == "/":
            return pc.divide(_to_float(left), _to_float(divisor))
        return self._modulo(left, divisor, node.type)

    def _modulo(self, left: Column, divisor: Column, kind: AttributeType) -> Column:
        """The remainder has the sign of the dividend, as in SQL."""
        is_integer = kind is AttributeType.INTEGER
        arrow_type = pa.int64() if is_integer else pa.float64()
        sides = (left, divisor) if is_integer else (_to_float(left), _to_float(divisor))
        ones = [self._filled(each, arrow_type) for each in sides]
        valid = ones[0][1] & ones[1][1]
        divisors = np.where(valid, ones[1][0], 1)
        return to_arrow(np.fmod(ones[0][0], divisors), ~valid)

    def _filled(self, column: Column, arrow_type: pa.DataType) -> tuple[NDArray[Any], Booleans]:
        if isinstance(column, pa.Scalar):
            column = pa.repeat(column, self.length)
        column = pc.cast(column, arrow_type)
        valid = to_numpy(column.is_valid())
        return to_numpy(pc.fill_null(column, to_scalar(0, arrow_type))), valid


def _comparable(column: Column) -> Column:
    """Return the column in a type that compares with literals."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return pc.cast(column, kind.value_type)
    if pa.types.is_decimal(kind) or pa.types.is_float16(kind):  # Arrow cannot compare half floats
        return pc.cast(column, pa.float64())
    if pa.types.is_integer(kind):
        try:
            return pc.cast(column, pa.int64())
        except pa.ArrowInvalid:  # unsigned, and beyond 2^63
            return pc.cast(column, pa.decimal128(20, 0))
    return column


def _scalar(value: int | float | str | bool | None) -> pa.Scalar:
    """Return a literal; integers beyond 64 bits stay exact as decimals."""
    if value is None:
        return to_scalar(None, pa.null())
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        is_decimal = abs(value) < LARGEST_DECIMAL
        return pa.scalar(decimal.Decimal(value) if is_decimal else rounded(value))
    return to_scalar(value)


def _like_numbers(left: Column, right: Column) -> tuple[Column, Column]:
    """Next to a float, integers become floats; Arrow alone refuses those beyond 2^53."""
    if pa.types.is_floating(left.type) and not pa.types.is_floating(right.type):
        return left, _to_float(right)
    if pa.types.is_floating(right.type) and not pa.types.is_floating(left.type):
        return _to_float(left), right
    return left, right


def _to_float(column: Column) -> Column:
    return pc.cast(column, pa.float64(), safe=False)


def time_like(kind: pa.DataType, constant: pa.Scalar) -> pa.Scalar:
    """Return the text as a time; a time without a zone is in UTC."""
    text = constant.as_py()
    moment = datetime.datetime.fromisoformat(text)
    if moment.tzinfo is not None:
        moment = moment.astimezone(datetime.UTC).replace(tzinfo=None)
    if pa.types.is_date(kind) and moment.time() == datetime.time():
        return to_scalar((moment - EPOCH).days, pa.int32()).cast(pa.date32()).cast(kind)
    zone = kind.tz if pa.types.is_timestamp(kind) else None
    microseconds = (moment - EPOCH) // datetime.timedelta(microseconds=1)
    finer = FINER_THAN_MICROSECONDS.search(text)
    if finer is None or not int(finer[1]):
        return to_scalar(microseconds, pa.timestamp("us", zone))
    nanoseconds = 1_000 * microseconds + int(finer[1][:3].ljust(3, "0"))
    return to_scalar(nanoseconds, pa.timestamp("ns", zone))


def _to_booleans(result: Column, length: int) -> Booleans:
    if isinstance(result, pa.Scalar):
        return np.full(length, result.as_py() is True)
    return to_numpy(pc.fill_null(result, to_scalar(False)))
