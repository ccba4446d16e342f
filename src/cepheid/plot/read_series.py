"""Rows of an aggregate query to pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import pyarrow as pa

from cepheid.analysis.bound import AggregateColumn, BoundQuery, WindowUnit
from cepheid.explain.describe_operators import describe_aggregate
from cepheid.explain.time_axis import TimeAxis
from cepheid.plot.body import Body
from cepheid.plot.event_rows import column_texts, to_ticks
from cepheid.plot.place_matches import counted
from cepheid.plot.series import MOST_LINES, Bars, Chart, Line, Point
from cepheid.plot.series_body import bars_body, chart_body
from cepheid.program.numeric_times import digits_of

MOST_CHARTS, MOST_BARS = 4, 24
MOST_POINTS = 400  # of a line; of more windows, the largest value of several


def draw_aggregates(bound: BoundQuery, table: pa.Table, heading: str) -> tuple[Body, ...]:
    """Return a picture of every aggregate: over time, or of groups; none of a single row."""
    columns = [
        (_title(heading, each), numbers)
        for each in bound.aggregates or ()
        if each.output in bound.returned and (numbers := _numbers(table[each.output])) is not None
    ][:MOST_CHARTS]
    labels = _labels(table, [each.output for each in bound.group_by])
    spans, group = _spans(bound, table), ", ".join(each.output for each in bound.group_by)
    if spans is None:
        groups = labels if bound.group_by else []
        bars = [_bars(name, groups, values) for name, values in columns if groups]
        return tuple(bars_body(replace(each, group=group)) for each in bars)
    charts = [_chart(name, labels, spans, values) for name, values in columns]
    return tuple(chart_body(replace(each, group=group)) for each in charts)


def _title(heading: str, column: AggregateColumn) -> str:
    words = describe_aggregate(column.aggregate)
    named = words if words == column.output else f"{column.output}: {words}"
    return f"{heading}, {named}" if heading else named


def _numbers(column: Any) -> list[float] | None:
    """Return values as numbers, NaN where there is none; None if they are no numbers."""
    if pa.types.is_temporal(column.type) or pa.types.is_boolean(column.type):
        return None
    try:
        return [math.nan if each is None else float(each) for each in column.to_pylist()]
    except (TypeError, ValueError, OverflowError):
        return None


def _labels(table: pa.Table, groups: Sequence[str]) -> list[str]:
    texts = [column_texts(table[each]) for each in groups]
    return [" · ".join(each) for each in zip(*texts, strict=True)] or [""] * table.num_rows


Span = tuple[int, int, int | None]


def _spans(bound: BoundQuery, table: pa.Table) -> tuple[list[Span], TimeAxis] | None:
    """Return from where to where each row is drawn, the end of its window, and the axis.

    None without a time.
    """
    names, window = table.column_names, bound.window
    if not table.num_rows or window is None:
        return None
    if "window_start" in names:
        time, length = table["window_start"], window.slide or window.length
        reach: int | None = window.length
    elif "time" in names:
        time, length, reach = table["time"], 0, None
    else:
        return None
    ticks = to_ticks(time).tolist()
    is_clock = window.unit is WindowUnit.TIME and pa.types.is_temporal(time.type)
    spans = [(tick, tick + length, None if reach is None else tick + reach) for tick in ticks]
    last = max(end for _, end, _ in spans)
    per_second = int(bound.schema.ticks_per_second) if is_clock else None
    return spans, TimeAxis(min(ticks), last, per_second, digits_of(time.type))


def _chart(
    title: str,
    labels: Sequence[str],
    timed: tuple[list[Span], TimeAxis],
    values: Sequence[float],
) -> Chart:
    spans, axis = timed
    points: dict[str, list[Point]] = {}
    for label, (begin, end, until), value in zip(labels, spans, values, strict=True):
        if math.isfinite(value):
            points.setdefault(label, []).append(Point(begin, end, value, until))
    chosen = sorted(points, key=lambda each: -sum(abs(point.value) for point in points[each]))
    shown = sorted(chosen[:MOST_LINES], key=_by_size)
    notes = [_counted_rows(spans)]
    if len(shown) < len(points):
        notes.append(f"{len(shown)} of {len(points):,} groups are drawn, those with most")
    if any(len(points[each]) > MOST_POINTS for each in shown):
        notes.append("each step is the largest value of several windows")
    lines = tuple(Line(each, _runs(_thinned(points[each]))) for each in shown)
    return Chart(title, axis, lines, (", ".join(notes),))


def _counted_rows(spans: Sequence[Span]) -> str:
    is_window = spans[0][2] is not None
    if is_window:
        windows = len({begin for begin, _, _ in spans})
        results = "" if windows == len(spans) else f"{len(spans):,} results of "
        return f"{results}{counted(windows, 'window')}, drawn from their beginning"
    return f"{counted(len(spans), 'value')}, each at the time of the event that it came with"


def _by_size(label: str) -> tuple[bool, float, str]:
    """Numbers by size, then everything else as text."""
    try:
        return False, float(label), ""
    except ValueError:
        return True, 0.0, label


def _thinned(points: list[Point]) -> list[Point]:
    points.sort(key=lambda each: each.begin)
    if len(points) <= MOST_POINTS:
        return points
    size = -(-len(points) // MOST_POINTS)
    parts = [points[start : start + size] for start in range(0, len(points), size)]
    return [
        Point(each[0].begin, each[-1].end, max(one.value for one in each), each[-1].until)
        for each in parts
    ]


def _runs(points: Sequence[Point]) -> tuple[tuple[Point, ...], ...]:
    """Cut where time has a gap; values at moments are one run."""
    if not points or points[0].begin == points[0].end:
        return (tuple(points),) if points else ()
    number, last, keys = 0, points[0].begin, []
    for each in points:
        number += each.begin > last
        keys.append(number)
        last = each.end
    cut = groupby(zip(keys, points, strict=True), key=lambda each: each[0])
    return tuple(tuple(point for _, point in run) for _, run in cut)


def _bars(title: str, labels: Sequence[str], values: Sequence[float]) -> Bars:
    finite = [each for each in zip(labels, values, strict=True) if math.isfinite(each[1])]
    shown = sorted(finite, key=lambda each: -each[1])[:MOST_BARS]
    left = len(finite) - len(shown)
    notes = (f"{left:,} more groups are not drawn",) if left else ()
    shown.sort(key=lambda each: _by_size(each[0]))
    return Bars(title, tuple(shown), notes)
