"""Arrow tables to files and pipes, all at once or piece by piece."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any, BinaryIO, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from cepheid.connectors.event_files import FileFormat
from cepheid.errors import ConfigError

BATCH_ROWS = 10_000


class TableWriter(Protocol):
    """Something that tables of one schema can be written to, one after the other."""

    def write(self, table: pa.Table) -> None:
        """Append the rows of a table."""


@contextmanager
def open_writer(
    target: str | BinaryIO, file_format: FileFormat, schema: pa.Schema
) -> Iterator[TableWriter]:
    """Open a file, or use an open stream, which stays open.

    Raises:
        ConfigError: the file cannot be written.
    """
    if not isinstance(target, str):
        with _writer(target, file_format, schema) as writer:
            yield writer
        return
    try:
        # Parquet compresses by itself; of the others the suffix says whether.
        compression = None if file_format is FileFormat.PARQUET else "detect"
        stream = pa.output_stream(target, compression=compression)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError(f"cannot write '{target}': {reason}") from None
    with stream, _writer(stream, file_format, schema) as writer:
        yield writer


@contextmanager
def _writer(stream: Any, file_format: FileFormat, schema: pa.Schema) -> Iterator[TableWriter]:
    match file_format:
        case FileFormat.PARQUET:
            import pyarrow.parquet as pq

            with pq.ParquetWriter(stream, schema) as parquet:
                yield _ParquetFile(parquet)
        case FileFormat.JSON:
            yield _JsonLines(stream)
        case FileFormat.CSV:
            yield _Csv(stream, schema, ",")
        case FileFormat.TSV:
            yield _Csv(stream, schema, "\t")


class _ParquetFile:
    def __init__(self, writer: Any) -> None:
        self.writer = writer

    def write(self, table: pa.Table) -> None:
        self.writer.write_table(table)


class _JsonLines:
    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def write(self, table: pa.Table) -> None:
        for batch in table.to_batches(max_chunksize=BATCH_ROWS):
            lines = "".join(f"{_json_text(row)}\n" for row in batch.to_pylist())
            self.stream.write(lines.encode())


class _Csv:
    """Quotes appear only where a table has a string that needs them."""

    def __init__(self, stream: Any, schema: pa.Schema, delimiter: str) -> None:
        self.stream = stream
        self.delimiter = delimiter
        header = io.StringIO()
        csv.writer(header, delimiter=delimiter, lineterminator="\n").writerow(schema.names)
        stream.write(header.getvalue().encode())

    def write(self, table: pa.Table) -> None:
        import pyarrow.csv as arrow_csv

        flat = _flat(table)
        special = rf'^$|["\r\n{self.delimiter}]'
        strings = [each for each in flat.columns if pa.types.is_string(each.type)]
        quote = any(pc.any(pc.match_substring_regex(each, special)).as_py() for each in strings)
        options = arrow_csv.WriteOptions(
            include_header=False,
            delimiter=self.delimiter,
            quoting_style="needed" if quote else "none",
        )
        arrow_csv.write_csv(flat, self.stream, options)


def _flat(table: pa.Table) -> pa.Table:
    """Return the table with nested columns as JSON text and dictionaries as strings."""
    for index, field in enumerate(table.schema):
        if pa.types.is_nested(field.type):
            column = table.column(index)
            starts = range(0, len(column), BATCH_ROWS)
            texts = [_json_texts(column.slice(each, BATCH_ROWS)) for each in starts]
            table = table.set_column(index, field.name, pa.chunked_array(texts, pa.string()))
        elif pa.types.is_dictionary(field.type) or pa.types.is_null(field.type):
            table = table.set_column(index, field.name, table.column(index).cast(pa.string()))
    return table


def _json_texts(column: pa.ChunkedArray) -> pa.Array:
    texts = pa.lib.StringBuilder()  # pa.array imports pandas first, where it is installed
    texts.append_values(None if each is None else _json_text(each) for each in column.to_pylist())
    return texts.finish()


def _json_text(value: object) -> str:
    return json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: object) -> object:
    """Return what JSON has no word for as a string: times, decimals, infinity."""
    match value:
        case dict():
            return {key: _plain(each) for key, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
        case float() if not math.isfinite(value):
            return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
        case None | bool() | int() | float() | str():
            return value
        case datetime() | date():
            return value.isoformat()
        case bytes():
            return value.hex()
        case _:
            return str(value)
