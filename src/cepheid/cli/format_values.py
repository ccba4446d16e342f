"""The values of a column as short texts that line up."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa

MOST_DECIMALS = 4
ROUNDED_DECIMALS = 3
EXACT_BELOW = 1e15
LONGEST_LIST = 8
CONTROL = {code: "\N{REPLACEMENT CHARACTER}" for code in (*range(32), *range(127, 160))}

Formatter = Callable[[Any], str]


def format_column(column: pa.ChunkedArray) -> list[str | None]:
    """Return the texts of a column; NULL stays None.

    >>> format_column(pa.chunked_array([[1.0, 2.25, None]]))
    ['1.00', '2.25', None]
    >>> format_column(pa.chunked_array([[[1, 2], list(range(50)), []]]))
    ['[1, 2]', '[0, 1, 2, … 49] (50)', '[]']
    """
    kind = column.type
    values = column.to_pylist()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        items = [item for each in values if each is not None for item in each]
        write = _formatter(items)
        return [None if each is None else _list_text(each, write) for each in values]
    write = _formatter(values)
    return [None if each is None else write(each) for each in values]


def is_number(kind: pa.DataType) -> bool:
    """Whether a column is flush right."""
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def _formatter(values: Sequence[Any]) -> Formatter:
    """Return what formats these values alike."""
    present = [each for each in values if each is not None]
    if present and all(isinstance(each, float) for each in present):
        return _float_formatter(present)
    if present and all(isinstance(each, datetime) for each in present):
        return _time_formatter(present)
    return _plain


def _plain(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case _:
            return str(value).translate(CONTROL)


def _float_formatter(values: Sequence[float]) -> Formatter:
    ordinary = [each for each in values if math.isfinite(each) and abs(each) < EXACT_BELOW]
    decimals = max((_decimals(each) for each in ordinary), default=0)
    shown = decimals if decimals <= MOST_DECIMALS else ROUNDED_DECIMALS

    def write(value: float) -> str:
        if math.isinf(value):
            return "∞" if value > 0 else "-∞"
        if math.isnan(value):
            return "NaN"
        is_tiny = 0 < abs(value) < 10**-shown
        return f"{value:.4g}" if is_tiny or abs(value) >= EXACT_BELOW else f"{value:.{shown}f}"

    return write


def _decimals(value: float) -> int:
    """Return how many decimals the shortest text of a number has.

    >>> [_decimals(each) for each in (3.0, 2.25, 1e-7)]
    [0, 2, 7]
    """
    mantissa, _, exponent = repr(value).partition("e")
    fraction = mantissa.partition(".")[2].rstrip("0")
    return max(0, len(fraction) - int(exponent or 0))


def _time_formatter(values: Sequence[datetime]) -> Formatter:
    """Drop the parts of a second that no value has."""
    microseconds = [each.microsecond for each in values]
    if any(each % 1000 for each in microseconds):
        precision = "microseconds"
    else:
        precision = "milliseconds" if any(microseconds) else "seconds"

    def write(value: datetime) -> str:
        return value.isoformat(sep=" ", timespec=precision).replace("+00:00", "Z")

    return write


def _list_text(values: Sequence[Any], write: Formatter) -> str:
    texts = ["null" if each is None else write(each) for each in values]
    if len(texts) <= LONGEST_LIST:
        return f"[{', '.join(texts)}]"
    return f"[{', '.join(texts[:3])}, … {texts[-1]}] ({len(texts)})"
