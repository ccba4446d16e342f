"""The last results of streams on a timeline, from rows as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from cepheid.analysis.bound import EventsColumn
from cepheid.explain.time_axis import TimeAxis
from cepheid.plan.physical import PhysicalPlan
from cepheid.plot.body import Body
from cepheid.plot.pack_lanes import pack_lanes
from cepheid.plot.timeline import Kind, Mark, Match, Role, Row, Timeline
from cepheid.plot.timeline_body import timeline_body

OF_RESULTS = ("first_time", "last_time", "window_start", "window_end", "time")
MICROSECONDS = 1_000_000
ZONE = re.compile(r"\d(Z|[+-]\d{2}:?\d{2})$")
PADDING = 0.012  # of the axis at both ends
Rows = Sequence[Mapping[str, Any]]


def time_columns(plan: PhysicalPlan) -> tuple[str, ...]:
    """Return the columns of a result that hold times of its events, or of its window."""
    bound = plan.query
    if bound.is_aggregate:
        return OF_RESULTS
    of_events = [
        each.output
        for each in bound.matches or ()
        if isinstance(each, EventsColumn) and each.attribute == bound.schema.time
    ]
    has_all = not bound.tree.returns
    return (*of_events, *(OF_RESULTS[:2] if has_all else ()))


def drawn_results(
    rows: Mapping[str, Rows],
    times: Mapping[str, Sequence[str]],
    counts: Mapping[str, int],
    *,
    is_integer: bool,
) -> Body | None:
    """Return a timeline with a row for each query; None if no result says when it was."""
    found = {
        name: list(_matches(each, times.get(name, ()), is_integer)) for name, each in rows.items()
    }
    ticks = [mark.tick for each in found.values() for match in each for mark in match.marks]
    if not ticks:
        return None
    pad = max(1, round((max(ticks) - min(ticks)) * PADDING))
    axis = TimeAxis(min(ticks) - pad, max(ticks) + pad, None if is_integer else MICROSECONDS)
    without = [name for name, each in found.items() if not each]
    zone = "" if is_integer else f", {_zone(rows, times)}"
    notes = [
        f"some of the last results of each query, by the times of their events or windows{zone}"
    ]
    if without:
        notes.append(f"{', '.join(without)}: RETURN has no time, so there is nothing to draw")
    drawn = tuple(_row(name, each, counts.get(name, 0)) for name, each in found.items() if each)
    kinds = (Kind("event, or border of a window", Role.MATCHED), Kind("", Role.OTHER))
    noun = ("result", "results")
    timeline = Timeline("Last results", "query", axis, kinds, drawn, tuple(notes), noun)
    return timeline_body(timeline)


def _zone(rows: Mapping[str, Rows], times: Mapping[str, Sequence[str]]) -> str:
    """Say what zone times on the axis have: all are drawn in UTC, but some come without a zone."""
    values = (
        str(value)
        for name, each in rows.items()
        for row in each
        for column in times.get(name, ())
        for value in _flat(row.get(column))
        if value is not None
    )
    has_zone = any(ZONE.search(each) for each in values)
    return "in UTC" if has_zone else "without a zone, as they are in the events"


def _row(name: str, matches: Sequence[Match], count: int) -> Row:
    ordered = sorted(matches, key=lambda each: (each.begin, each.end))
    marks = {mark.tick: mark for match in ordered for mark in match.marks}
    return Row(name, tuple(marks.values()), len(marks), (), pack_lanes(ordered), count, ())


def _matches(rows: Rows, columns: Sequence[str], is_integer: bool) -> Iterator[Match]:
    for number, row in enumerate(rows):
        ticks = sorted(
            tick
            for column in columns
            for value in _flat(row.get(column))
            if (tick := _tick(value, is_integer)) is not None
        )
        if ticks:
            words = "\n".join(f"{key}: {value}" for key, value in row.items())
            marks = tuple(Mark(number, each, 0, words) for each in dict.fromkeys(ticks))
            yield Match(marks, (), None, words)


def _flat(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _tick(value: Any, is_integer: bool) -> int | None:
    if is_integer:
        return round(value) if isinstance(value, int | float) else None
    try:
        read = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    zoned = read if read.tzinfo is not None else read.replace(tzinfo=UTC)
    return round(zoned.timestamp() * MICROSECONDS)
