"""WITHIN alone, on request: moments at which expiry changes a result (semantics, section 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cepheid.analysis.bound import BoundQuery, WindowUnit
from tests.oracle.aggregates import aggregate_trends
from tests.oracle.events import Event, from_ticks, time_name
from tests.oracle.functions import value_of
from tests.oracle.trends import Trends
from tests.oracle.windows import View, begins_something, covers_at, views


def expiries(query: BoundQuery, events: list[Event], trends: Trends) -> Iterator[View]:
    """Yield a view for each time and the groups whose result differs from a tick before.

    These are the times at which an event of the group leaves that fits a first position. The result
    is that of the end of the tick: all events of that time are known, and may block matches. A
    group that has a row at that time anyway, because an event arrives that fits a last position,
    has no second one. Order columns are NULL.
    """
    window = query.window
    assert window is not None
    assert window.slide is None
    assert window.unit is WindowUnit.TIME
    shown = {
        (view.columns["time"], group)
        for view in views(query, events)
        for group in view.groups or ()
    }
    starts = [event for event in events if begins_something(query, event)]
    for ticks in sorted({event.time + window.length for event in starts}):
        time = from_ticks(ticks, events[0].row[time_name(query.schema)], query.schema)
        before, covers = (
            covers_at(query, events, each, max(e.key for e in events if e.time <= each))
            for each in (ticks - 1, ticks)
        )
        leaving = [event.group for event in starts if event.time + window.length == ticks]
        groups = [
            group
            for group in dict.fromkeys(leaving)
            if _result(query, trends, before, group) != _result(query, trends, covers, group)
            and (time, group) not in shown
        ]
        if groups:
            columns = {"time": time} | dict.fromkeys(query.schema.order)
            yield View(columns, covers, groups, time)


def _result(query: BoundQuery, trends: Trends, covers: Any, group: tuple[Any, ...]) -> list[Any]:
    members = [each for each in trends.covered(covers) if each[0][0][0].group == group]
    columns = {
        each.output: aggregate_trends(query, each.aggregate, members)
        for each in query.aggregates or ()
    }
    groups = dict(zip((each.output for each in query.group_by), group, strict=True))
    shown = [value for name, value in columns.items() if name in query.returned]
    return shown + [value_of(each.value, columns | groups) for each in query.arithmetic]
