"""The columns of the events as the queries see them."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from cepheid.analysis.schema import EventSchema
from cepheid.connectors.parse_columns import parse_columns
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.errors import ConfigError, DataError, Diagnostic
from cepheid.pipeline.model import Pipeline
from cepheid.pipeline.pipeline_document import Document
from cepheid.program.numeric_times import is_numeric_time
from cepheid.tables.table_kinds import free_type_column


@dataclass(frozen=True, slots=True)
class EventColumns:
    """The declared columns (None if they are not known), their roles, and what queries see."""

    arrow: pa.Schema | None
    roles: ColumnRoles
    schema: EventSchema

    @property
    def time_is_number(self) -> bool:
        """Whether the time is known to be a number."""
        return self.arrow is not None and is_numeric_time(self.arrow.field(self.roles.time).type)


def event_columns(
    settings: Pipeline, document: Document, problems: list[Diagnostic]
) -> EventColumns:
    """Return the columns; if the roles do not fit them, that is a problem."""
    source, events = settings.source, settings.events
    declared = source.chosen.columns
    arrow = None if declared is None else parse_columns(declared)
    type_column, schemas = events.type, None
    if events.types is not None:
        names = [] if arrow is None else list(arrow.names)
        type_column = free_type_column(set(names))
        if arrow is not None:
            arrow = arrow.append(pa.field(type_column, pa.string()))
            schemas = dict.fromkeys(events.types, names)
    order = () if events.order is None else tuple(events.order)
    roles = ColumnRoles(events.time, type_column, order, schemas, events.time_unit)
    unknown = EventSchema(time=events.time, type_column=type_column, order=order, is_open=True)
    if arrow is None:
        return EventColumns(None, roles, unknown)
    try:
        return EventColumns(arrow, roles, event_schema(arrow, roles))
    except (DataError, ConfigError) as error:
        message = str(error).partition("\n")[0]
        place = document.place_of_value(("events", _key_at_fault(arrow, roles)))
        problems.append(Diagnostic("bad-column", message, place, error.hint))
        return EventColumns(None, roles, unknown)


def _key_at_fault(arrow: pa.Schema, roles: ColumnRoles) -> str:
    if roles.time not in arrow.names:
        return "time"
    if roles.type is not None and roles.type not in arrow.names:
        return "type"
    if any(each not in arrow.names for each in roles.order):
        return "order"
    kind = arrow.field(roles.time).type
    is_time = pa.types.is_temporal(kind) or is_numeric_time(kind)
    return "type" if is_time else "time"
