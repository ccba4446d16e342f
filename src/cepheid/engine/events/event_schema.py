"""The schema of events from Arrow's, with the roles of columns checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import pyarrow as pa

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.decimal_sums import DIGITS_OF_64_BITS
from cepheid.analysis.infer_window import NANOSECONDS
from cepheid.analysis.schema import EventSchema, NestedType
from cepheid.errors import ConfigError, DataError, nearest
from cepheid.program.decimals import digits_of_type
from cepheid.program.numeric_times import MOST_DIGITS, digits_of, is_numeric_time

BYTES = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
ARRAYS = (
    pa.types.is_list,
    pa.types.is_large_list,
    pa.types.is_fixed_size_list,
    pa.types.is_list_view,
    pa.types.is_large_list_view,
)
TICKS_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
# What to do with a time column that is none.
NOT_TIMES = {
    AttributeType.STRING: "; parse the text first",
    AttributeType.DECIMAL: f"; a decimal has up to {MOST_DIGITS} digits after the point",
}
# What columns of values are that no column of the events has.
ARROW_TYPES = {
    AttributeType.INTEGER: pa.int64(),
    AttributeType.FLOAT: pa.float64(),
    AttributeType.BOOLEAN: pa.bool_(),
    AttributeType.STRING: pa.string(),
    AttributeType.NULL: pa.null(),
}


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """What the caller says of the columns.

    `schemas` declares the attributes of every event type. `time_unit` is the unit of a time column
    of numbers, seconds if it is not given.
    """

    time: str
    type: str | None = None
    order: tuple[str, ...] = ()
    schemas: Mapping[str, Sequence[str]] | None = None
    time_unit: str = "s"


def event_schema(arrow_schema: pa.Schema, roles: ColumnRoles) -> EventSchema:
    """Return the schema for analysis, or say which column is missing or of the wrong kind."""
    check_columns(list(arrow_schema.names), roles)
    time_type = arrow_schema.field(roles.time).type
    if roles.type is not None:
        _check_type_column(arrow_schema.field(roles.type))
    declared = roles.schemas
    return EventSchema(
        attributes={field.name: attribute_type(field.type) for field in arrow_schema}
        | ({roles.time: AttributeType.INTEGER} if pa.types.is_integer(time_type) else {}),
        time=roles.time,
        type_column=roles.type,
        order=roles.order,
        ticks_per_second=ticks_per_second(time_type, roles),
        ticks_per_unit=10 ** digits_of(time_type),
        attributes_by_type=None
        if declared is None
        else {name: frozenset(columns) for name, columns in declared.items()},
        nested={
            field.name: nested_type(field.type)
            for field in arrow_schema
            if attribute_type(field.type) is AttributeType.OTHER
        },
        scales={
            field.name: field.type.scale for field in arrow_schema if _has_few_digits(field.type)
        },
        digits={
            field.name: digits_of_type(field.type)
            for field in arrow_schema
            if attribute_type(field.type).is_exact
        },
        unsigned=frozenset(
            field.name for field in arrow_schema if pa.types.is_uint64(_of_values(field.type))
        ),
    )


def check_columns(names: list[str], roles: ColumnRoles, owner: str = "the events") -> None:
    """Raise a DataError if a column is missing, or if two have one name."""
    repeated = next((each for each in names if names.count(each) > 1), None)
    if repeated is not None:
        raise DataError(f"two columns of {owner} are called '{repeated}'")
    for role, column in named_columns(roles):
        if column not in names:
            near = nearest(column, names)
            guess = "" if near is None else f"did you mean '{near}'? "
            raise DataError(
                f"{owner} have no column '{column}' ({role})",
                hint=f"{guess}the columns are: {', '.join(names)}",
            )


def named_columns(roles: ColumnRoles) -> list[tuple[str, str]]:
    """Return every role with its column."""
    named = [("time", roles.time)]
    if roles.type is not None:
        named.append(("type", roles.type))
    return named + [("order", each) for each in roles.order]


def _check_type_column(field: pa.Field) -> None:
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or _is_view(kind)):
        raise DataError(
            f"the type column '{field.name}' holds {kind}, but event types are names",
            hint="cast it to a string, or name another column as the type",
        )


def _has_zone(kind: pa.DataType) -> bool:
    return bool(pa.types.is_timestamp(kind)) and kind.tz is not None


def _has_few_digits(kind: pa.DataType) -> bool:
    """Whether the digits of a decimal, without the point, always fit 64 bits."""
    return (
        bool(pa.types.is_decimal(kind)) and kind.precision <= DIGITS_OF_64_BITS and kind.scale >= 0
    )


def _of_values(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_view(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string_view(kind))


def ticks_per_second(time_type: pa.DataType, roles: ColumnRoles) -> int | Fraction:
    """Return how many steps of the time column make a second."""
    if pa.types.is_timestamp(time_type):
        return TICKS_PER_SECOND[time_type.unit]
    if pa.types.is_date32(time_type):
        return 1
    if pa.types.is_date64(time_type):
        return 1_000
    if is_numeric_time(time_type):
        return int(10 ** digits_of(time_type)) * units_per_second(roles)
    kind = attribute_type(time_type)
    raise DataError(
        f"the time column '{roles.time}' holds {time_type}, which is not a time",
        hint=f"use a timestamp, a date or a column of numbers{NOT_TIMES.get(kind, '')}",
    )


def units_per_second(roles: ColumnRoles) -> int | Fraction:
    """Return how many units of a time column of numbers make a second."""
    length = NANOSECONDS.get(roles.time_unit.lower())
    if length is None:
        raise ConfigError(
            f"time_unit='{roles.time_unit}' is not a unit for a time column",
            hint="use ns, us, ms, s, min, h or d",
        )
    is_long = length > NANOSECONDS["s"]
    return Fraction(NANOSECONDS["s"], length) if is_long else NANOSECONDS["s"] // length


def nested_type(kind: pa.DataType) -> NestedType:
    """Return what structs, maps and arrays hold.

    >>> nested_type(pa.struct([("os", pa.string())])).fields["os"].type
    <AttributeType.STRING: 'string'>
    """
    if pa.types.is_struct(kind):
        fields = {field.name: nested_type(field.type) for field in kind}
        return NestedType(AttributeType.STRUCT, fields)
    if pa.types.is_map(kind):
        parts = {"key": nested_type(kind.key_type), "item": nested_type(kind.item_type)}
        return NestedType(AttributeType.MAP, parts)
    if any(test(kind) for test in ARRAYS):
        return NestedType(AttributeType.ARRAY, {"item": nested_type(kind.value_type)})
    if any(test(kind) for test in BYTES):
        return NestedType(AttributeType.BINARY)
    return NestedType(attribute_type(kind))


@cache
def attribute_type(kind: pa.DataType) -> AttributeType:
    """Return the type that predicates see."""
    if pa.types.is_dictionary(kind):
        return attribute_type(kind.value_type)
    tests = (
        (pa.types.is_boolean, AttributeType.BOOLEAN),
        (pa.types.is_uint64, AttributeType.DECIMAL),  # some do not fit 64 bits with a sign
        (pa.types.is_integer, AttributeType.INTEGER),
        (pa.types.is_floating, AttributeType.FLOAT),
        (pa.types.is_decimal, AttributeType.DECIMAL),
        (pa.types.is_string, AttributeType.STRING),
        (pa.types.is_large_string, AttributeType.STRING),
        (_is_view, AttributeType.STRING),
        (_has_zone, AttributeType.ZONED),
        (pa.types.is_timestamp, AttributeType.TIMESTAMP),
        (pa.types.is_date, AttributeType.DATE),
        (pa.types.is_null, AttributeType.NULL),
    )
    return next((found for test, found in tests if test(kind)), AttributeType.OTHER)
