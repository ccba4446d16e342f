"""A result in the format that was asked for, to a file or to stdout."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from cepheid.cli.console import output_console
from cepheid.errors import ConfigError

if TYPE_CHECKING:
    import pyarrow as pa

DEFAULT_LIMIT = 20


class Format(StrEnum):
    """The formats of results."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    TSV = "tsv"
    PARQUET = "parquet"


def choose_format(given: Format | None, output: str | None, limit: int | None) -> Format:
    """Return the given format, or the one of the file's suffix, or the table."""
    chosen = given or (Format.TABLE if output is None else _format_of(output))
    if chosen is Format.PARQUET and output is None:
        raise ConfigError("Parquet cannot be printed", hint="name a file with --output")
    if limit is not None and chosen is not Format.TABLE:
        raise ConfigError(f"--limit is for tables, but the format is {chosen.value}")
    if output is not None and not Path(output).parent.is_dir():
        raise ConfigError(f"cannot write '{output}': there is no directory '{Path(output).parent}'")
    return chosen


def _format_of(output: str) -> Format:
    from cepheid.connectors.event_files import format_of

    return Format(format_of(output).value)


def write_result(result: pa.Table, chosen: Format, output: str | None, limit: int | None) -> None:
    """Write the result."""
    from cepheid.cli.show_table import show_table
    from cepheid.connectors.event_files import FileFormat
    from cepheid.connectors.write_files import open_writer

    rows = DEFAULT_LIMIT if limit is None else limit
    if chosen is not Format.TABLE:
        target = sys.stdout.buffer if output is None else output
        with open_writer(target, FileFormat(chosen.value), result.schema) as writer:
            writer.write(result)
    elif output is None:
        show_table(output_console(), result, limit=rows)
    else:
        with Path(output).open("w", encoding="utf-8") as file:
            show_table(output_console(file), result, limit=rows)
