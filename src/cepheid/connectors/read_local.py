"""Files of events into Arrow tables.

Text files carry no types. They are inferred alike here and in `read_spark`: whole numbers are
int64, times are timestamps in microseconds (in UTC if the text names a zone), an empty cell is
NULL, and a column without any value is a string.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cepheid.connectors.event_files import (
    COMPRESSIONS,
    FileFormat,
    folder_values,
    format_of,
    is_remote,
    list_files,
    single_format,
)
from cepheid.errors import ConfigError, DataError

BLOCK_BYTES = 1 << 24
LARGEST_BLOCK_BYTES = (1 << 31) - 1
LINES_TO_LOOK_AT = 1000
NAIVE, ZONED = pa.timestamp("us"), pa.timestamp("us", "UTC")


def read_local(paths: Sequence[str]) -> pa.Table:
    """Return the events of files and directories as one table; missing columns are NULL.

    Raises:
        ConfigError: a path does not exist or its format is not known.
        DataError: a file cannot be read, or the files do not fit together.
    """
    files = list_files(paths)
    remote = next(filter(is_remote, files), None)
    if remote is not None:
        raise ConfigError(f"'{remote}' is not a local file", hint="use the Spark engine")
    file_format = single_format(files)
    kinds = folder_types(files)
    tables = [with_folder_values(_read_file(each, file_format), each, kinds) for each in files]
    try:
        table = pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        raise _misfit(error) from None
    return table if file_format is FileFormat.PARQUET else _settle_types(table)


def _misfit(error: pa.ArrowException) -> DataError:
    return DataError(
        f"the files do not fit together: {error}",
        hint="a column must have the same type in all files",
    )


class EventFiles:
    """Files of events, of which only the columns that a query needs are read."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = list_files(paths)
        self.table: pa.Table | None = None
        self.metadata: Any = None
        is_parquet = single_format(self.paths) is FileFormat.PARQUET
        if len(self.paths) > 1 or not is_parquet or folder_values(self.paths[0]):
            self.table = read_local(self.paths)
            self.schema: pa.Schema = self.table.schema
            self.row_count: int = self.table.num_rows
            return
        import pyarrow.parquet as pq

        path = self.paths[0]
        self.metadata = _reading(path, lambda: pq.read_metadata(path))
        self.schema = _reading(path, self.metadata.schema.to_arrow_schema)
        self.row_count = self.metadata.num_rows

    def fitted(self, time: str, type: str | None) -> EventFiles:
        """Return them with the types that columns without any value have by their role."""
        if self.table is not None and {time, *filter(None, [type])} <= {*self.schema.names}:
            self.table = fit_roles(self.table, time, type)
            self.schema = self.table.schema
        return self

    def read(self, columns: Sequence[str], encoded: Sequence[str]) -> pa.Table:
        """Return some columns; those of `encoded` that are texts may come as dictionaries.

        Several threads may read at a time.
        """
        if self.table is not None:
            return self.table.select(columns)
        import pyarrow.parquet as pq

        texts = [each for each in encoded if pa.types.is_string(self.schema.field(each).type)]
        path, metadata = self.paths[0], self.metadata
        return _reading(
            path,
            lambda: pq.ParquetFile(path, metadata=metadata, read_dictionary=texts).read(
                columns=list(columns), use_threads=len(columns) > 1
            ),
        )


def read_arrow_schema(path: str) -> pa.Schema:
    """Return the columns of one file or directory of events; text files are read for that."""
    files = list_files([path])
    if single_format(files) is not FileFormat.PARQUET:
        return read_local(files).schema
    import pyarrow.parquet as pq

    schemas = [_reading(each, partial(pq.read_schema, each)) for each in files]
    stored = {name for schema in schemas for name in schema.names}
    added = [(name, kind) for name, kind in folder_types(files).items() if name not in stored]
    schemas.append(pa.schema(added))
    try:
        return pa.unify_schemas(schemas, promote_options="permissive")
    except pa.ArrowException as error:
        raise _misfit(error) from None


def fit_roles(table: pa.Table, time: str, type: str | None) -> pa.Table:
    """Return a table whose columns of type NULL have the type of their role, if they have one."""
    return fit_empty({"": table}, time, type)[""]


def fit_empty(tables: Mapping[str, pa.Table], time: str, type: str | None) -> dict[str, pa.Table]:
    """Return tables whose columns of type NULL have the type of another table, or of their role.

    Text files without events have such columns. Every query accepts an integer time.
    """
    known = {} if type is None else {type: pa.string()}
    known |= {time: pa.int64()}
    for table in tables.values():
        known |= {each.name: each.type for each in table.schema if not pa.types.is_null(each.type)}
    fitted = {}
    for name, table in tables.items():
        schema = pa.schema(
            [
                each.with_type(known.get(each.name, each.type))
                if pa.types.is_null(each.type)
                else each
                for each in table.schema
            ]
        )
        fitted[name] = table if schema.equals(table.schema) else table.cast(schema)
    return fitted


