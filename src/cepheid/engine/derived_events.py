"""Results as events, and the schema of events among which there are such results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.derived_types import with_derived_types
from cepheid.analysis.schema import EventSchema
from cepheid.engine.events.event_schema import (
    TICKS_PER_SECOND,
    ColumnRoles,
    attribute_type,
    event_schema,
)
from cepheid.engine.events.ticks import window_type
from cepheid.engine.matches.key_columns import KEY_TIME, key_order
from cepheid.engine.trends.result_table import TIME, WINDOW_END
from cepheid.errors import DataError
from cepheid.program.numeric_times import has_digits
from cepheid.program.program import MatchOutput, Program


@dataclass(frozen=True, slots=True)
class DerivedStream:
    """The results of a query as events of a type, in the runner's kind of table.

    `attributes` are the columns of the result; `schema` has those, the time, the type and the order
    columns.
    """

    query: str
    type: str
    attributes: tuple[str, ...]
    schema: pa.Schema
    events: Any


def own_columns(program: Program, names: Sequence[str]) -> list[str]:
    """Return the columns of a result without those that only its events need."""
    hidden = {KEY_TIME, *map(key_order, program.order)}
    is_match = isinstance(program.output, MatchOutput)
    return [each for each in names if not (is_match and each in hidden)]


def key_sources(program: Program, own: Sequence[str]) -> dict[str, str | None]:
    """Return the column of the result that each column of the order key comes from.

    None means NULL: a window has no event whose tie-break columns could be taken. A column of the
    result that is called like an order column is the tie-break.
    """
    is_match = isinstance(program.output, MatchOutput)
    time = WINDOW_END if program.slide is not None else TIME
    sources: dict[str, str | None] = {program.time: KEY_TIME if is_match else time}
    for each in program.order:
        found = key_order(each) if is_match else None
        sources[each] = each if each in own else found
    return sources


def ticks_before_end(program: Program, time: pa.DataType) -> int:
    """Return how much earlier than its source the time is, in steps of the source."""
    if program.slide is None or isinstance(program.output, MatchOutput):
        return 0
    if not pa.types.is_date(time):
        return 1
    ticks_per_second = 1 if pa.types.is_date32(time) else TICKS_PER_SECOND["ms"]
    return TICKS_PER_SECOND[window_type(time).unit] // ticks_per_second


# --- the schema of all events -------------------------------------------------------------------


def united_schema(base: pa.Schema, streams: Sequence[DerivedStream], time: str) -> pa.Schema:
    """Return the columns of the events and then those of derived ones that are new.

    Raises:
        DataError: a column has one type here and another there.
    """
    types: dict[str, pa.DataType] = {field.name: field.type for field in base}
    owners = dict.fromkeys(types, "the events")
    for stream in streams:
        for field in stream.schema:
            known = types.get(field.name, field.type)
            common = _common_time(known, field.type) if field.name == time else None
            common = common or _common_type(known, field.type)
            if common is None:
                raise DataError(
                    f"'{field.name}' is {field.type} in the {stream.type} events of query "
                    f"{stream.query}, but {known} in {owners[field.name]}",
                    hint="rename the column with AS, so that each name has one type",
                )
            types[field.name] = common
            owners.setdefault(field.name, f"those of query {stream.query}")
    return pa.schema([pa.field(name, kind) for name, kind in types.items()])


def _common_time(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """Windows of dates end within a day, so that their results have a time of day."""
    if pa.types.is_integer(one) and pa.types.is_integer(other):
        return one if one == other else pa.int64()
    if pa.types.is_date(one) or pa.types.is_date(other):
        return one if one == other else window_type(pa.date32())
    if has_digits(one) and has_digits(other) and window_type(one) == window_type(other):
        return one if one == other else window_type(one)
    return None


def _common_type(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    if one == other:
        return one
    one, other = (e.value_type if pa.types.is_dictionary(e) else e for e in (one, other))
    kinds = {attribute_type(one), attribute_type(other)} - {AttributeType.NULL}
    if len(kinds) > 1 or AttributeType.OTHER in kinds:
        return None
    fields = [pa.schema([pa.field("column", each)]) for each in (one, other)]
    try:
        return pa.unify_schemas(fields, promote_options="permissive").field(0).type
    except (pa.ArrowTypeError, pa.ArrowInvalid):
        return None


def derived_schema(
    united: pa.Schema, base: Sequence[str], streams: Sequence[DerivedStream], roles: ColumnRoles
) -> EventSchema:
    """Return the schema for analysis; `base` are the columns of the events that were given."""
    schema = event_schema(pa.schema([united.field(each) for each in base]), roles)
    columns: dict[str, Mapping[str, AttributeType]] = {}
    for stream in streams:
        types = {each: attribute_type(united.field(each).type) for each in stream.attributes}
        columns[stream.type] = {**columns.get(stream.type, {}), **types}
    return with_derived_types(schema, columns)
