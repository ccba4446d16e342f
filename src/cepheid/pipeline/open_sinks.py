"""Streams with their sinks: results alone, or results and late events together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from cepheid.connectors.collect_spark import collect_part
from cepheid.connectors.kafka_rows import kafka_rows
from cepheid.connectors.read_kafka import SERVERS
from cepheid.connectors.sample_rows import some_rows
from cepheid.connectors.stream_writers import (
    FileTarget,
    Stream,
    StreamPlan,
    as_json_column,
    stream_identity,
    write_each_batch,
    write_file_batch,
    write_file_stream,
    write_kafka_batch,
    write_kafka_stream,
    write_table_stream,
)
from cepheid.connectors.write_postgresql import PostgresqlTarget, write_postgresql
from cepheid.pipeline.model import ConsoleSink, FileSink, KafkaSink, PostgresqlSink, Sink
from cepheid.pipeline.places import Places
from cepheid.pipeline.values import JDBC

if TYPE_CHECKING:
    import pyarrow as pa

LATE = "late"
TellRows = Callable[[str, tuple[str, ...]], None]


class ShowRows(Protocol):
    """Shows rows of a micro-batch on the console."""

    def __call__(self, title: str, rows: pa.Table, count: int, sink: ConsoleSink) -> None:
        """Show the first rows of `count`."""


def start_stream(
    results: Any, plan: StreamPlan, sink: Sink, places: Places, show: ShowRows
) -> Stream:
    """Start the stream of a query whose late events are dropped."""
    results = expanded(results)
    if sink.files is not None:
        return write_file_stream(results, plan, _target(sink.files, sink.files.path, places))
    if sink.table is not None:
        return write_table_stream(results, plan, sink.table.name)
    if sink.kafka is not None:
        records = kafka_rows(results, plan.name)
        return write_kafka_stream(records, plan, _kafka_options(sink.kafka))
    return write_each_batch(results, plan, _batch_writer(plan.name, sink, places, show))


def start_both(
    delivered: Any,
    plan: StreamPlan,
    sinks: tuple[Sink, Sink],
    places: Places,
    show: ShowRows,
    tell: TellRows | None,
) -> Stream:
    """Start the stream of a query whose late events go to a sink of their own, the second one."""
    results, late = sinks
    write_results = _telling(_batch_writer(plan.name, results, places, show), plan.name, tell)
    write = delivered.each_batch(
        results=lambda batch, batch_id: write_results(expanded(batch), batch_id),
        late=_late_writer(plan.name, late, places, show),
    )
    folders = _folders([results], places)
    if late.files is not None:
        folders.append(_late_folder(plan.name, late.files, places))
    return write_each_batch(delivered.tagged, plan, write, folders)


def start_all(
    found: Any,
    plan: StreamPlan,
    sinks: Mapping[str, Sink],
    places: Places,
    show: ShowRows,
    tell: TellRows | None,
) -> Stream:
    """Start the one stream of all queries; each has its sink."""
    writers = {
        name: _telling(_batch_writer(name, sink, places, show), name, tell)
        for name, sink in sinks.items()
    }
    folders = _folders(sinks.values(), places)
    return write_each_batch(found.packets, plan, found.each_batch(writers), folders)


def _telling(
    write: Callable[[Any, int], None], name: str, tell: TellRows | None
) -> Callable[[Any, int], None]:
    """Return a writer of micro-batches that also tells some of their rows."""
    if tell is None:
        return write

    def write_and_tell(batch: Any, batch_id: int) -> None:
        write(batch, batch_id)
        tell(name, some_rows(batch))

    return write_and_tell


def expanded(results: Any) -> Any:
    """Return the matches of a compressed result, other results as they are."""
    return results.expand() if hasattr(results, "expand") else results


def _folders(sinks: Iterable[Sink], places: Places) -> list[str]:
    return [places.absolute(each.files.path) for each in sinks if each.files is not None]


def _target(sink: FileSink, path: str, places: Places) -> FileTarget:
    options = {"header": sink.header} if sink.format == "csv" else {}
    return FileTarget(places.absolute(path), sink.format, options)


def _late_folder(name: str, sink: FileSink, places: Places) -> str:
    return f"{places.absolute(sink.path)}/query={name}"


def _batch_writer(
    name: str, sink: Sink, places: Places, show: ShowRows
) -> Callable[[Any, int], None]:
    if sink.files is not None:
        return partial(write_file_batch, target=_target(sink.files, sink.files.path, places))
    if sink.kafka is not None:
        options = _kafka_options(sink.kafka)
        return lambda batch, _: write_kafka_batch(kafka_rows(batch, name), options)
    if sink.postgresql is not None:
        return partial(_write_postgresql, name=name, sink=sink.postgresql)
    assert sink.console is not None
    return partial(_show_batch, title=name, sink=sink.console, show=show)


def _late_writer(
    name: str, sink: Sink, places: Places, show: ShowRows
) -> Callable[[Any, int], None]:
    """Late events of different queries have different columns: they must not meet in a table."""
    title = f"{name} {LATE}"
    if sink.files is not None:
        folder = _late_folder(name, sink.files, places)
        return partial(write_file_batch, target=_target(sink.files, folder, places))
    write = _batch_writer(title, sink, places, show)
    if sink.postgresql is None:
        return write
    return lambda batch, batch_id: write(as_json_column(batch, name), batch_id)


def _write_postgresql(batch: Any, batch_id: int, *, name: str, sink: PostgresqlSink) -> None:
    connection = {"conninfo": sink.url.removeprefix(JDBC)}
    if sink.user is not None:
        connection["user"] = sink.user
    if sink.password is not None:
        connection["password"] = sink.password
    # A new checkpoint counts its batches from 0 again, and must not be taken for the old one.
    query = f"{name} {stream_identity(batch, name)}"
    write_postgresql(batch, batch_id, PostgresqlTarget(connection, sink.table, query))


def _show_batch(
    batch: Any, batch_id: int, *, title: str, sink: ConsoleSink, show: ShowRows
) -> None:
    rows, count = collect_part(batch, sink.limit)
    if count:
        show(title, rows, count, sink)


def _kafka_options(kafka: KafkaSink) -> dict[str, str]:
    options = {SERVERS: kafka.servers, "topic": kafka.topic}
    return {**options, **{key: str(value) for key, value in kafka.options.items()}}