def folder_types(files: Sequence[str]) -> dict[str, pa.DataType]:
    """Return the columns that folders stand for: whole numbers, dates, or else strings."""
    values: dict[str, list[str | None]] = {}
    for file in files:
        for name, value in folder_values(file).items():
            values.setdefault(name, []).append(value)
    return {name: _type_of_texts(found) for name, found in values.items()}


def _type_of_texts(texts: Sequence[str | None]) -> pa.DataType:
    known = [each for each in texts if each is not None]
    if known and all(re.fullmatch(r"-?\d{1,18}", each) for each in known):
        return pa.int64()
    if known and all(re.fullmatch(r"\d{4}-\d\d-\d\d", each) for each in known):
        return pa.date32()
    return pa.string()


def with_folder_values(table: pa.Table, path: str, kinds: Mapping[str, pa.DataType]) -> pa.Table:
    """Return events with what their folders say of them; columns of the file win."""
    for name, value in folder_values(path).items():
        if name not in table.column_names:
            column = pa.array([value] * table.num_rows, pa.string()).cast(kinds[name])
            table = table.append_column(name, column)
    return table


def _read_file(path: str, file_format: FileFormat) -> pa.Table:
    match file_format:
        case FileFormat.PARQUET:
            import pyarrow.parquet as pq

            return _reading(path, lambda: pq.ParquetFile(path).read())
        case FileFormat.JSON:
            return _read_blocks(path, lambda block: _read_json(path, block))
        case FileFormat.CSV:
            return _read_blocks(path, lambda block: _read_csv(path, block, ","))
        case FileFormat.TSV:
            return _read_blocks(path, lambda block: _read_csv(path, block, "\t"))


def _read_blocks(path: str, read: Callable[[int], pa.Table]) -> pa.Table:
    """Types are inferred from the first block; if a later row does not fit, from all rows."""

    def attempt() -> pa.Table:
        try:
            return read(BLOCK_BYTES)
        except pa.ArrowInvalid:
            if Path(path).stat().st_size <= BLOCK_BYTES and not path.endswith(COMPRESSIONS):
                raise
            return read(LARGEST_BLOCK_BYTES)

    return _reading(path, attempt)


def _reading(path: str, read: Callable[[], Any]) -> Any:
    if Path(path).stat().st_size == 0:
        raise DataError(
            f"the file '{path}' is empty, so its columns are not known",
            hint="a CSV file needs a header line, a JSON file at least one event",
        )
    try:
        return read()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(f"cannot read '{path}': {error}", hint=_advice(path)) from None


def _advice(path: str) -> str | None:
    is_json = format_of(path) is FileFormat.JSON
    return "a JSON file of events has one object per line" if is_json else None


def _read_csv(path: str, block_bytes: int, delimiter: str) -> pa.Table:
    from pyarrow import csv

    return csv.read_csv(
        path,
        read_options=csv.ReadOptions(block_size=block_bytes),
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=False),
        convert_options=csv.ConvertOptions(null_values=[""], strings_can_be_null=True),
    )


def _read_json(path: str, block_bytes: int) -> pa.Table:
    import pyarrow.json as arrow_json

    table = arrow_json.read_json(path, read_options=arrow_json.ReadOptions(block_size=block_bytes))
    return _parse_times(table, first_values(path))


def first_values(path: str) -> dict[str, Any]:
    """Return the first value of every key in the first lines of a JSON file."""
    seen: dict[str, Any] = {}
    with io.TextIOWrapper(pa.input_stream(path), encoding="utf-8") as lines:
        for _, line in zip(range(LINES_TO_LOOK_AT), lines, strict=False):
            found = json.loads(line) if line.strip() else {}
            seen |= {key: value for key, value in found.items() if seen.get(key) is None}
    return seen


def _parse_times(table: pa.Table, first: dict[str, Any]) -> pa.Table:
    """Arrow reads some texts of JSON as times, and forgets their zones; here all, with zones."""
    for index, field in enumerate(table.schema):
        if not (pa.types.is_string(field.type) or pa.types.is_timestamp(field.type)):
            continue
        for kind in (NAIVE, ZONED):
            if _is_time(first.get(field.name), kind):
                try:
                    parsed = pc.cast(table.column(index), kind)
                except pa.ArrowInvalid:
                    continue
                table = table.set_column(index, field.name, parsed)
    return table


def _is_time(value: object, kind: pa.DataType) -> bool:
    if not isinstance(value, str):
        return False
    text = pa.lib.StringBuilder()  # pa.scalar imports pandas first, where it is installed
    text.append(value)
    try:
        return bool(text.finish().cast(kind).is_valid()[0].as_py())
    except pa.ArrowInvalid:
        return False


def _settle_types(table: pa.Table) -> pa.Table:
    """Microseconds unless nanoseconds are used; strings where there is no value, but events are."""
    for index, field in enumerate(table.schema):
        kind = field.type
        if pa.types.is_null(kind) and table.num_rows:  # as on Spark: results have the same types
            table = table.set_column(index, field.name, table.column(index).cast(pa.string()))
        if pa.types.is_timestamp(kind) and kind.unit != "us":
            try:
                settled = table.column(index).cast(pa.timestamp("us", kind.tz))
            except pa.ArrowInvalid:
                continue
            table = table.set_column(index, field.name, settled)
    return table
