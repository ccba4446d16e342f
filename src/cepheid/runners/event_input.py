"""Events of any supported kind as one table or Spark DataFrame, or as files to be read later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from cepheid.analysis.schema import EventSchema
from cepheid.engine.events.event_schema import (
    ColumnRoles,
    check_columns,
    event_schema,
    named_columns,
)
from cepheid.errors import DataError
from cepheid.tables.stored_columns import PlainEvents, StoredEvents
from cepheid.tables.table_kinds import (
    TableKind,
    column_names,
    kind_of,
    only_columns,
    to_arrow,
    unite_types,
)


@dataclass(frozen=True, slots=True)
class EventInput:
    """Events as one Arrow table, Spark DataFrame or stored ones; their kind and their roles.

    Tables per event type are stacked; then the roles name the type column and the types' schemas.
    """

    events: Any
    kind: TableKind
    roles: ColumnRoles

    @property
    def is_stream(self) -> bool:
        """Whether more events come while a query runs."""
        return self.kind is TableKind.SPARK and bool(self.events.isStreaming)


def read_input(events: Any, roles: ColumnRoles) -> EventInput:
    """Return the events as one table; stored ones stay where they are."""
    if isinstance(events, Mapping):
        return _stack(events, roles)
    if isinstance(events, StoredEvents):
        return EventInput(PlainEvents(events), TableKind.ARROW, roles)
    kind = kind_of(events)
    return EventInput(events if kind is TableKind.SPARK else to_arrow(events, kind), kind, roles)


def schema_of(events: Any, roles: ColumnRoles) -> EventSchema:
    """Return the columns of events of any supported kind, their types and roles."""
    given = read_input(events, roles)
    if given.kind is TableKind.SPARK:
        from cepheid.spark.batch.run_batch import arrow_schema_of

        return event_schema(arrow_schema_of(given.events), given.roles)
    return event_schema(given.events.schema, given.roles)


def check_input(events: Any, roles: ColumnRoles) -> list[str]:
    """Return the names of all columns, if the columns that have a role can have it.

    Only these are converted to Arrow, where that is needed to know what they hold.
    """
    is_typed = isinstance(events, Mapping)
    own = replace(roles, type=None) if is_typed else roles
    found: dict[str, None] = {}
    narrow = {}
    for name, each in (events if is_typed else {"": events}).items():
        kind = kind_of(each)
        names = column_names(each, kind)
        check_columns(names, own, f"the events of type '{name}'" if is_typed else "the events")
        found |= dict.fromkeys(names)
        narrow[name] = only_columns(each, kind, [column for _, column in named_columns(own)])
    schema_of(narrow if is_typed else narrow[""], roles)
    return list(found)


def _stack(events: Mapping[str, Any], roles: ColumnRoles) -> EventInput:
    """Several tables, one per event type: their columns are the declared schemas."""
    if not events:
        raise DataError("no events: the mapping from type to table is empty")
    kinds = {name: kind_of(each) for name, each in events.items()}
    kind = next(iter(kinds.values()))
    for name, other in kinds.items():
        if other is not kind:
            raise DataError(
                f"the events of type '{name}' are a {other.value}, the others a {kind.value}",
                hint="give all types as the same kind of table",
            )
    if kind is TableKind.SPARK:
        from cepheid.spark.unite_frames import unite_frames

        frame, united = unite_frames(events, roles)
        return EventInput(frame, kind, united)
    tables = {name: to_arrow(each, kind) for name, each in events.items()}
    for name, each in tables.items():
        check_columns(each.column_names, replace(roles, type=None), f"the events of type '{name}'")
    table, type_column, schemas = unite_types(tables)
    united = replace(roles, type=type_column, schemas=roles.schemas or schemas)
    return EventInput(table, kind, united)
