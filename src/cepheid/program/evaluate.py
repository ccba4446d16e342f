"""Local predicates over Arrow columns: conditions of one event to booleans.

Arithmetic is checked: integers never wrap. Division and modulo by zero give NULL, and a comparison
with NULL does not hold.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial, reduce
from typing import Any, TypeAlias, assert_never

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.analysis.attribute_types import TEMPORAL, AttributeType
from cepheid.analysis.describe import describe
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    Apply,
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
from cepheid.analysis.functions import BY_NAME
from cepheid.errors import DataError, InternalError
from cepheid.language.numbers import exactly
from cepheid.program.arrow_arrays import choose, of_type, to_arrow, to_numpy, to_scalar
from cepheid.program.arrow_functions import FUNCTIONS, of_rows
from cepheid.program.casts import cast
from cepheid.program.decimals import (
    DECIMAL_OF_INTEGER,
    MOST_DIGITS,
    MOST_IN_RESULTS,
    as_decimal,
    compare_with,
    is_exact,
    most_digits,
    remainders,
)
from cepheid.program.exact_conditions import SWAPPED
from cepheid.program.like_patterns import fits_like, fits_regex, like_pattern
from cepheid.program.predicate_code import rounded
from cepheid.program.time_zones import nanoseconds

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
OVERFLOW_HINT = (
    "integers are exact and do not wrap; make the column a double, or compute with 1.0 * a.x"
)
LARGEST_DECIMAL = 10**38
NANOSECONDS_A_DAY = 86_400 * 10**9
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
            never = AttributeType.NULL in (atom.left.type, atom.right.type)
            result = to_scalar(False) if never else self._compared(atom)
        except pa.ArrowInvalid as error:
            raise DataError(
                f"the predicate '{describe(atom)}' cannot be computed: {error}",
                hint=OVERFLOW_HINT,
            ) from None
        holds = to_booleans(result, self.length)
        for reference in references(atom):
            if reference.attribute is not None and reference.attribute in exempt:
                holds = holds | exempt[reference.attribute]
        return holds

    def _compared(self, atom: Compare) -> Column:
        operator, left, right = atom.operator, atom.left, atom.right
        if isinstance(left, Constant):
            operator, left, right = SWAPPED[operator], right, left
        column = self.value(left)
        if not isinstance(right, Constant):
            other = self.value(right)
            are_alike = other.type == column.type
            return COMPARE[operator](*((column, other) if are_alike else _alike(column, other)))
        if pa.types.is_temporal(column.type) and isinstance(right.value, str):
            return COMPARE[operator](column, time_like(column.type, right.value))
        if is_exact(column.type) and isinstance(right.value, int | float | Decimal):
            return compare_with(operator, column, exactly(right.value))
        return COMPARE[operator](*_alike(column, _scalar(right.value)))

    def value(self, value: Value) -> Column:
        """Return a column or scalar."""
        match value:
            case Constant(value=int() | float() | Decimal() as number, type=AttributeType.DECIMAL):
                return pa.scalar(exactly(number))
            case Constant(value=str(text)) if value.type in TEMPORAL:
                return _time(text, value.type)
            case Constant():
                return _scalar(value.value)
            case AttributeReference():
                return _comparable(self.columns[value.attribute])
            case Minus():
                operand = self._number(value.operand)
                is_decimal = value.type is AttributeType.DECIMAL
                return self._negated(as_decimal(operand) if is_decimal else operand)
            case Operation():
                return self._operation(value)
            case Apply():
                return self._applied(value)
            case BlockAggregate():
                raise InternalError("an aggregate over a block is not a local predicate")
        assert_never(value)

    def _negated(self, operand: Column) -> Column:
        return pc.negate_checked(operand)

    # --- functions ------------------------------------------------------------------------------

    def truth(self, condition: Condition) -> Column:
        """Return whether a condition holds, NULL where that is not known."""
        match condition:
            case Truth():
                return to_scalar(condition.value)
            case AllOf() | AnyOf():
                join = pc.and_kleene if isinstance(condition, AllOf) else pc.or_kleene
                return reduce(join, map(self.truth, condition.operands))
            case Compare():
                if AttributeType.NULL in (condition.left.type, condition.right.type):
                    return to_scalar(None, pa.bool_())
                return self._compared(condition)
        assert_never(condition)

    def _applied(self, node: Apply) -> Column:
        name, arguments = node.function, node.arguments
        match name:
            case "condition":
                return self.truth(_condition(arguments[0]))
            case "case":
                return self._case(node)
            case "in":
                return self._is_in(node)
        values = [self._argument(name, index) for index in enumerate(map(_value, arguments))]
        match name:
            case "is_null":
                return pc.is_null(values[0])
            case "like" | "ilike" | "rlike":
                return _matches(node, values)
            case "cast":
                return cast(values[0], node.type, node.option)
            case "path":
                return _at_path(self.columns[_attribute(arguments[0])], json.loads(node.option))
        if name in CHOICES:
            values = _of_one_type(values, node.type)
        return self._function(name, values)

    def _function(self, name: str, values: list[Column]) -> Column:
        return FUNCTIONS[name](values)

    def _argument(self, function: str, numbered: tuple[int, Value]) -> Column:
        """Return an argument; one that is NULL throughout has a type that the function takes."""
        index, node = numbered
        column = self.value(node)
        if pa.types.is_large_string(column.type):
            return pc.cast(column, pa.string())
        if node.type is not AttributeType.NULL or function not in BY_NAME:
            is_pattern = function in PATTERNS and not pa.types.is_string(column.type)
            return pc.cast(column, pa.string()) if is_pattern else column
        kind = BY_NAME[function].parameter(index).kind
        return pc.cast(column, NULL_TYPES.get(kind, column.type))

    def _case(self, node: Apply) -> Column:
        conditions = [self.truth(_condition(each)) for each in node.arguments[:-1:2]]
        results = [self.value(_value(each)) for each in node.arguments[1:-1:2]]
        *results, last = _of_one_type([*results, self.value(_value(node.arguments[-1]))], node.type)
        for condition, result in reversed(list(zip(conditions, results, strict=True))):
            last = choose(pc.fill_null(condition, to_scalar(False)), result, last)
        return last

    def _is_in(self, node: Apply) -> Column:
        """Whether a value is one of literals; if not, and one of them is NULL, it is not known."""
        operand, *members = map(_value, node.arguments)
        column = self.value(operand)
        known = [each.value for each in members
                 if isinstance(each, Constant) and each.value is not None]  # fmt: skip
        if _are_plain(column.type, known):
            found = pc.is_in(column, value_set=pa.array(known, column.type))
            found = pc.if_else(pc.is_valid(column), found, to_scalar(None, pa.bool_()))
        else:
            atoms = [Compare("=", operand, each) for each in members]
            return self.truth(AnyOf(tuple(atoms)))
        if len(known) < len(members):
            found = pc.or_kleene(found, to_scalar(None, pa.bool_()))
        return found

    def _number(self, value: Value) -> Column:
        """Return an operand; one without values is an integer that is NULL."""
        operand = self.value(value)
        return pc.cast(operand, pa.int64()) if pa.types.is_null(operand.type) else operand

    def _operation(self, node: Operation) -> Column:
        left, right = self._number(node.left), self._number(node.right)
        if node.type is AttributeType.FLOAT:
            left, right = _to_float(left), _to_float(right)
        elif node.type is AttributeType.DECIMAL:
            left, right = as_decimal(left), as_decimal(right)
        elif node.operator in CHECKED:
            left, right = _alike(left, right)
        if node.operator in CHECKED:
            return CHECKED[node.operator](left, right)
        is_decimal = pa.types.is_decimal(right.type)
        nothing = pa.scalar(Decimal(0), right.type) if is_decimal else to_scalar(0, right.type)
        zero = pc.equal(right, nothing)
        divisor = pc.if_else(zero, to_scalar(None, right.type), right)
        if node.operator == "/":
            return pc.divide(_to_float(left), _to_float(divisor))
        return self._modulo(left, divisor, node.type)

    def _modulo(self, left: Column, divisor: Column, kind: AttributeType) -> Column:
        """The remainder has the sign of the dividend, as in SQL."""
        if kind is AttributeType.DECIMAL:
            return remainders(self._repeated(left), self._repeated(divisor))
        is_integer = kind is AttributeType.INTEGER
        arrow_type = pa.int64() if is_integer else pa.float64()
        sides = (left, divisor) if is_integer else (_to_float(left), _to_float(divisor))
        ones = [self._filled(each, arrow_type) for each in sides]
        valid = ones[0][1] & ones[1][1]
        divisors = np.where(valid, ones[1][0], 1)
        with np.errstate(invalid="ignore"):  # of infinity it is NaN
            return to_arrow(np.fmod(ones[0][0], divisors), ~valid)

    def _repeated(self, column: Column) -> Column:
        return pa.repeat(column, self.length) if isinstance(column, pa.Scalar) else column

    def _filled(self, column: Column, arrow_type: pa.DataType) -> tuple[NDArray[Any], Booleans]:
        column = pc.cast(self._repeated(column), arrow_type)
        valid = to_numpy(column.is_valid())
        return to_numpy(pc.fill_null(column, to_scalar(0, arrow_type))), valid


PATTERNS = ("like", "ilike", "rlike")
NULL_TYPES = {
    "string": pa.string(),
    "string or array": pa.string(),
    "time": pa.timestamp("us"),
    "number": pa.int64(),
    "number or length of time": pa.int64(),
}
ONE_TYPE = {
    AttributeType.STRING: pa.string(),
    AttributeType.INTEGER: pa.int64(),
    AttributeType.BOOLEAN: pa.bool_(),
}
CHOICES = ("least", "greatest", "coalesce")


def _condition(node: Value | Condition) -> Condition:
    assert isinstance(node, AllOf | AnyOf | Compare | Truth)
    return node


def _value(node: Value | Condition) -> Value:
    assert not isinstance(node, AllOf | AnyOf | Compare | Truth)
    return node


def _attribute(node: Value | Condition) -> str:
    assert isinstance(node, AttributeReference)
    return node.attribute


def _are_plain(kind: pa.DataType, values: list[Any]) -> bool:
    """Whether literals are of the type of a column."""
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return all(isinstance(each, str) for each in values)
    return bool(pa.types.is_int64(kind)) and all(
        isinstance(each, int) and -(2**63) <= each < 2**63 for each in values
    )


def _of_one_type(columns: list[Column], kind: AttributeType) -> list[Column]:
    """Return columns of which one is chosen for every event."""
    typed = [each for each in columns if not pa.types.is_null(each.type)]
    if not typed:
        return [pc.cast(each, pa.int64()) for each in columns]
    has_float = any(pa.types.is_floating(each.type) for each in typed)
    if kind is AttributeType.FLOAT or (kind is AttributeType.DURATION and has_float):
        return [_to_float(each) for each in columns]
    if kind is AttributeType.DECIMAL:
        return _of_one_decimal_type(columns)
    wanted = ONE_TYPE.get(kind)
    if wanted is None:
        temporal = [each.type for each in typed if pa.types.is_temporal(each.type)]
        wanted = (temporal or [typed[0].type])[0]
    return [of_type(each, wanted) for each in columns]


def _of_one_decimal_type(columns: list[Column]) -> list[Column]:
    """Return decimals of the type that Spark gives them, whatever their values are."""
    decimals = [
        each
        if pa.types.is_null(each.type) or pa.types.is_decimal(each.type)
        else pc.cast(each, DECIMAL_OF_INTEGER)
        for each in columns
    ]
    before, scale = most_digits([each.type for each in decimals])
    if before + scale > MOST_DIGITS:
        decimals = [each if pa.types.is_null(each.type) else as_decimal(each) for each in decimals]
        before, scale = most_digits([each.type for each in decimals])
    make = pa.decimal128 if before + scale <= MOST_IN_RESULTS else pa.decimal256
    wide = make(min(before + scale, MOST_DIGITS), scale)
    return [pc.cast(each, wide) for each in decimals]


def _matches(node: Apply, values: list[Column]) -> Column:
    text, pattern = values
    if node.function == "ilike":
        text, pattern = (FUNCTIONS["lower"]([each]) for each in values)
    if not isinstance(pattern, pa.Scalar):
        test = fits_regex if node.function == "rlike" else partial(fits_like, node.option)
        return of_rows([text, pattern], test, pa.bool_())
    if pattern.as_py() is None:
        return pc.and_(pc.is_null(text), to_scalar(None, pa.bool_()))
    regex = pattern.as_py()
    if node.function != "rlike":
        regex = f"(?s){like_pattern(regex, node.option)}"
    return pc.match_substring_regex(text, regex)


def _at_path(column: Column, steps: list[Any]) -> Column:
    """Return the field of structs, or the entry of maps."""
    for step in steps:
        if isinstance(step, str):
            column = pc.struct_field(column, step)
        else:
            key = pa.scalar(step["key"], column.type.key_type)
            column = pc.map_lookup(column, key, "first")
    return _comparable(column)


def _time(text: str, kind: AttributeType) -> pa.Scalar:
    """Return a literal time; one with a zone is an instant."""
    if kind is AttributeType.DATE:
        return pa.scalar(datetime.date.fromisoformat(text))
    value = datetime.datetime.fromisoformat(text)
    zone = None if value.tzinfo is None else "UTC"
    return to_scalar(nanoseconds(text, None) // 1_000, pa.timestamp("us", zone))


def _comparable(column: Column) -> Column:
    """Return the column in a type that compares with literals."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _comparable(pc.cast(column, kind.value_type))
    if pa.types.is_null(kind):
        return pc.cast(column, pa.int64())
    if pa.types.is_string_view(kind):
        return pc.cast(column, pa.string())
    if pa.types.is_float16(kind):  # Arrow cannot compare half floats
        return pc.cast(column, pa.float64())
    if pa.types.is_uint64(kind):  # some are beyond 2^63
        return pc.cast(column, DECIMAL_OF_INTEGER)
    return pc.cast(column, pa.int64()) if pa.types.is_integer(kind) else column


