"""Rows of partitions as rows of groups that have several: at a moment all of them are added up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents, starts_of_runs
from cepheid.engine.events.ticks import later
from cepheid.kernels.shared.add_over_time import add_over_time

Int64s = NDArray[np.int64]
Float64s = NDArray[np.float64]
BEFORE_EVENTS = 0  # the rank of what leaves the window: those of order keys begin at 1


class RowsOfQuery(NamedTuple):
    """The steps of a query at which it has a row, its numbers and minima.

    A row of a partition with the step -1 - s is of the time at which step s leaves the window.
    """

    step: Int64s
    numbers: Float64s
    least: Int64s


def rows_of_groups(
    rows: RowsOfQuery, ordered: OrderedEvents, group: Int64s, length: int
) -> tuple[RowsOfQuery, Int64s]:
    """Return a row for every moment of a group, sorted by group and time, and what it is made of.

    A moment is an order key at which a partition of the group has a row. The latter is the place of
    the moment and the step of every such row, as two rows of an array. `group` is by event.
    """
    arrays = ordered.arrays
    leaves_window = rows.step < 0
    step = np.where(leaves_window, -1 - rows.step, rows.step)
    event = arrays.step_offsets[step]
    time, rank = arrays.clock[event], ordered.key_rank[event]
    time = np.where(leaves_window, later(time, length), time)
    rank = np.where(leaves_window, BEFORE_EVENTS, rank)
    order = np.lexsort((rank, time, group[event]))
    step, rank, own = step[order], rank[order], group[event[order]]
    numbers, least = rows.numbers[order], rows.least[order]
    _add(ordered, group, step, own, numbers, least)
    shown = np.flatnonzero(rank != BEFORE_EVENTS)
    is_new = starts_of_runs(own[shown]) | starts_of_runs(rank[shown])
    last = shown[np.flatnonzero(np.append(is_new[1:], True)[: shown.size])]
    moments = RowsOfQuery(step[last], numbers[last], least[last])
    return moments, np.stack((np.cumsum(is_new) - 1, step[shown]))


def _add(
    ordered: OrderedEvents,
    group: Int64s,
    step: Int64s,
    own: Int64s,
    numbers: Float64s,
    least: Int64s,
) -> None:
    """Replace the rows of partitions, which are sorted by group and time, by those of groups."""
    arrays = ordered.arrays
    of_partition = group[arrays.step_offsets[arrays.partition_offsets[:-1]]]
    by_group = np.argsort(of_partition, kind="stable")
    groups, first, leaves = np.unique(of_partition[by_group], return_index=True, return_counts=True)
    place = np.empty(of_partition.size, np.int64)
    place[by_group] = np.arange(by_group.size) - np.repeat(first, leaves)
    partition = np.searchsorted(arrays.partition_offsets, step, side="right") - 1
    room = 2 * int(leaves.max(initial=0))
    add_over_time(
        place[partition],
        np.append(np.searchsorted(own, groups), own.size),
        leaves,
        np.empty((room, numbers.shape[1])),
        np.empty((room, least.shape[1]), np.int64),
        numbers,
        least,
    )
