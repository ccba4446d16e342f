"""Arithmetic on arrays that hold many sequences: end to end, or mixed and told apart by a lane."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cepheid.generate.stream import Ints

MAXIMUM_LANES = 10_000  # lanes are sorted as 16-bit numbers, where NumPy's stable sort is a radix


def positions(lengths: Ints) -> Ints:
    """Return 0, 1, 2, ... within each of the sequences laid end to end.

    >>> positions(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def running_sums(steps: Ints, lengths: Ints) -> Ints:
    """Return the sums of the steps so far, restarting with each sequence.

    >>> running_sums(np.array([5, 1, 2, 2, 2]), np.array([2, 0, 3])).tolist()
    [5, 6, 2, 4, 6]
    """
    sums = np.zeros(steps.size + 1, np.int64)
    np.cumsum(steps, out=sums[1:])
    before: Ints = np.repeat(sums[np.cumsum(lengths) - lengths], lengths)
    return sums[1:] - before


def walk_by_lane(lane: Ints, step: Ints, level_by_lane: Ints) -> tuple[Ints, Ints]:
    """Return each event's level after its step along its lane, and the levels at the end.

    >>> level, after = walk_by_lane(np.array([0, 1, 0]), np.array([1, 1, 1]), np.array([10, 20]))
    >>> level.tolist(), after.tolist()
    ([11, 21, 12], [12, 21])
    """
    order = np.argsort(lane.astype(np.uint16), kind="stable")
    events_by_lane = np.bincount(lane, minlength=level_by_lane.size)
    ordered = running_sums(step[order], events_by_lane) + np.repeat(level_by_lane, events_by_lane)
    level = np.empty_like(ordered)
    level[order] = ordered
    moved_by_lane = np.bincount(lane, weights=step, minlength=level_by_lane.size)
    return level, level_by_lane + moved_by_lane.astype(np.int64)


def hold_by_lane(
    lane: Ints, drawn: Ints, renewed: npt.NDArray[np.bool_], held_by_lane: Ints
) -> tuple[Ints, Ints]:
    """Return each event's value: its own draw if renewed, else the last value of its lane.

    >>> held, after = hold_by_lane(
    ...     np.array([0, 1, 0]), np.array([5, 6, 7]), np.array([True, False, False]),
    ...     np.array([1, 2]))
    >>> held.tolist(), after.tolist()
    ([5, 2, 5], [5, 2])
    """
    lanes = held_by_lane.size
    # The held values come first, as renewals of their lanes, so no lane looks into another.
    all_lanes = np.concatenate([np.arange(lanes), lane])
    values = np.concatenate([held_by_lane, drawn])
    fresh = np.concatenate([np.ones(lanes, np.bool_), renewed])
    order = np.argsort(all_lanes.astype(np.uint16), kind="stable")
    source = np.maximum.accumulate(np.where(fresh[order], np.arange(order.size), 0))
    held = np.empty_like(values)
    held[order] = values[order][source]
    last = np.cumsum(np.bincount(all_lanes, minlength=lanes)) - 1
    return held[lanes:], held[order[last]]


def reflect(level: Ints, lowest: int, highest: int) -> Ints:
    """Fold an unbounded walk into a range, turning it round at both ends.

    >>> reflect(np.array([0, 2, 3, 4, 7]), 10, 13).tolist()
    [10, 12, 13, 12, 11]
    """
    span = highest - lowest
    return highest - np.abs(level % (2 * span) - span)