def _scalar(value: int | float | Decimal | str | bool | None) -> pa.Scalar:
    """Return a literal; integers beyond 64 bits stay exact as decimals."""
    if value is None:
        return to_scalar(None, pa.null())
    if isinstance(value, Decimal):
        return to_scalar(float(value))
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return pa.scalar(Decimal(value) if abs(value) < LARGEST_DECIMAL else rounded(value))
    return to_scalar(value)


def _alike(left: Column, right: Column) -> tuple[Column, Column]:
    """Next to a float numbers become floats, next to a decimal integers become decimals.

    Arrow alone refuses floats for integers beyond 2^53, decimals of many digits, and times of two
    zones and units; an instant is the same in every zone.
    """
    if pa.types.is_floating(left.type) and not pa.types.is_floating(right.type):
        return left, _to_float(right)
    if pa.types.is_floating(right.type) and not pa.types.is_floating(left.type):
        return _to_float(left), right
    if pa.types.is_decimal(left.type) or pa.types.is_decimal(right.type):
        return as_decimal(left), as_decimal(right)
    if all(pa.types.is_timestamp(each.type) and each.type.tz for each in (left, right)):
        return left, pc.cast(right, pa.timestamp(right.type.unit, left.type.tz))
    return left, right


def _to_float(column: Column) -> Column:
    return pc.cast(column, pa.float64(), safe=False)


def time_like(kind: pa.DataType, text: str) -> pa.Scalar:
    """Return the text as a time; without a zone it is in that of the column, if that has one."""
    is_zoned = pa.types.is_timestamp(kind) and kind.tz is not None
    ticks = nanoseconds(text, kind.tz if is_zoned else None)
    if pa.types.is_date(kind) and ticks % NANOSECONDS_A_DAY == 0:
        days = to_scalar(ticks // NANOSECONDS_A_DAY, pa.int32())
        return days.cast(pa.date32()).cast(kind)
    zone = kind.tz if is_zoned else None
    if ticks % 1_000:
        return to_scalar(ticks, pa.timestamp("ns", zone))
    return to_scalar(ticks // 1_000, pa.timestamp("us", zone))


def to_booleans(result: Column, length: int) -> Booleans:
    """Return which truth values are TRUE, and not NULL."""
    if isinstance(result, pa.Scalar):
        return np.full(length, result.as_py() is True)
    return to_numpy(pc.fill_null(result, to_scalar(False)))
