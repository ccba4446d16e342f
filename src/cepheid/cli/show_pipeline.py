"""A pipeline on the terminal: what it would do, how it gets on, what it has done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from cepheid.cli.console import message_console, output_console, page_console
from cepheid.cli.show_table import plain_table, show_table
from cepheid.metrics.stream_metrics import StreamMetrics
from cepheid.pipeline.describe_pipeline import Description, QueryDescription
from cepheid.pipeline.progress_line import (
    progress_line,
    progress_values,
    size,
    span,
    waiting_lines,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from cepheid.pipeline.model import ConsoleSink
    from cepheid.pipeline.run_pipeline import Outcome

SET_ASIDE = "set aside"
WATERMARK, WIDE = "watermark", 100  # columns of a terminal that has room for it
NUMBERS = ("batches", "events", "events/s", "results", "late", "state")


# --- --dry-run ----------------------------------------------------------------------------------


def show_description(description: Description, file: str) -> None:
    """Print what a pipeline would do."""
    console = page_console()
    settings = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    settings.add_column(style="cyan", no_wrap=True)
    settings.add_column(overflow="fold")
    for key, value in description.settings:
        settings.add_row(Text(key), Text(value))
    console.print(settings)
    console.print()
    console.print(_queries(description.queries))
    for query in description.queries:
        console.print()
        _show_plan(console, query)
    console.print()
    console.print(Text(f"{file}: ok, nothing was started", "green"))


def _queries(queries: Sequence[QueryDescription]) -> Table:
    table = _table("query", "reads", "gives", "sink", "checkpoint")
    for each in queries:
        cells = (each.name, each.reads, each.results, each.sink, each.checkpoint or "none")
        table.add_row(*map(Text, cells))
    return table


def _show_plan(console: Console, query: QueryDescription) -> None:
    console.print(Text(f"{query.name}: {'; '.join(query.facts)}", "bold"))
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(ratio=2, overflow="fold")
    table.add_column(ratio=3, overflow="fold", style="dim")
    for topic, choice, reason in query.choices:
        table.add_row(Text(f"  {topic}"), Text(choice), Text(reason))
    console.print(table)


# --- while it runs ------------------------------------------------------------------------------


class PipelineProgress:
    """A live line per stream on a terminal; elsewhere a line per micro-batch."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._console = message_console()
        self._output = output_console()
        self._lock = threading.Lock()
        self._latest: dict[str, StreamMetrics] = {}
        self._is_live = not quiet and self._console.is_terminal
        self._live: Live | None = None

    def __enter__(self) -> PipelineProgress:
        if self._is_live:
            self._live = self._start_live()
        return self

    def _start_live(self) -> Live:
        """A new one each time: rich would erase as many lines as it had shown before."""
        lines = self._lines()
        live = Live(lines, console=self._console, auto_refresh=False, transient=True)
        live.start(refresh=True)
        return live

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def started(self, names: Sequence[str], address: str | None) -> None:
        """Say which streams run, and where metrics are."""
        if self._quiet:
            return
        where = "" if address is None else f"; metrics at {address}"
        self._say(f"running {', '.join(names)}{where}")

    def progressed(self, metrics: StreamMetrics) -> None:
        """Show a micro-batch."""
        if self._quiet:
            return
        if self._live is None:
            self._say(progress_line(metrics))
            return
        with self._lock:
            self._latest[metrics.stream] = metrics
            self._live.update(self._lines(), refresh=True)

    def rows(self, title: str, rows: pa.Table, count: int, sink: ConsoleSink) -> None:
        """Show results on standard output."""
        with self._lock, self._without_lines():
            if sink.format == "json":
                _print_json(self._output, rows)
                return
            self._output.print(Text(title, "bold cyan"))
            show_table(self._output, rows, limit=0)
            if count > rows.num_rows:
                left = count - rows.num_rows
                self._output.print(Text(f"… {left:,} more (limit: 0 shows all)", "dim"))

    @contextmanager
    def _without_lines(self) -> Iterator[None]:
        """Take the live lines away while results are printed where they stand."""
        if self._live is None:
            yield
            return
        self._live.stop()
        try:
            yield
        finally:
            self._live = self._start_live()

    def _lines(self) -> RenderableType:
        return _lines(self._latest, self._console.width)

    def _say(self, line: str) -> None:
        with self._lock:
            self._console.print(Text(line))


def _lines(streams: Mapping[str, StreamMetrics], width: int) -> RenderableType:
    """Return a line per stream, none longer than the terminal is wide."""
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for number, (stream, metrics) in enumerate(streams.items()):
        values = progress_values(metrics)
        if not any(each.query.set_aside for each in streams.values()):
            del values[SET_ASIDE]
        if width < WIDE:
            del values[WATERMARK]  # the lag says the same
        if number == 0:
            grid.add_column("", no_wrap=True)
            for name in values:
                grid.add_column(
                    name, no_wrap=True, justify="left" if name == WATERMARK else "right"
                )
        grid.add_row(Text(stream, "bold"), *map(Text, values.values()))
    return grid if streams else Text()


def _print_json(console: Console, rows: pa.Table) -> None:
    import io

    from cepheid.connectors.event_files import FileFormat
    from cepheid.connectors.write_files import open_writer

    buffer = io.BytesIO()
    with open_writer(buffer, FileFormat.JSON, rows.schema) as writer:
        writer.write(rows)
    console.file.write(buffer.getvalue().decode())
    console.file.flush()


# --- at the end ---------------------------------------------------------------------------------


def show_outcome(outcome: Outcome, stopped_by: signal.Signals | None, *, quiet: bool) -> None:
    """Print what the streams have done."""
    if quiet:
        return
    table = _table("query", *NUMBERS)
    for column in table.columns[1:]:
        column.justify = "right"
    for each in outcome.streams:
        rate = each.rows_total / each.seconds_total if each.seconds_total else 0.0
        query = each.query
        numbers = (each.batches, each.rows_total, rate, query.results_total, query.late_total)
        cells = [f"{number:,.0f}" for number in numbers]
        table.add_row(Text(each.stream), *map(Text, [*cells, size(each.state_bytes)]))
    console = message_console()
    console.print(table)
    end = "all events are processed" if stopped_by is None else f"stopped by {stopped_by.name}"
    if outcome.is_finished:
        end = "finished: all events are processed, and all results are written,"
    console.print(Text(f"{end} after {span(outcome.seconds)}", "dim"))
    if stopped_by is None and not outcome.is_finished:
        for line in waiting_lines(outcome.streams):
            console.print(Text(line))


def _table(*names: str) -> Table:
    table = plain_table()
    for name in names:
        table.add_column(name, overflow="fold")
    return table
