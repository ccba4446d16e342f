"""What every function of `analysis/functions.py` does with Arrow columns.

A function gets columns and scalars. NULL gives NULL unless the function says otherwise. What has no
value, such as a whole number beyond 64 bits, is NULL too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cache, reduce
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.language.numbers import exactly
from cepheid.program.arrow_arrays import choose, in_one, to_arrow, to_numpy, to_scalar
from cepheid.program.decimals import (
    MOST_DIGITS,
    MOST_IN_RESULTS,
    compare_with,
    is_exact,
    within_64_bits,
)

Column: TypeAlias = Any  # pyarrow ships no types
Arguments: TypeAlias = Sequence[Column]
AWAY_FROM_ZERO = "half_towards_infinity"
# What is quoted, an escaped sign, a class of signs, the beginning of a group.
PARTS_OF_PATTERN = re.compile(
    r"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?P<|\(\?<|\((?!\?)", re.DOTALL
)
DAY = "day"
WHOLE = pa.decimal256(19, 0)
NANOSECONDS = {DAY: 86_400 * 10**9, "s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
WITHIN_A_DAY = ("second", "minute", "hour")
EPOCH_UNITS = {"s": 1_000_000, "ms": 1_000, "us": 1, "ns": 1}


def _is_ascii(column: Column) -> bool:
    return bool(pc.all(pc.string_is_ascii(column), min_count=0).as_py())


def each_text(column: Column, change: Callable[[Any], Any], kind: pa.DataType) -> Column:
    """Return what Python says of every text; each different one is asked for once."""
    if isinstance(column, pa.Scalar):
        return pa.scalar(None if column.as_py() is None else change(column.as_py()), kind)
    coded = in_one(pc.dictionary_encode(in_one(column)))
    found = [None if each is None else change(each) for each in coded.dictionary.to_pylist()]
    return pa.array(found, kind).take(coded.indices)


def _from_the_start(text: Column) -> Column:
    """Return texts that begin where their memory does.

    Of others, such as parts of large_string columns that were cast, Arrow's ascii_lower and
    ascii_upper give parts of other texts.
    """
    if isinstance(text, pa.ChunkedArray):
        return pa.chunked_array([_from_the_start(each) for each in text.chunks], text.type)
    offsets = text.buffers()[1]
    begins = len(text) == 0 or np.frombuffer(offsets, np.int32, 1)[0] == 0
    return text if begins else pa.concat_arrays([text, text.slice(0, 0)])


def _lower(arguments: Arguments) -> Column:
    text = arguments[0]
    if isinstance(text, pa.Scalar) or not _is_ascii(text):
        return each_text(text, str.lower, pa.string())
    return pc.ascii_lower(_from_the_start(text))


def _upper(arguments: Arguments) -> Column:
    text = arguments[0]
    if isinstance(text, pa.Scalar) or not _is_ascii(text):
        return each_text(text, str.upper, pa.string())
    return pc.ascii_upper(_from_the_start(text))


def _literals(arguments: Arguments) -> list[Any]:
    return [each.as_py() for each in arguments[1:]]


def _nothing(like: Column, kind: pa.DataType) -> Column:
    """Return NULL for every event."""
    return pc.if_else(pc.is_null(like), to_scalar(None, kind), to_scalar(None, kind))


def of_rows(columns: Arguments, function: Callable[..., Any], kind: pa.DataType) -> Column:
    """Return what Python says of every row; NULL gives NULL."""
    known = [in_one(each) for each in columns if not isinstance(each, pa.Scalar)]
    length = len(known[0]) if known else 1
    values = [[each.as_py()] * length if isinstance(each, pa.Scalar) else each.to_pylist()
              for each in columns]  # fmt: skip
    rows = zip(*values, strict=True)
    found = pa.array([None if None in row else function(*row) for row in rows], kind)
    return found if known else found[0]


def _with_literals(
    function: Callable[..., Column], kind: pa.DataType, row: Callable[..., Any] | None = None
) -> Callable[[Arguments], Column]:
    """Return a function whose further arguments are literals; one that is NULL gives NULL.

    Where they are columns, every `row` is computed by itself.
    """

    def apply(arguments: Arguments) -> Column:
        if row is not None and any(not isinstance(each, pa.Scalar) for each in arguments[1:]):
            return of_rows(arguments, row, kind)
        literals = _literals(arguments)
        if None in literals:
            return _nothing(arguments[0], kind)
        return function(arguments[0], *literals)

    return apply


def _substr(text: Column, start: int, length: int) -> Column:
    if start > 0:
        return pc.utf8_slice_codeunits(text, start - 1, start - 1 + length)
    # Where the text is shorter than that, the part before its beginning counts as characters.
    end = start + length
    part = pc.utf8_slice_codeunits(text, start, end if end < 0 else None)
    missing = pc.subtract(to_scalar(-start), pc.cast(pc.utf8_length(text), pa.int64()))
    if not pc.any(pc.greater(missing, to_scalar(0)), min_count=0).as_py() or end >= 0 > -start:
        return part
    return each_text(text, lambda each: _part_of(each, start, length), pa.string())


def _part_of(text: str, start: int, length: int) -> str:
    begin = len(text) + start
    return text[max(begin, 0) : max(begin + length, 0)]


def _substr_of(text: str, start: int, length: int) -> str | None:
    if start == 0 or length < 0:  # no place, and no length
        return None
    return _part_of(text, start - 1 - len(text) if start > 0 else start, length)


def _split_part_of(text: str, separator: str, number: int) -> str | None:
    if not separator or number < 1:
        return None
    return "".join(text.split(separator)[number - 1 : number])


def _replace_of(text: str, part: str, new: str) -> str:
    return text.replace(part, new) if part else text


def _replace(text: Column, part: str, new: str) -> Column:
    return text if not part else pc.replace_substring(text, part, new)


def _of_pairs(
    function: Callable[..., Column], test: Callable[[Any, Any], bool | None]
) -> Callable[[Arguments], Column]:
    """Return a test of a text; Arrow knows those in which the other side is a literal."""

    def apply(arguments: Arguments) -> Column:
        if isinstance(arguments[1], pa.Scalar):
            return _with_literals(function, pa.bool_())(arguments)
        return of_rows(arguments, test, pa.bool_())

    return apply


def _has_element(array: list[Any], element: Any) -> bool | None:
    return True if element in array else None if None in array else False


def _equal(values: Column, sought: pa.Scalar) -> Column:
    """Return which values equal a literal, of which every digit counts."""
    kind = values.type
    if pa.types.is_dictionary(kind):
        return _equal(pc.cast(values, kind.value_type), sought)
    number = sought.as_py()
    if is_exact(kind) and isinstance(number, int | float | Decimal):
        return compare_with("=", values, exactly(number))
    if pa.types.is_floating(kind):
        return pc.equal(pc.cast(values, pa.float64()), _to_float(sought))
    if pa.types.is_null(kind):
        return _nothing(values, pa.bool_())
    if pa.types.is_string(sought.type):
        values = pc.cast(values, pa.string())
    return pc.equal(values, sought)


def _contains(arguments: Arguments) -> Column:
    column, part = arguments
    if not pa.types.is_nested(column.type):
        if not pa.types.is_string(part.type):  # of what is NULL throughout
            return _nothing(column, pa.bool_())
        return _of_pairs(pc.match_substring, str.__contains__)(arguments)
    if not isinstance(part, pa.Scalar):
        return _of_pairs(pc.equal, _has_element)(arguments)
    if part.as_py() is None:
        return _nothing(column, pa.bool_())
    column = in_one(column)
    if not pa.types.is_list(column.type) and not pa.types.is_large_list(column.type):
        column = pa.array(column.to_pylist(), pa.large_list(column.type.value_type))
    found = _equal(column.flatten(), part)
    lists = to_numpy(pc.list_parent_indices(column))
    has, lacks = (
        np.bincount(lists[to_numpy(each)], minlength=len(column)) > 0
        for each in (pc.fill_null(found, to_scalar(False)), pc.is_null(found))
    )
    unknown = ~has & (lacks | to_numpy(pc.is_null(column)))
    return to_arrow(has, unknown)


def _regexp_extract(text: Column, pattern: str, group: int) -> Column:
    names, named = _with_names(f"({pattern})")
    if not 0 <= group < len(names):
        return pc.if_else(pc.is_valid(text), to_scalar(""), to_scalar(None, pa.string()))
    found = pc.struct_field(pc.extract_regex(text, named), names[group])
    return pc.if_else(pc.is_valid(text), pc.coalesce(found, to_scalar("")), found)


def _with_names(pattern: str) -> tuple[list[str], str]:
    """Return a pattern in which every group has a name, and the names."""
    names: list[str] = []

    def name(found: re.Match[str]) -> str:
        if found[0] not in ("(", "(?P<", "(?<"):
            return found[0]
        names.append(f"group{len(names)}")
        if found[0] == "(":
            return f"(?P<{names[-1]}>"
        return f"(?P<{names[-1]}_"

    named = PARTS_OF_PATTERN.sub(name, pattern)
    given = re.findall(r"\(\?P<(\w+)>", named)
    return given, named


def _split_part(text: Column, separator: str, number: int) -> Column:
    parts = pc.split_pattern(text, separator)
    if isinstance(parts, pa.Scalar):
        found = parts.as_py()
        return to_scalar(
            None if found is None else "".join(found[number - 1 : number]), pa.string()
        )
    return pc.binary_join(pc.list_slice(parts, number - 1, number), "")


def _to_float(column: Column) -> Column:
    return pc.cast(column, pa.float64(), safe=False)


def _abs(arguments: Arguments) -> Column:
    """Raise ArrowInvalid for the smallest whole number, as checked arithmetic does."""
    return pc.abs_checked(arguments[0])


def _sign(arguments: Arguments) -> Column:
    number = _to_float(arguments[0])
    known = pc.if_else(pc.is_nan(number), to_scalar(None, pa.float64()), pc.sign(number))
    return pc.cast(known, pa.int64())


def _round(arguments: Arguments) -> Column:
    number, digits = arguments[0], arguments[1].as_py()
    if digits is None:
        return _nothing(number, number.type)
    if pa.types.is_integer(number.type):
        return number
    if pa.types.is_decimal(number.type):
        return _to_digits(number, digits, lambda each, kept: pc.round(each, kept, AWAY_FROM_ZERO))
    scaled = pc.multiply(number, to_scalar(float(f"1e{digits}")))
    whole = pc.trunc(scaled)
    half = pc.greater_equal(pc.abs(pc.subtract(scaled, whole)), to_scalar(0.5))
    step = pc.if_else(half, pc.sign(scaled), to_scalar(0.0))
    rounded = pc.divide(pc.add(whole, step), to_scalar(float(f"1e{digits}")))
    is_small = pc.less(pc.abs(scaled), to_scalar(4503599627370496.0))
    return pc.if_else(is_small, rounded, number)


def _to_digits(number: Column, digits: int, function: Callable[[Column, int], Column]) -> Column:
    """Return decimals of fewer digits after the point, and of one more before it, as in Spark."""
    kind = number.type
    kept = min(digits, kind.scale)
    wide = pc.cast(number, pa.decimal256(min(kind.precision + 1, MOST_DIGITS), kind.scale))
    changed = function(wide, kept) if kept < kind.scale else wide
    is_long = pa.types.is_decimal256(kind)
    make, most = (pa.decimal256, MOST_DIGITS) if is_long else (pa.decimal128, MOST_IN_RESULTS)
    fitting = make(min(kind.precision - kind.scale + 1 + kept, most), kept)
    if fitting.precision - kept < changed.type.precision - changed.type.scale:
        limit = pa.scalar(Decimal((0, (9,) * fitting.precision, -kept)), fitting)
        is_fine = pc.less_equal(pc.abs(changed), limit.cast(changed.type))
        changed = pc.if_else(is_fine, changed, pa.scalar(None, changed.type))
    return pc.cast(changed, fitting)


def _whole(function: Callable[[Column], Column]) -> Callable[[Arguments], Column]:
    def apply(arguments: Arguments) -> Column:
        number = arguments[0]
        if pa.types.is_decimal(number.type):
            return _to_digits(number, 0, lambda each, _: function(each))
        return number if pa.types.is_integer(number.type) else function(number)

    return apply


def _of_float(
    function: Callable[[Column], Column], without: Callable[[Column], Column] | None = None
) -> Callable[[Arguments], Column]:
    """Return a function of floats that has no value `without` some of them."""

    def apply(arguments: Arguments) -> Column:
        number = _to_float(arguments[0])
        if without is not None:
            number = pc.if_else(without(number), to_scalar(None, pa.float64()), number)
        return function(number)

    return apply


def _power(arguments: Arguments) -> Column:
    return pc.power(_to_float(arguments[0]), _to_float(arguments[1]))


def _least(arguments: Arguments) -> Column:
    return _chosen(pc.min_element_wise, arguments)


def _chosen(choose: Callable[..., Column], arguments: Arguments) -> Column:
    kind = arguments[0].type
    if pa.types.is_timestamp(kind) and kind.tz is not None:  # Arrow chooses only without a zone
        return choose(*(pc.cast(each, pa.int64()) for each in arguments)).cast(kind)
    return choose(*arguments)


def _coalesce(arguments: Arguments) -> Column:
    try:
        return pc.coalesce(*arguments)
    except pa.ArrowNotImplementedError:  # of what Arrow does not choose among
        return reduce(lambda one, other: choose(pc.is_valid(one), one, other), arguments)


def _greatest(arguments: Arguments) -> Column:
    largest = _chosen(pc.max_element_wise, arguments)
    if pa.types.is_floating(largest.type):  # Arrow prefers numbers to NaN
        for each in arguments:
            largest = pc.if_else(pc.fill_null(pc.is_nan(each), False), each, largest)
    return largest


def _local(time: Column) -> Column:
    """Return a time as clocks in its zone show it."""
    if pa.types.is_timestamp(time.type) and time.type.tz is not None:
        return pc.local_timestamp(time)
    return time


def _part(function: Callable[..., Column], **options: Any) -> Callable[[Arguments], Column]:
    def apply(arguments: Arguments) -> Column:
        time = arguments[0]
        if pa.types.is_date(time.type):
            time = pc.cast(time, pa.timestamp("us"))
        return pc.cast(function(_local(time), **options), pa.int64())

    return apply


def _date_trunc(arguments: Arguments) -> Column:
    unit, time = arguments
    kind, name = time.type, unit.as_py().lower()
    if pa.types.is_date(kind):
        time = pc.cast(time, pa.timestamp("us"))
    local = _local(time)
    begun = pc.floor_temporal(local, unit=name, week_starts_monday=True)
    if kind == begun.type:
        return begun
    if pa.types.is_date(kind):
        return pc.cast(begun, kind)
    if name in WITHIN_A_DAY:  # clocks may show it twice
        return pc.subtract(time, pc.subtract(local, begun))
    return pc.assume_timezone(begun, kind.tz, ambiguous="earliest", nonexistent="latest")


def microseconds(arguments: Arguments) -> Column:
    """Return microseconds since 1970, without what is finer."""
    time = arguments[0]
    if pa.types.is_date(time.type):
        time = pc.cast(time, pa.timestamp("us"))
    ticks = pc.cast(time, pa.int64())
    if time.type.unit == "ns":
        return pc.cast(
            pc.divide(pc.subtract(ticks, _modulo(ticks, 1_000)), to_scalar(1_000)), pa.int64()
        )
    return pc.multiply(ticks, to_scalar(EPOCH_UNITS[time.type.unit]))


def _modulo(ticks: Column, divisor: int) -> Column:
    whole = pc.multiply(pc.divide(ticks, to_scalar(divisor)), to_scalar(divisor))
    rest = pc.subtract(ticks, whole)
    return pc.if_else(
        pc.less(rest, to_scalar(0)), pc.add(rest, to_scalar(divisor)), rest
    )  # of a time before 1970


def _epoch(arguments: Arguments) -> Column:
    return pc.divide(_to_float(microseconds(arguments)), to_scalar(1e6))


@cache
def _nanoseconds(unit: str) -> pa.Scalar:
    """Return the length of a unit as a decimal; to make one of those imports pandas."""
    return pa.scalar(Decimal(NANOSECONDS[unit]), pa.decimal256(14, 0))


def _later(arguments: Arguments) -> Column:
    time, length = arguments
    if pa.types.is_floating(length.type):  # an average of lengths of time
        length = pc.cast(pc.trunc(length), pa.int64(), safe=False)
    is_date = pa.types.is_date(time.type)
    if is_date:
        time = pc.cast(time, pa.date32())
    unit = DAY if is_date else time.type.unit
    kind = pa.timestamp("us") if is_date else time.type
    if unit in ("s", "ms"):
        kind = pa.timestamp("us", kind.tz)
    try:
        moved = pc.add_checked(pc.cast(time, kind), pc.cast(length, pa.duration("us")))
    except pa.ArrowInvalid:  # not all of them have 64 bits
        ticks = pc.cast(time, pa.int32()) if is_date else pc.cast(time, pa.int64())
        moved = pc.multiply(pc.cast(ticks, WHOLE), _nanoseconds(unit))
        moved = pc.add(moved, pc.multiply(pc.cast(length, WHOLE), _nanoseconds("us")))
        moved = within_64_bits(pc.divide(moved, _nanoseconds(kind.unit))).cast(kind)
    return pc.cast(pc.floor_temporal(moved, unit="day"), pa.date32()) if is_date else moved


def _size(arguments: Arguments) -> Column:
    if not pa.types.is_nested(arguments[0].type):  # NULL throughout
        return pc.cast(arguments[0], pa.int64())
    return pc.cast(pc.list_value_length(arguments[0]), pa.int64())


def _concat(arguments: Arguments) -> Column:
    texts = [pc.cast(each, pa.string()) for each in arguments]
    return pc.binary_join_element_wise(*texts, to_scalar(""), null_handling="emit_null")


FUNCTIONS: Mapping[str, Callable[[Arguments], Column]] = {
    "lower": _lower,
    "upper": _upper,
    "length": lambda arguments: pc.cast(pc.utf8_length(arguments[0]), pa.int64()),
    "substr": _with_literals(_substr, pa.string(), _substr_of),
    "trim": _with_literals(pc.utf8_trim, pa.string(), str.strip),
    "ltrim": _with_literals(pc.utf8_ltrim, pa.string(), str.lstrip),
    "rtrim": _with_literals(pc.utf8_rtrim, pa.string(), str.rstrip),
    "concat": _concat,
    "starts_with": _of_pairs(pc.starts_with, str.startswith),
    "ends_with": _of_pairs(pc.ends_with, str.endswith),
    "contains": _contains,
    "replace": _with_literals(_replace, pa.string(), _replace_of),
    "regexp_extract": _with_literals(_regexp_extract, pa.string()),
    "split_part": _with_literals(_split_part, pa.string(), _split_part_of),
    "abs": _abs,
    "sign": _sign,
    "round": _round,
    "floor": _whole(pc.floor),
    "ceil": _whole(pc.ceil),
    "sqrt": _of_float(pc.sqrt, lambda x: pc.less(x, to_scalar(0.0))),
    "power": _power,
    "ln": _of_float(pc.ln, lambda x: pc.less_equal(x, to_scalar(0.0))),
    "log10": _of_float(pc.log10, lambda x: pc.less_equal(x, to_scalar(0.0))),
    "exp": _of_float(pc.exp),
    "least": _least,
    "greatest": _greatest,
    "coalesce": _coalesce,
    "year": _part(pc.year),
    "quarter": _part(pc.quarter),
    "month": _part(pc.month),
    "day": _part(pc.day),
    "hour": _part(pc.hour),
    "minute": _part(pc.minute),
    "second": _part(pc.second),
    "day_of_week": _part(pc.day_of_week, count_from_zero=False, week_start=1),
    "day_of_year": _part(pc.day_of_year),
    "date_trunc": _date_trunc,
    "epoch": _epoch,
    "microseconds": microseconds,
    "later": _later,
    "size": _size,
    "hex": lambda arguments: each_text(arguments[0], bytes.hex, pa.string()),
}
