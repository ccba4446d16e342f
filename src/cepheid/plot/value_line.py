"""The values of an attribute in the order of time, few enough to be drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.errors import ConfigError, suggest
from cepheid.plot.timeline import Dot, ValueLine

STRETCHES = 300  # of a line with more values, each has its least and its largest one


def value_numbers(table: pa.Table, column: str) -> NDArray[np.float64]:
    """Return the values of a column that is to be drawn, NaN where there is none."""
    if column not in table.column_names:
        raise ConfigError(
            f"the events have no attribute '{column}' to draw (value)",
            hint=suggest(column, table.column_names, owner="every event"),
        )
    kind = table[column].type
    if not _is_number(kind):
        numbers = [each.name for each in table.schema if _is_number(each.type)]
        raise ConfigError(
            f"'{column}' holds {kind}, and only numbers can be drawn as a line (value)",
            hint=f"numbers are: {', '.join(numbers)}" if numbers else "no attribute has numbers",
        )
    values = pc.cast(table[column], pa.float64(), safe=False)
    whole: NDArray[np.float64] = np.asarray(pc.fill_null(values, np.nan).to_numpy(), np.float64)
    return whole


def _is_number(kind: Any) -> bool:
    is_whole = pa.types.is_integer(kind)
    return bool(is_whole or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def value_line(
    ticks: NDArray[np.int64], values: NDArray[np.float64], dots: Sequence[Dot]
) -> ValueLine | None:
    """Return the line through values in the order of their times; None if there are none."""
    is_finite = np.isfinite(values)
    ticks, values = ticks[is_finite], values[is_finite]
    if not values.size:
        return None
    kept = _extremes(values)
    points = tuple(zip(ticks[kept].tolist(), values[kept].tolist(), strict=True))
    return ValueLine(points, tuple(dots), float(values.min()), float(values.max()))


def _extremes(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the places of all values or, of many, the least and the largest of each stretch.

    >>> _extremes(np.array([3.0, 1.0])).tolist()
    [0, 1]
    >>> many = np.zeros(3_000)
    >>> many[1_234] = 9
    >>> 1_234 in _extremes(many), _extremes(many).size <= 2 * STRETCHES
    (True, True)
    """
    if values.size <= 2 * STRETCHES:
        return np.arange(values.size)
    borders = np.linspace(0, values.size, STRETCHES + 1).astype(int)
    places = [
        begin + place
        for begin, end in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True)
        for place in (int(values[begin:end].argmin()), int(values[begin:end].argmax()))
    ]
    return np.unique(np.array(places, np.int64))
