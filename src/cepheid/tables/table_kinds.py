"""Tables of events in the kinds that users have, to and from Arrow."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cepheid.errors import DataError
from cepheid.program.arrow_arrays import to_scalar

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


def column_names(events: Any, kind: TableKind) -> list[str]:
    """Return the names of the columns, as Arrow will have them."""
    names = events.schema.names if kind is TableKind.ARROW else events.columns
    return [str(each) for each in names]


def only_columns(events: Any, kind: TableKind, names: list[str]) -> Any:
    """Return a table with some of the columns; a Spark DataFrame, which is not read, as it is."""
    match kind:
        case TableKind.SPARK:
            return events
        case TableKind.PANDAS:  # by place: a label need not be a text
            labels = column_names(events, kind)
            return events.iloc[:, [labels.index(each) for each in dict.fromkeys(names)]]
        case _:
            return events.select(list(dict.fromkeys(names)))


def to_arrow(events: Any, kind: TableKind) -> pa.Table:
    """Return the events as an Arrow table."""
    match kind:
        case TableKind.PANDAS:
            table = _from_pandas(events)
        case TableKind.POLARS:
            import polars

            table = events.to_arrow(compat_level=polars.CompatLevel.oldest())
        case _:
            is_batch = isinstance(events, pa.RecordBatch)
            table = pa.Table.from_batches([events]) if is_batch else events
    plain = [plain_column(each) for each in table.columns]
    return pa.Table.from_arrays(plain, names=table.column_names)


def _from_pandas(frame: Any) -> pa.Table:
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise DataError(f"two columns of the events are called '{repeated[0]}'")
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise DataError(
            f"a column holds values of several kinds: {'; '.join(map(str, error.args))}",
            hint="convert the column to one type, or leave it out",
        ) from None


def plain_column(column: Any) -> Any:
    """Return a column in an encoding that every Arrow function knows, with proper dictionaries.

    Arrow has few functions for views, run ends, short decimals and dictionaries of times. A
    dictionary may hold a value twice, or NULL: then equal codes do not mean equal values, and it is
    encoded anew.
    """
    kind = column.type
    if pa.types.is_run_end_encoded(kind):
        decoded = [pc.run_end_decode(each) for each in column.chunks]
        return plain_column(pa.chunked_array(decoded, kind.value_type))
    plain = plain_type(kind)
    if pa.types.is_dictionary(kind):
        value = kind.value_type
        if plain != kind:
            return plain_column(pc.cast(column, value))
        dictionaries = [each.dictionary for each in column.chunks]
        if any(each.null_count or len(each.unique()) < len(each) for each in dictionaries):
            return pc.dictionary_encode(pc.cast(column, value))
    return column if plain == kind else pc.cast(column, plain)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of `plain_column`: without views and short decimals, also inside others.

    List views stay: Arrow takes their values, but a cast of a part of one is wrong.

    >>> plain_type(pa.list_(pa.string_view()))
    ListType(list<item: large_string>)
    """
    match kind:
        case _ if pa.types.is_run_end_encoded(kind):
            return plain_type(kind.value_type)
        case _ if pa.types.is_dictionary(kind):
            value = plain_type(kind.value_type)
            is_kept = value == kind.value_type and not pa.types.is_temporal(value)
            return kind if is_kept else value
        case _ if pa.types.is_string_view(kind):
            return pa.large_string()
        case _ if pa.types.is_binary_view(kind):
            return pa.large_binary()
        case _ if pa.types.is_decimal(kind) and kind.bit_width < 128:
            return pa.decimal128(kind.precision, kind.scale)
        case _ if pa.types.is_list(kind):
            return pa.list_(_plain_field(kind.value_field))
        case _ if pa.types.is_large_list(kind):
            return pa.large_list(_plain_field(kind.value_field))
        case _ if pa.types.is_fixed_size_list(kind):
            return pa.list_(_plain_field(kind.value_field), kind.list_size)
        case _ if pa.types.is_map(kind):
            return pa.map_(_plain_field(kind.key_field), _plain_field(kind.item_field))
        case _ if pa.types.is_struct(kind):
            return pa.struct([_plain_field(each) for each in kind])
    return kind


def _plain_field(field: pa.Field) -> pa.Field:
    return field.with_type(plain_type(field.type))


def from_arrow(table: pa.Table, kind: TableKind) -> Any:
    """Return a result as the kind of table that the events were."""
    match kind:
        case TableKind.PANDAS:
            return _to_pandas(table)
        case TableKind.POLARS:
            import polars

            return polars.from_arrow(table)
        case _:
            return table


def _to_pandas(table: pa.Table) -> Any:
    """As pandas does by default, but integers next to NULL stay integers (2^53 + 1 and above)."""
    import pandas

    frame = table.to_pandas()
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_integer(column.type) and column.null_count:
            signed = "Int" if pa.types.is_signed_integer(column.type) else "UInt"
            dtype = getattr(pandas, f"{signed}{column.type.bit_width}Dtype")()
            frame[name] = column.to_pandas(types_mapper={column.type: dtype}.get)
    return frame


def unite_types(
    tables: Mapping[str, pa.Table],
) -> tuple[pa.Table, str, dict[str, list[str]]]:
    """Stack one table per type; return it with its type column and each type's columns."""
    schemas = {name: list(table.column_names) for name, table in tables.items()}
    column = free_type_column(set().union(*schemas.values()))
    parts = [
        table.append_column(column, pa.repeat(to_scalar(name), table.num_rows))
        for name, table in tables.items()
    ]
    try:
        united = pa.concat_tables(parts, promote_options="permissive")
    except (pa.ArrowTypeError, pa.ArrowInvalid) as error:
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
