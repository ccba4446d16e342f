"""Events with the roles of their columns, said once for many runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Generic, Required, TypedDict, overload

from cepheid.errors import ConfigError, suggest
from cepheid.tables.table_types import StoredPath, Table

if TYPE_CHECKING:
    from typing import Unpack

    from cepheid.analysis.schema import EventSchema
    from cepheid.engine.events.event_schema import ColumnRoles
    from cepheid.tables.table_types import ArrowBatch, ArrowTable

MOST_SHOWN = 12  # columns in the repr


class RoleKeywords(TypedDict, total=False):
    """The roles of columns; see `events`."""

    time: Required[str]
    type: str | None
    order: str | Sequence[str]
    schemas: Mapping[str, Sequence[str]] | None
    time_unit: str


ROLES = frozenset(RoleKeywords.__annotations__)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Events(Generic[Table]):
    """Events as they were given, and the roles of their columns; see `cepheid.events`.

    The type parameter is the kind of table that a result on them is. `columns` are the names of
    columns that were there when the roles were checked.
    """

    table: object
    roles: ColumnRoles
    columns: tuple[str, ...] = ()

    def __repr__(self) -> str:
        shown = ", ".join(self.columns[:MOST_SHOWN])
        more = len(self.columns) - MOST_SHOWN
        shown += f" and {more} more" if more > 0 else ""
        return f"Events({self._in_words()} of {shown}; {_roles_in_words(self.roles)})"

    @property
    def path(self) -> str | None:
        """Where the events are stored, if they were given as a path."""
        return fspath(self.table) if isinstance(self.table, str | PathLike) else None

    @property
    def is_stream(self) -> bool:
        """Whether more events come while a query runs."""
        from cepheid.tables.table_kinds import TableKind, kind_of

        first: Any = self._first
        if self.path is not None or first is None:
            return False
        if kind_of(first) is not TableKind.SPARK:
            return False
        from cepheid.spark.frames.query_functions import is_streaming

        return is_streaming(first)

    @property
    def kind(self) -> str:
        """What the events are, in words, such as 'pandas DataFrame' or 'batch DataFrame'."""
        from cepheid.tables.table_kinds import TableKind, kind_of

        if self.path is not None:
            return "stored table"
        found = kind_of(self._first)
        if found is not TableKind.SPARK:
            return found.value
        return "streaming DataFrame" if self.is_stream else "batch DataFrame"

    @property
    def schema(self) -> EventSchema:
        """The columns, their types and roles: what EXPLAIN looks at."""
        from cepheid.engine.events.event_schema import event_schema
        from cepheid.runners.run_queries import schema_of

        if self.path is None:
            return schema_of(self.table, self.roles)
        from cepheid.connectors.read_local import read_arrow_schema

        return event_schema(read_arrow_schema(self.path), self.roles)

    @property
    def _first(self) -> object:
        """The table, or the first of several."""
        table = self.table
        return next(iter(table.values()), None) if isinstance(table, Mapping) else table

    def _in_words(self) -> str:
        if isinstance(self.table, Mapping):
            return f"a {self.kind} for each of {', '.join(map(str, self.table))}"
        return self.kind if self.path is None else f"{self.kind} {self.path!r}"


@overload
def events(table: StoredPath, **roles: Unpack[RoleKeywords]) -> Events[ArrowTable]: ...
@overload
def events(table: Mapping[str, Table] | Table, **roles: Unpack[RoleKeywords]) -> Events[Table]: ...
@overload  # matched where pyarrow has stubs: without any, its tables are of any type
def events(  # type: ignore[overload-cannot-match]
    table: Mapping[str, ArrowBatch] | ArrowBatch, **roles: Unpack[RoleKeywords]
) -> Events[ArrowTable]: ...
def events(table: object, **roles: Unpack[RoleKeywords]) -> Events[Any]:
    """Return events with the roles of their columns, for any number of runs.

    Nothing is copied: a run sees the table or file as it is then. The columns are looked at now, so
    that a wrong name or a column of the wrong type is told here.

    Args:
        table: a pyarrow Table or RecordBatch, a pandas or polars DataFrame, a Spark DataFrame,
            or a mapping from event type to one of these; or the path of a Parquet, CSV or JSON
            file or directory, on which results are pyarrow Tables.
        roles: which column is what, as follows.
        time: the column with the time: a timestamp, a date or an integer.
        type: the column with the event type; not needed if all events are of one type.
        order: one or more columns that break ties between events of the same time.
        schemas: the attributes that each event type has, for streams in which types differ.
        time_unit: the unit of an integer time column: "s", "ms", "us" or "ns".

    >>> import pyarrow as pa
    >>> table = pa.table({"ts": [1, 2, 3], "kind": ["A", "A", "B"]})
    >>> events(table, time="ts", type="kind")
    Events(pyarrow table of ts, kind; time='ts', type='kind')

    Raises:
        DataError: a column is missing or cannot have its role, or the table is of no known kind.
    """
    from cepheid.engine.events.event_schema import event_schema
    from cepheid.runners.run_queries import check_input

    given = events_with_roles(table, **roles)
    if given.path is None:
        return replace(given, columns=tuple(check_input(table, given.roles)))
    from cepheid.connectors.read_local import read_arrow_schema

    schema = read_arrow_schema(given.path)
    event_schema(schema, given.roles)
    return replace(given, columns=tuple(schema.names))


def events_with_roles(table: object, **roles: Unpack[RoleKeywords]) -> Events[Any]:
    """Return events whose columns are not looked at before they run."""
    from cepheid.engine.events.event_schema import ColumnRoles

    _refuse_unknown(roles)
    order, schemas = roles.get("order", ()), roles.get("schemas")
    ties = (order,) if isinstance(order, str) else _columns("order", order)
    type_column, unit = roles.get("type"), roles.get("time_unit", "s")
    _require_name("time", roles["time"])
    _require_name("time_unit", unit)
    if type_column is not None:
        _require_name("type", type_column)
    if schemas is not None:
        if not isinstance(schemas, Mapping):
            raise ConfigError(
                f"schemas is {schemas!r}", hint="give a mapping from event type to its columns"
            )
        schemas = {name: _columns(f"schemas of {name}", each) for name, each in schemas.items()}
    return Events(table, ColumnRoles(roles["time"], type_column, ties, schemas, unit))


def _columns(role: str, given: object) -> tuple[str, ...]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ConfigError(f"{role} is {given!r}", hint="give a list of names of columns")
    names = tuple(given)
    for each in names:
        _require_name(role, each)
    return names


def _require_name(role: str, given: object) -> None:
    if not isinstance(given, str):
        raise ConfigError(f"{role} is {given!r}", hint="give a name, as a text")


def schema_to_explain(given: object, schema: EventSchema | None) -> EventSchema:
    """Return the schema of events, the one that is given, or one that has every name."""
    from cepheid.analysis.schema import OPEN_SCHEMA

    if given is None:
        return OPEN_SCHEMA if schema is None else schema
    if schema is not None:
        raise ConfigError("explain has events and a schema", hint="leave one of both out")
    if not isinstance(given, Events):
        raise ConfigError(
            f"explain has no roles for the columns of a {type(given).__name__}",
            hint="write explain(cepheid.events(table, time='…', type='…'))",
        )
    return given.schema


def _refuse_unknown(roles: Mapping[str, object]) -> None:
    unknown = next((each for each in roles if each not in ROLES), None)
    if unknown is not None:
        raise ConfigError(
            f"events have no role '{unknown}'", hint=suggest(unknown, ROLES, owner="cepheid.events")
        )
    if "time" not in roles:
        raise ConfigError(
            "nothing says which column of the events has the time", hint="write time='…'"
        )


def _roles_in_words(roles: ColumnRoles) -> str:
    order = roles.order[0] if len(roles.order) == 1 else list(roles.order)
    said = {
        "time": roles.time,
        "type": roles.type,
        "order": order or None,
        "schemas": None if roles.schemas is None else dict(roles.schemas),
        "time_unit": None if roles.time_unit == "s" else roles.time_unit,
    }
    return ", ".join(f"{name}={value!r}" for name, value in said.items() if value is not None)


def source_of(given: Events[Any]) -> object:
    """Return what a run takes: the table, or files of which it reads the columns that it needs."""
    if given.path is None:
        return given.table
    from cepheid.connectors.read_local import EventFiles

    return EventFiles([given.path]).fitted(given.roles.time, given.roles.type)
