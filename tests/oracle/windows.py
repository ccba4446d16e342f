"""Where an aggregate looks: its windows, or the moments of WITHIN alone (semantics, section 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from cepheid.analysis.bound import BoundPattern, BoundQuery, PredicateClass, WindowUnit
from tests.oracle.events import Event, from_ticks, has_type, measure, steps, time_name
from tests.oracle.matches import scene
from tests.oracle.predicates import holds


@dataclass(frozen=True, slots=True)
class View:
    """The events that a result covers, and the columns that name it.

    `groups` are those with a row in any case; None: those that have a trend.
    `stream_time` is the time of the result as an event of another stream.
    """

    columns: dict[str, Any]
    covers: Callable[[Event], bool]
    groups: list[tuple[Any, ...]] | None = None
    stream_time: Any = None


def views(query: BoundQuery, events: list[Event]) -> Iterator[View]:
    """Yield every view of an aggregate query, in order."""
    if query.window is None:
        yield View({}, lambda _: True)
    elif query.window.slide is None:
        yield from _moments(query, events)
    else:
        yield from _windows(query, events, query.window.length, query.window.slide)


def _windows(query: BoundQuery, events: list[Event], length: int, slide: int) -> Iterator[View]:
    """[i·slide, i·slide + length) for every i; windows without events have no trend."""
    numbers = {
        number
        for event in events
        for number in range(
            (measure(query, event) - length) // slide + 1, measure(query, event) // slide + 1
        )
    }
    for number in sorted(numbers):
        start, end = number * slide, number * slide + length

        def covers(event: Event, start: int = start, end: int = end) -> bool:
            return start <= measure(query, event) < end

        shown = [start, end, None]
        if query.window is not None and query.window.unit is WindowUnit.TIME:
            like = events[0].row[time_name(query.schema)]
            shown = [from_ticks(each, like, query.schema) for each in (start, end, end - 1)]
        yield View({"window_start": shown[0], "window_end": shown[1]}, covers, stream_time=shown[2])


def _moments(query: BoundQuery, events: list[Event]) -> Iterator[View]:
    """One view per order key at which an event fits a last position."""
    for step in steps(events):
        groups = [event.group for event in step if _ends_something(query, event)]
        if groups:
            row = step[0].row
            time = row[time_name(query.schema)]
            columns = {"time": time} | {each: row.get(each) for each in query.schema.order}
            covers = covers_at(query, events, step[0].time, step[0].key)
            yield View(columns, covers, list(dict.fromkeys(groups)), time)


def covers_at(
    query: BoundQuery, events: list[Event], time: int, key: tuple[Any, ...]
) -> Callable[[Event], bool]:
    """(t - w, t], up to an order key; a count is taken back from each partition's latest event."""
    window = query.window
    assert window is not None

    def newest(event: Event) -> int:
        if window.unit is WindowUnit.TIME:
            return time
        return max(
            each.index for each in events if each.partition == event.partition and each.key <= key
        )

    return lambda event: event.key <= key and measure(query, event) > newest(event) - window.length


def _ends_something(query: BoundQuery, event: Event) -> bool:
    """Whether the event fits a last position."""
    return any(
        _fits_alone(query, pattern, event, border.position)
        for pattern in query.patterns
        for border in pattern.automaton.last
    )


def begins_something(query: BoundQuery, event: Event) -> bool:
    """Whether the event fits a first position."""
    return any(
        _fits_alone(query, pattern, event, border.position)
        for pattern in query.patterns
        for border in pattern.automaton.first
    )


def _fits_alone(query: BoundQuery, pattern: BoundPattern, event: Event, position: int) -> bool:
    """Whether type and local predicates hold."""
    if event.partition is None or not has_type(event, pattern.automaton.positions[position]):
        return False
    here = scene(query, pattern, ((event, position),), ended=False)
    return all(
        holds(clause.condition, here)
        for clause in pattern.clauses
        if clause.predicate_class is PredicateClass.LOCAL
    )
