"""WITHIN alone, on request: moments at which expiry changes a result (semantics, section 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cepheid.analysis.bound import BoundQuery, WindowUnit
from tests.oracle.aggregates import aggregate_trends
from tests.oracle.events import Event, from_ticks, time_name
from tests.oracle.trends import Trends
from tests.oracle.windows import View, covers_at, views


def expiries(query: BoundQuery, events: list[Event], trends: Trends) -> Iterator[View]:
    """Yield a view for each time and the groups whose result differs from a tick before.

    Only events before that time are looked at; a group that has a row at that time anyway, because
    an event arrives that fits a last position, has no second one. Order columns are NULL.
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
    for ticks in sorted({event.time + window.length for event in events}):
        time = from_ticks(ticks, events[0].row[time_name(query.schema)], query.schema)
        key = max(event.key for event in events if event.time < ticks)
        before = _results(query, trends, covers_at(query, events, ticks - 1, key))
        covers = covers_at(query, events, ticks, key)
        after = _results(query, trends, covers)
        groups = [
            group
            for group in dict.fromkeys(event.group for event in events)
            if before.get(group) != after.get(group) and (time, group) not in shown
        ]
        if groups:
            columns = {"time": time} | dict.fromkeys(query.schema.order)
            yield View(columns, covers, groups, time)


def _results(query: BoundQuery, trends: Trends, covers: Any) -> dict[tuple[Any, ...], list[Any]]:
    by_group: dict[tuple[Any, ...], list[Any]] = {}
    for trend in trends.covered(covers):
        by_group.setdefault(trend[0][0][0].group, []).append(trend)
    return {
        group: [aggregate_trends(query, each.aggregate, members) for each in query.aggregates or ()]
        for group, members in by_group.items()
    }
