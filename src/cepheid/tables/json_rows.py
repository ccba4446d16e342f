"""Rows of any table as texts of JSON, one object each."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterator
from typing import Any

import pyarrow as pa


def json_rows(table: pa.Table) -> Iterator[str]:
    """Yield every row; times are texts in the form of ISO 8601, as are numbers that JSON lacks.

    >>> list(json_rows(pa.table({"n": [1.0, float("inf")], "at": pa.array([0, 1], pa.date32())})))
    ['{"n": 1.0, "at": "1970-01-01"}', '{"n": "Infinity", "at": "1970-01-02"}']
    """
    for row in table.to_pylist():
        yield json.dumps(_plain(row), ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)
