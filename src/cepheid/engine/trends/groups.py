"""Values per group: what the partitions of a group add up to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.few_events import add_few
from cepheid.engine.events.is_few import is_few
from cepheid.kernels.values.add_by_key import add_by_key
from cepheid.kernels.values.value_arrays import NOTHING, ValueRows

Int64s = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GroupRows:
    """Values per group and window; `row` is the row of an event of the group.

    With WITHIN alone that event is of the moment too; at an expiry it is the event that leaves.
    The row before an expiry is a tick earlier; it is only there to be compared with.
    """

    row: Int64s
    values: ValueRows
    is_expiry: NDArray[np.bool_]


def add_groups(rows: ValueRows, group: Int64s, row: Int64s, moduli: Int64s) -> GroupRows:
    """Add the partitions of a group; groups and windows without a trend have no row.

    `group` and `row` are by row of the values: its group, and the row of an event of that.
    """
    if _are_apart(group, rows):
        return GroupRows(row, rows, np.zeros(row.size, np.bool_))
    found = np.flatnonzero(rows.mantissa[:, 0] > 0)
    kept = taken(rows, found)
    if found.size == 1:
        return GroupRows(row[found], kept, np.zeros(1, np.bool_))
    of_group = group[found]
    order = np.lexsort((kept.window, of_group))  # stable: the first row of a key stays the first
    is_new = np.ones(found.size, np.bool_)
    for key in (of_group[order], kept.window[order]):
        is_new[1:] &= key[1:] == key[:-1]
    is_new[1:] = ~is_new[1:]
    chosen = order[is_new]
    key_of_row = np.empty(found.size, np.int64)
    key_of_row[order] = np.cumsum(is_new) - 1
    totals = add_rows(kept, key_of_row, chosen.size, moduli)
    totals = totals._replace(owner=kept.owner[chosen], window=kept.window[chosen])
    return GroupRows(row[found][chosen], totals, np.zeros(chosen.size, np.bool_))


def _are_apart(group: Int64s, rows: ValueRows) -> bool:
    """Whether there is nothing to add, to sort or to drop."""
    same, after = group[1:] == group[:-1], rows.window[1:] > rows.window[:-1]
    is_sorted = (group[1:] > group[:-1]) | (same & after)
    return bool(is_sorted.all() and (rows.mantissa[:, 0] > 0).all())


def add_rows(rows: ValueRows, keys: Int64s, count: int, moduli: Int64s) -> ValueRows:
    """Return the sum per key (0 to count - 1)."""
    numbers, minima = (count, rows.mantissa.shape[1]), (count, rows.least.shape[1])
    totals = ValueRows(
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros(numbers),
        np.zeros(numbers, np.int64),
        np.zeros(numbers, np.int64),
        np.full(minima, NOTHING, np.int64),
    )
    contiguous = ValueRows(
        rows.owner,
        rows.window,
        np.ascontiguousarray(rows.mantissa),
        np.ascontiguousarray(rows.tier),
        np.ascontiguousarray(rows.low),
        np.ascontiguousarray(rows.least),
    )
    if not is_few(keys.size) or not add_few(keys, contiguous, moduli, totals):
        add_by_key(keys, contiguous, moduli, totals)
    return totals


def taken(rows: ValueRows, chosen: Int64s) -> ValueRows:
    """Return some rows."""
    return ValueRows(
        rows.owner[chosen],
        rows.window[chosen],
        rows.mantissa[chosen],
        rows.tier[chosen],
        rows.low[chosen],
        rows.least[chosen],
    )
