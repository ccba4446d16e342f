"""Tables of events in the kinds that users have, to and from Arrow."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import pyarrow as pa

from cepheid.errors import DataError

TYPE_COLUMN = "type"


class TableKind(StrEnum):
    """The kinds of tables that can be run on."""

    ARROW = "pyarrow table"
    PANDAS = "pandas DataFrame"
    POLARS = "polars DataFrame"
    SPARK = "Spark DataFrame"


def kind_of(events: Any) -> TableKind:
    """Tell the kind without importing libraries that the caller does not use."""
    if isinstance(events, pa.Table | pa.RecordBatch):
        return TableKind.ARROW
    module = type(events).__module__.split(".")[0]
    if type(events).__name__ == "DataFrame" and module in sys.modules:
        by_module = {
            "pandas": TableKind.PANDAS,
            "polars": TableKind.POLARS,
            "pyspark": TableKind.SPARK,
        }
        if module in by_module:
            return by_module[module]
    raise DataError(
        f"cannot run on a {type(events).__module__}.{type(events).__name__}",
        hint="give a pyarrow Table, a pandas, polars or Spark DataFrame, or a mapping from event "
        "type to one of these",
    )


def to_arrow(events: Any, kind: TableKind) -> pa.Table:
    """Return the events as an Arrow table."""
    match kind:
        case TableKind.PANDAS:
            return pa.Table.from_pandas(events, preserve_index=False)
        case TableKind.POLARS:
            import polars

            return events.to_arrow(compat_level=polars.CompatLevel.oldest())
        case _:
            return pa.Table.from_batches([events]) if isinstance(events, pa.RecordBatch) else events


def from_arrow(table: pa.Table, kind: TableKind) -> Any:
    """Return a result as the kind of table that the events were."""
    match kind:
        case TableKind.PANDAS:
            return table.to_pandas()
        case TableKind.POLARS:
            import polars

            return polars.from_arrow(table)
        case _:
            return table


def unite_types(
    tables: Mapping[str, pa.Table],
) -> tuple[pa.Table, str, dict[str, list[str]]]:
    """Stack one table per type; return it with its type column and each type's columns."""
    schemas = {name: list(table.column_names) for name, table in tables.items()}
    column = free_type_column(set().union(*schemas.values()))
    parts = [
        table.append_column(column, pa.array([name] * table.num_rows, pa.string()))
        for name, table in tables.items()
    ]
    try:
        united = pa.concat_tables(parts, promote_options="permissive")
    except pa.ArrowTypeError as error:
        raise DataError(
            f"the tables of the event types do not fit together: {error}",
            hint="give a column of the same name the same type in all tables",
        ) from None
    return united, column, schemas


def free_type_column(taken: set[str]) -> str:
    """Return a name for the type column that no attribute has."""
    name = TYPE_COLUMN
    while name in taken:
        name = f"event_{name}"
    return name
