"""How far a step of a stream has settled each partition, in what its windows measure."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.report_range import ReportRange
from cepheid.engine.events.ticks import SMALLEST
from cepheid.kernels.order.arrange_events import Grouped

Int64s = NDArray[np.int64]
NOTHING_SETTLED = SMALLEST  # earlier than every clock


class Horizons(NamedTuple):
    """By partition: what ends at `until` or before is final; up to `before` it was already."""

    before: Int64s
    until: Int64s


def horizons_in_time(report: ReportRange, partitions: int) -> Horizons:
    """Return the horizons where windows measure time: the same for all partitions."""
    before = NOTHING_SETTLED if report.before is None else report.before
    return Horizons(
        np.full(partitions, max(before, NOTHING_SETTLED)), np.full(partitions, report.until)
    )


def horizons_in_events(
    report: ReportRange, grouped: Grouped, index: Int64s | None, window: int
) -> Horizons:
    """Return by code the largest index of a settled event, where windows measure events.

    `index` has the index of every event as given; without it events are counted from the first. At
    the end of the input all windows of so many events are over that have one at all.
    """
    sizes = np.diff(grouped.begin)
    code = np.repeat(np.arange(sizes.size), sizes)
    counted = _counted(grouped, code) if index is None else index[grouped.event]
    was_known = report.is_known(grouped.ticks, grouped.event)
    is_known = np.ones_like(was_known)
    if report.known_rows is None:
        is_known = grouped.ticks < report.until
    until = _latest(grouped, code, counted, is_known)
    if report.ends:
        until += window
    return Horizons(_latest(grouped, code, counted, was_known), until)


def _latest(grouped: Grouped, code: Int64s, index: Int64s, is_known: NDArray[np.bool_]) -> Int64s:
    """Return by code the largest index of known events; they come before all others of a code."""
    codes = grouped.begin.size - 1
    count = np.bincount(code[is_known], minlength=codes)
    result = np.full(codes, NOTHING_SETTLED)
    result[count > 0] = index[(grouped.begin[:-1] + count - 1)[count > 0]]
    return result


def _counted(grouped: Grouped, code: Int64s) -> Int64s:
    """Return for every event how many of its code come before; concurrent ones have the same."""
    place = np.arange(code.size)
    is_first = np.ones(code.size, np.bool_)
    is_first[1:] = (code[1:] != code[:-1]) | (grouped.key_rank[1:] != grouped.key_rank[:-1])
    step_begin = np.maximum.accumulate(np.where(is_first, place, 0))
    result: Int64s = step_begin - grouped.begin[code]
    return result
