"""Short ways to put a query text to the oracle."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from cepheid.analysis.analyze import analyze
from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import BoundQuery
from cepheid.analysis.schema import EventSchema
from cepheid.language.parser import parse
from cepheid.language.source import Source

TYPES = {
    bool: AttributeType.BOOLEAN,
    int: AttributeType.INTEGER,
    float: AttributeType.FLOAT,
    str: AttributeType.STRING,
    datetime.datetime: AttributeType.TIMESTAMP,
    datetime.date: AttributeType.DATE,
    list: AttributeType.OTHER,
    Decimal: AttributeType.DECIMAL,
}


def schema_of(
    events: Sequence[Mapping[str, Any]],
    *,
    order: Iterable[str] = (),
    declared: Mapping[str, Iterable[str]] | None = None,
) -> EventSchema:
    """Return the schema that the values show; the columns `time` and `type` have their roles."""
    attributes = {"type": AttributeType.STRING, "time": AttributeType.INTEGER}
    for event in events:
        for name, value in event.items():
            if value is not None:
                has_zone = isinstance(value, datetime.datetime) and value.tzinfo is not None
                attributes[name] = AttributeType.ZONED if has_zone else TYPES[type(value)]
            attributes.setdefault(name, AttributeType.UNKNOWN)
    is_integer = attributes["time"] is AttributeType.INTEGER
    by_type = {name: frozenset(each) for name, each in declared.items()} if declared else None
    return EventSchema(
        attributes,
        time="time",
        type_column="type",
        order=tuple(order),
        ticks_per_second=1 if is_integer else 10**6,
        attributes_by_type=by_type,
    )


def bind(text: str, schema: EventSchema) -> BoundQuery:
    """Parse and analyze a query."""
    return analyze(parse(text), Source(text), schema=schema)
