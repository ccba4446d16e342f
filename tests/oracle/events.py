"""Events with what the definitions ask of them (semantics, sections 1 and 5)."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from typing import Any

from cepheid.analysis.automaton import Position
from cepheid.analysis.bound import BoundQuery, WindowUnit
from cepheid.analysis.schema import EventSchema
from cepheid.language.ast import EVERY_TYPE
from tests.oracle.functions import with_computed
from tests.oracle.partitions import roles_of

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
MICROSECOND = datetime.timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """One row; two events are the same only if they are the same object.

    `key` is the order key, `partition` None for an event of no partition, `index` the number of
    events of its partition with a smaller order key. A row that belongs to several partitions is an
    event of each; `roles` are the events of the pattern that it can be there.
    """

    row: Mapping[str, Any]
    type: str | None
    time: int
    key: tuple[Any, ...]
    partition: tuple[Any, ...] | None
    group: tuple[Any, ...]
    index: int
    roles: frozenset[int]

    def __repr__(self) -> str:
        return f"{self.type}{self.time}"


def make_events(query: BoundQuery, rows: Iterable[Mapping[str, Any]]) -> list[Event]:
    """Return the events in order; rows that are alike stay apart."""
    rows = [with_computed(row, query.schema) for row in rows]
    ordered = sorted(rows, key=lambda row: _order_key(row, query.schema))
    places = [
        (row, _order_key(row, query.schema), partition, roles)
        for row in ordered
        for partition, roles in _partitions(row, query).items()
    ]
    return [
        Event(
            row=row,
            type=_type(row, query.schema),
            time=key[0],
            key=key,
            partition=partition,
            group=tuple(_one_nan(row.get(each.attribute)) for each in query.group_by),
            index=sum(other == partition and smaller < key for _, smaller, other, _ in places),
            roles=frozenset(roles),
        )
        for row, key, partition, roles in places
    ]


def steps(events: list[Event]) -> list[list[Event]]:
    """Concurrent events form one step."""
    return [list(step) for _, step in groupby(events, key=lambda event: event.key)]


def has_type(event: Event, position: Position) -> bool:
    """Without a type column all events are of the one type that a pattern may name."""
    if event.partition is not None and position.occurrence not in event.roles:
        return False
    return event.type is None or event.type in position.types or EVERY_TYPE in position.types


def measure(query: BoundQuery, event: Event) -> int:
    """Where the event stands on the axis that the query's window is measured on."""
    assert query.window is not None
    return event.index if query.window.unit is WindowUnit.EVENTS else event.time


def ranked(value: Any) -> tuple[bool, Any]:
    """NULL sorts before every value, also within an array, a struct or a map."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return (True, [ranked(each) for each in value])
    return (value is not None, value)


def column_values(event: Event, schema: EventSchema) -> tuple[tuple[bool, Any], ...]:
    """The last resort of an order that must not depend on arrival."""
    columns = schema.attributes or sorted(event.row)
    return tuple(ranked(event.row.get(each)) for each in columns)


def time_name(schema: EventSchema) -> str:
    """The time column, `time` unless declared."""
    return schema.time or "time"


def to_ticks(value: Any, schema: EventSchema) -> int:
    """Integers count ticks; dates and timestamps are measured from the epoch, in UTC.

    Decimals and floats are the numbers that are written for them; a tick is their last digit.
    """
    if isinstance(value, int):
        return value
    if isinstance(value, Decimal | float):
        number = Fraction(str(value)) * schema.ticks_per_unit
        assert number.denominator == 1, f"{value} is not a whole number of ticks"
        return int(number)
    microseconds = (_instant(value) - EPOCH) // MICROSECOND
    ticks, rest = divmod(microseconds * schema.ticks_per_second, 10**6)
    assert rest == 0, f"{value} is not a whole number of ticks"
    return ticks


def from_ticks(ticks: int, like: Any, schema: EventSchema) -> Any:
    """A time of the kind the events have; for dates a timestamp."""
    if isinstance(like, int):
        return ticks
    if isinstance(like, Decimal | float):
        return type(like)(Decimal(ticks) / schema.ticks_per_unit)
    instant = EPOCH + ticks * 10**6 // schema.ticks_per_second * MICROSECOND
    aware = isinstance(like, datetime.datetime) and like.tzinfo is not None
    return instant.astimezone(like.tzinfo) if aware else instant.replace(tzinfo=None)


def _instant(value: datetime.date) -> datetime.datetime:
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime.combine(value, datetime.time())
    return value if value.tzinfo is not None else value.replace(tzinfo=datetime.UTC)


def _order_key(row: Mapping[str, Any], schema: EventSchema) -> tuple[Any, ...]:
    time = to_ticks(row[time_name(schema)], schema)
    return (time, *(_last_if_null(row.get(each)) for each in schema.order))


def _last_if_null(value: Any) -> tuple[bool, Any]:
    """Only a result of another query can have NULL here: it comes after the events of its time."""
    return (value is None, value)


def _type(row: Mapping[str, Any], schema: EventSchema) -> str | None:
    return None if schema.type_column is None else row.get(schema.type_column)


def _one_nan(value: Any) -> Any:
    """As a key all NaN are one value."""
    return math.nan if isinstance(value, float) and math.isnan(value) else value


def _as_key(value: Any) -> Any:
    """As a key a time that clocks show twice is two; Python compares what they show."""
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.UTC)
    return _one_nan(value)


def _partitions(
    row: Mapping[str, Any], query: BoundQuery
) -> dict[tuple[Any, ...] | None, set[int]]:
    """Return the partitions of an event, with what it can be in each; None if it has none.

    An event of a type that no key names belongs to no partition.
    """
    found: dict[tuple[Any, ...] | None, set[int]] = {}
    for names, roles in roles_of(query, _type(row, query.schema)).items():
        values = tuple(None if each is None else _as_key(row.get(each)) for each in names)
        if None not in values:
            found.setdefault(values, set()).update(roles)
    return found or {None: set()}
