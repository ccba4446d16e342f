"""The events that most analysis tests and all wrong queries are about."""

from collections.abc import Mapping
from typing import Any

from cepheid.analysis.analyze import analyze
from cepheid.analysis.attribute_types import AttributeType, attribute_type
from cepheid.analysis.bound import BoundQuery
from cepheid.analysis.fill_parameters import ParameterValue
from cepheid.analysis.schema import EventSchema
from cepheid.language.parser import parse
from cepheid.language.source import Source

# Attributes per event type; each has `time` and `kind`, the type column, besides.
TYPES: dict[str, dict[str, str]] = {
    "Trade": {"symbol": "string", "price": "float", "volume": "int"},
    "Quote": {"symbol": "string", "price": "float", "bid": "float"},
    "Halt": {"symbol": "string", "is_short": "boolean", "until": "timestamp"},
    "News": {"headline": "string"},
}


def event_schema(
    types: Mapping[str, Mapping[str, str]] | None = None,
    *,
    time: str = "timestamp",
    type_column: str | None = "kind",
    declared: bool = True,
) -> EventSchema:
    """Return a schema with a column for every attribute of every type."""
    types = TYPES if types is None else types
    columns = {name: attribute_type(kind) for each in types.values() for name, kind in each.items()}
    roles = {"time": attribute_type(time)}
    if type_column is not None:
        roles[type_column] = AttributeType.STRING
    return EventSchema(
        attributes={**columns, **roles},
        time="time",
        type_column=type_column,
        ticks_per_second=1 if time == "integer" else 1_000_000,
        attributes_by_type={name: frozenset(each) for name, each in types.items()}
        if declared
        else None,
    )


def bind(
    text: str,
    *,
    parameters: Mapping[str, ParameterValue] | None = None,
    schema: EventSchema | None = None,
    **options: Any,
) -> BoundQuery:
    """Parse and bind a query, to the schema above or to `event_schema(**options)`."""
    bound_to = event_schema(**options) if schema is None else schema
    return analyze(parse(text), Source(text), schema=bound_to, parameters=parameters)
