"""Results in the format that was asked for, to files or to stdout."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cepheid.cli.console import output_console
from cepheid.errors import ConfigError

if TYPE_CHECKING:
    import pyarrow as pa

DEFAULT_LIMIT = 20
MOST_LOOKED_FOR = 100_000  # matches that a table shows the first of, unless more are to be shown
SORTED_BYTES = 2**26  # beyond these, rows are written in the order in which they are found


class Format(StrEnum):
    """The formats of results."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    TSV = "tsv"
    PARQUET = "parquet"
    HTML = "html"


SUFFIXES = {
    Format.TABLE: ".txt",
    Format.JSON: ".jsonl",
    Format.CSV: ".csv",
    Format.TSV: ".tsv",
    Format.PARQUET: ".parquet",
    Format.HTML: ".html",
}


@dataclass(frozen=True, slots=True)
class Target:
    """Where results go and in which format; `limit` bounds the rows, 0 for all.

    `output` is a file for a single result, a directory for several, None for stdout.
    """

    format: Format
    output: str | None
    limit: int
    is_single: bool

    @property
    def most_rows(self) -> int | None:
        """How many matches are looked for; None for all."""
        if self.limit == 0:
            return None
        return max(self.limit, MOST_LOOKED_FOR) if self.format is Format.TABLE else self.limit

    @property
    def is_streamed(self) -> bool:
        """Whether rows are written before all are known; not where a spinner is shown."""
        is_shown = self.output is None and sys.stdout.isatty()
        is_whole = self.format in (Format.TABLE, Format.HTML)
        return self.is_single and not is_whole and not is_shown

    @property
    def shows_a_part(self) -> bool:
        """Whether rows beyond the limit are left out."""
        return self.format is Format.TABLE and self.limit > 0


def choose_output(
    given: Format | None, output: str | None, limit: int | None, *, is_single: bool
) -> Target:
    """Return the target; the format is the given one, that of the file's suffix, or the table."""
    is_report = given is Format.HTML or (given is None and _names_a_page(output))
    if output is not None and not is_single and not is_report:
        _require_directory(output)
    chosen = Format.HTML if is_report else given or _default_format(output, is_single)
    if output is None and chosen is Format.PARQUET:
        raise ConfigError("Parquet cannot be printed", hint="name a file with --output")
    if output is None and not is_single and chosen not in (Format.TABLE, Format.HTML):
        raise ConfigError(
            f"several results cannot be printed as one {chosen.value}",
            hint="name a directory with --output",
        )
    if output is not None and not Path(output).parent.is_dir():
        raise ConfigError(f"cannot write '{output}': there is no directory '{Path(output).parent}'")
    shown = DEFAULT_LIMIT if chosen is Format.TABLE else 0
    return Target(chosen, output, shown if limit is None else limit, is_single)


def _require_directory(output: str) -> None:
    """Refuse what looks like a file: several results would not be in it."""
    from cepheid.connectors.event_files import named_format

    named = named_format(output)
    if named is not None and not Path(output).is_dir():
        raise ConfigError(
            f"cannot write to '{output}': that is the name of one file, and there are several "
            "results",
            hint=f"name a directory, for one file each: -o found -f {named.value}",
        )


def _names_a_page(output: str | None) -> bool:
    return output is not None and output.endswith(SUFFIXES[Format.HTML])


def _default_format(output: str | None, is_single: bool) -> Format:
    if output is None:
        return Format.TABLE
    if not is_single:
        return Format.CSV
    from cepheid.connectors.event_files import format_of

    return Format(format_of(output).value)


def is_compressed(result: Any) -> bool:
    """Whether a result is that of OUTPUT COMPRESSED, on either engine."""
    return hasattr(result, "expand")


def expanded(result: Any, target: Target) -> Any:
    """Return a table; of a compressed result as many matches as are shown."""
    if not is_compressed(result):
        return result
    return result.first(target.limit) if target.shows_a_part else result.expand()


def write_batches(reader: Any, target: Target) -> int:
    """Write a result while it is found; return its number of rows.

    Rows are sorted as long as they fit the memory easily.
    """
    import pyarrow as pa

    from cepheid.cli.order_rows import order_rows

    first: list[pa.RecordBatch] = []
    size = 0
    for batch in reader:
        first.append(batch)
        size += batch.nbytes
        if size > SORTED_BYTES:
            break
    with _open(target, target.output, reader.schema) as writer:
        if size <= SORTED_BYTES:
            table = pa.Table.from_batches(first, reader.schema)
            writer.write(order_rows(table))
            return int(table.num_rows)
        count = 0
        for batch in chain(first, reader):
            writer.write(pa.Table.from_batches([batch]))
            count += batch.num_rows
    return count


def _open(target: Target, output: str | None, schema: pa.Schema) -> AbstractContextManager[Any]:
    from cepheid.connectors.event_files import FileFormat
    from cepheid.connectors.write_files import open_writer

    place = sys.stdout.buffer if output is None else output
    return open_writer(place, FileFormat(target.format.value), schema)


def write_results(results: Mapping[str, pa.Table], target: Target) -> None:
    """Write one result to its file or to stdout; several as titled tables or to a directory."""
    if not results:
        return
    if target.is_single:
        (result,) = results.values()
        _write(result, target, target.output)
    elif target.output is None:
        from rich.text import Text

        for place, (name, result) in enumerate(results.items()):
            output_console().print(Text(name if place == 0 else f"\n{name}", "bold cyan"))
            _write(result, target, None)
    else:
        files = _files(results, target.output, SUFFIXES[target.format])
        for name, result in results.items():
            _write(result, target, files[name])


def _files(names: Iterable[str], directory: str, suffix: str) -> dict[str, str]:
    """Return a file for each query, called like it or its file; make the directory."""
    files = {name: f"{Path(name).stem}{suffix}" for name in names}
    for name, file in files.items():
        same = next(other for other in files if files[other] == file)
        if same != name:
            raise ConfigError(
                f"the results of '{same}' and '{name}' would both be written to '{file}'",
                hint="rename one of the query files",
            )
    try:
        Path(directory).mkdir(exist_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot write to '{directory}': {error.strerror}") from None
    return {name: str(Path(directory, file)) for name, file in files.items()}


def _write(result: pa.Table, target: Target, output: str | None) -> None:
    if target.format is not Format.TABLE:
        with _open(target, output, result.schema) as writer:
            writer.write(result)
        return
    from cepheid.cli.show_table import show_table

    if output is None:
        show_table(output_console(), result, limit=target.limit, most=target.most_rows)
    else:
        with Path(output).open("w", encoding="utf-8") as file:
            show_table(output_console(file), result, limit=target.limit, most=target.most_rows)
