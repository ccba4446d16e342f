"""How Spark's worker cuts the partitions of a table for a function, and where they begin.

The worker compares the values of every row with those of the row before, one by one in Python,
which takes longer than the query. Where Arrow compares values as Python does, Arrow looks instead.
Both are known from the code that makes the first instance of a function; if a version of Spark has
other code, nothing is changed.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

LOOP = "_detect_partition_boundaries"
COLUMNS = "_partition_child_indexes"
WITHOUT_PARTITIONS = "read_udtf"


def cut_quickly() -> bool | None:
    """Have Arrow cut what whoever makes an instance of a function would cut row by row.

    Called by the __init__ of the instance. Returns whether the table is cut into partitions; None
    if that is not known.
    """
    caller = sys._getframe(2)
    owner = caller.f_locals.get("self")
    row_by_row = getattr(owner, LOOP, None)
    if row_by_row is None:
        return False if caller.f_code.co_name == WITHOUT_PARTITIONS else None

    def beginnings(batch: pa.RecordBatch) -> list[int]:
        columns = getattr(owner, COLUMNS, ())  # set after the first instance is made
        found = partition_beginnings([batch.column(each) for each in columns])
        return row_by_row(batch) if found is None else found

    if LOOP not in vars(owner):
        setattr(owner, LOOP, beginnings)
    return True


def partition_beginnings(keys: list[Any]) -> list[int] | None:
    """Return the rows at which one of the columns changes, and the end; None for other types.

    >>> partition_beginnings([pa.array([7, 7, None, None, 8])])
    [0, 2, 4, 5]
    >>> partition_beginnings([pa.array([1.0])]) is None  # NaN is not NaN in Python
    True
    """
    if not keys or len(keys[0]) == 0 or not all(_is_alike(each.type) for each in keys):
        return None
    ends = [pc.run_end_encode(each).run_ends.to_numpy() for each in keys]
    return [0, *np.unique(np.concatenate(ends)).tolist()]


def _is_alike(kind: pa.DataType) -> bool:
    """Whether values of a type are the same in Arrow if and only if they are in Python."""
    types = pa.types
    return bool(
        types.is_integer(kind)
        or types.is_boolean(kind)
        or types.is_string(kind)
        or types.is_date(kind)
        or types.is_timestamp(kind)
    )
