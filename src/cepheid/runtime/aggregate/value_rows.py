"""Rows of values: room for them, and what was written."""

from __future__ import annotations

import numpy as np

from cepheid.kernels.values import Measures, ValueRows


def make_rows(size: int, measures: Measures) -> ValueRows:
    """Return room for rows."""
    numbers, minima = measures.moduli.size, measures.least_positions.size
    return ValueRows(
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty((size, numbers)),
        np.empty((size, numbers), np.int64),
        np.empty((size, numbers), np.int64),
        np.empty((size, minima), np.int64),
    )


def joined_rows(parts: list[ValueRows]) -> ValueRows:
    """Return all rows in one."""
    if len(parts) == 1:
        return parts[0]
    return ValueRows._make(np.concatenate(each) for each in zip(*parts, strict=True))


def first_rows(rows: ValueRows, count: int) -> ValueRows:
    """Return the first rows."""
    return ValueRows._make(each[:count] for each in rows)
