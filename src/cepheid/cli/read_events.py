"""Event files to events with their roles, ready for `Query.run`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cepheid.cli.arguments import parse_event_paths
from cepheid.cli.column_roles import choose_time, choose_type
from cepheid.cli.engines import EngineRun

if TYPE_CHECKING:
    from cepheid.analysis.schema import EventSchema


@dataclass(frozen=True, slots=True)
class EventFiles:
    """Files of events, each of them found; a directory is one path. Keys are event types."""

    by_type: dict[str, list[str]]
    is_typed: bool


@dataclass(frozen=True, slots=True)
class ReadEvents:
    """Events in the engine's kind of table, and which columns are their time and type."""

    events: Any
    time: str
    type: str | None


def find_files(arguments: Sequence[str]) -> EventFiles:
    """Return the files that arguments name.

    Raises:
        ConfigError: one does not exist, or its format is not known.
    """
    from cepheid.connectors.event_files import list_files, single_format

    paths = parse_event_paths(arguments)
    by_type = paths if isinstance(paths, dict) else {"": paths}
    for each in by_type.values():
        single_format(list_files(each))
    return EventFiles(by_type, isinstance(paths, dict))


def read_events(
    engine: EngineRun, files: EventFiles, types: Sequence[str], time: str | None, type: str | None
) -> ReadEvents:
    """Read the files and tell the roles of their columns; `types` are those of the patterns."""
    tables = {name: engine.read(paths) for name, paths in files.by_type.items()}
    columns: dict[str, bool] = {}
    for table in tables.values():
        columns |= engine.columns(table)
    time = choose_time(list(columns), time)
    if files.is_typed:
        return ReadEvents(engine.fit_empty(tables, time, None), time, None)
    type = choose_type(types, columns, type)
    return ReadEvents(engine.fit_empty(tables, time, type)[""], time, type)


def schema_of_file(
    path: str, types: Sequence[str], *, time: str | None, type: str | None, time_unit: str
) -> EventSchema:
    """Return what a file of events tells of the schema, for EXPLAIN and checks."""
    import pyarrow as pa

    from cepheid.connectors.read_local import fit_empty, read_arrow_schema
    from cepheid.engine.events.event_schema import ColumnRoles, event_schema

    arrow_schema = read_arrow_schema(path)
    columns = {each.name: bool(pa.types.is_string(each.type)) for each in arrow_schema}
    time = choose_time(list(columns), time)
    type = choose_type(types, columns, type)
    fitted = fit_empty({"": arrow_schema.empty_table()}, time, type)[""].schema
    return event_schema(fitted, ColumnRoles(time, type, time_unit=time_unit))


def schema_of_declaration(path: str) -> EventSchema:
    """Return the schema that a file declares: these event types with these attributes."""
    from cepheid.analysis.attribute_types import AttributeType
    from cepheid.analysis.schema import EventSchema
    from cepheid.connectors.read_schema import read_schema

    declared = read_schema(path)
    attributes: dict[str, AttributeType] = {}
    for each in declared.values():
        attributes |= each
    return EventSchema(
        attributes=attributes,
        attributes_by_type={name: frozenset(each) for name, each in declared.items()},
    )
