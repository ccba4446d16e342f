"""Rows of values: room for them, and what was written."""

from __future__ import annotations

import numpy as np

from cepheid.kernels.values.value_arrays import Measures, ValueRows
from cepheid.program.arrow_arrays import empty


def make_rows(size: int, measures: Measures) -> ValueRows:
    """Return room for rows."""
    numbers, minima = measures.moduli.size, measures.least_positions.size
    return ValueRows(
        empty(size),
        empty(size),
        empty(size * numbers, np.float64).reshape(size, numbers),
        empty(size * numbers).reshape(size, numbers),
        empty(size * numbers).reshape(size, numbers),
        empty(size * minima).reshape(size, minima),
    )


def joined_rows(parts: list[ValueRows]) -> ValueRows:
    """Return all rows in one."""
    if len(parts) == 1:
        return parts[0]
    return ValueRows._make(np.concatenate(each) for each in zip(*parts, strict=True))


def first_rows(rows: ValueRows, count: int) -> ValueRows:
    """Return the first rows."""
    return ValueRows._make(each[:count] for each in rows)


def counts_only(measures: Measures) -> bool:
    """Whether runs are counted, and nothing else."""
    return measures.moduli.size == 1 and measures.least_positions.size == 0
