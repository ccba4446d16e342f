"""Run a pipeline: a stream of Spark per query with a sink, or one of all, until they end."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from cepheid.engine.events.event_schema import TICKS_PER_SECOND
from cepheid.errors import ConfigError, DataError, StateError
from cepheid.metrics.stream_metrics import ROWS, StreamMetrics
from cepheid.pipeline.live_view import LiveView
from cepheid.pipeline.load import CheckedPipeline
from cepheid.pipeline.model import TOGETHER, ConsoleSink, Pipeline
from cepheid.pipeline.stream_places import StreamPlace, declare_end, stream_places
from cepheid.pipeline.values import AVAILABLE_NOW, EVERY
from cepheid.plan.read_duration import milliseconds
from cepheid.spark.streaming_metrics import StreamingMetrics, streaming_metrics

if TYPE_CHECKING:
    import pyarrow as pa

    from cepheid.connectors.spark_session import SparkRun
    from cepheid.connectors.stream_writers import Stream

STATE_STORE = "spark.sql.streaming.stateStore.providerClass"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
POLL_SECONDS = 0.2
LAST_WORDS_SECONDS = 5.0  # Spark reports the last micro-batch a little after the stream has ended


class Watcher(Protocol):
    """Whoever wants to see what happens; called from several threads."""

    def started(self, names: Sequence[str], address: str | None) -> None:
        """The streams run; metrics are offered at the address."""

    def progressed(self, metrics: StreamMetrics) -> None:
        """A micro-batch is done."""

    def rows(self, title: str, rows: pa.Table, count: int, sink: ConsoleSink) -> None:
        """Results for the console: the first of `count` rows."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the streams did, and for how long; whether their input was complete, and all is done."""

    streams: tuple[StreamMetrics, ...]
    seconds: float
    is_finished: bool = False


def run_pipeline(
    spark: SparkRun,
    pipeline: CheckedPipeline,
    watcher: Watcher,
    stop: threading.Event,
    live: LiveView | None = None,
) -> Outcome:
    """Run all streams until they end by themselves, one fails, or `stop` is set.

    `live` is told of every micro-batch, too, and of some of its results.

    Raises:
        DataError: a stream failed; the others were stopped.
        ConfigError: Spark refuses a setting.
    """
    from cepheid.connectors.collect_spark import spark_errors

    begin = time.monotonic()
    with (
        _without_secrets(pipeline),
        spark_errors(),
        _metrics(spark, pipeline, watcher, live) as metrics,
    ):
        if live is not None:
            live.watch(lambda: metrics.latest)
        places = stream_places(spark, pipeline)
        running = _Running(spark, pipeline, watcher, stop, metrics, live)
        running.until_the_end(places)
        if pipeline.filled.finish and not stop.is_set() and declare_end(spark, places):
            running.until_the_end(places)
        latest = {each.stream: each for each in metrics.latest}
        done = tuple(latest.get(each.name, StreamMetrics(each.name)) for each in places)
    is_finished = pipeline.filled.finish and not stop.is_set()
    return Outcome(done, time.monotonic() - begin, is_finished)


@dataclass(frozen=True, slots=True)
class _Running:
    spark: SparkRun
    pipeline: CheckedPipeline
    watcher: Watcher
    stop: threading.Event
    metrics: StreamingMetrics
    live: LiveView | None

    def until_the_end(self, places: Sequence[StreamPlace]) -> None:
        """Start all streams, and wait until they have ended."""
        streams: list[Stream] = []
        try:
            for each in self._start(places):
                streams.append(each)
                if self.stop.is_set():
                    break
            self.watcher.started([each.name for each in streams], self.metrics.address)
            _wait(streams, self.stop)
        finally:
            for each in streams:
                each.stop()
            _await_last_words(self.metrics, streams)

    def _start(self, places: Sequence[StreamPlace]) -> Iterator[Stream]:
        from cepheid.connectors.sample_rows import with_sample
        from cepheid.connectors.stream_writers import StreamPlan
        from cepheid.pipeline.open_sinks import expanded, start_all, start_both, start_stream
        from cepheid.pipeline.open_source import open_source

        pipeline, watcher = self.pipeline, self.watcher
        tell = None if self.live is None else self.live.found
        settings = pipeline.filled
        events = open_source(self.spark, self.pipeline)
        if settings.together:
            (place,) = places
            plan = StreamPlan(TOGETHER, place.checkpoint, _trigger(settings))
            together = pipeline.queries.workload
            assert together is not None
            options = _run_options(pipeline, place)
            del options["late"]
            found = together.stream(events, **options)
            yield start_all(found, plan, settings.sinks, pipeline.places, watcher.rows, tell)
            return
        for place in places:
            sink = settings.sinks[place.name]
            plan = StreamPlan(place.name, place.checkpoint, _trigger(settings))
            results = _results(pipeline, place, events)
            if settings.late is None and tell is not None:
                results = with_sample(expanded(results), f"{ROWS}{place.name}")
            if settings.late is None:
                yield start_stream(results, plan, sink, pipeline.places, watcher.rows)
            else:
                both = (sink, settings.late)
                yield start_both(results, plan, both, pipeline.places, watcher.rows, tell)


def session_settings(pipeline: CheckedPipeline) -> dict[str, str]:
    """Return the settings of the Spark session; large state needs RocksDB."""
    given = {key: _spelled(value) for key, value in pipeline.filled.spark.items()}
    return {STATE_STORE: ROCKSDB, **given}


def _results(pipeline: CheckedPipeline, place: StreamPlace, events: Any) -> Any:
    """Return the streaming DataFrame of a query, which may read those of others."""
    together, name = pipeline.queries.workload, place.name
    assert together is not None
    options = _run_options(pipeline, place)
    if together.dependencies.givers(name):
        return together.run(events, **options)[name]
    return together.queries[name].run(events, **options)


def _run_options(pipeline: CheckedPipeline, place: StreamPlace) -> dict[str, Any]:
    settings, roles = pipeline.settings, pipeline.columns.roles
    return {
        "time": roles.time,
        "type": roles.type,
        "order": roles.order,
        "schemas": roles.schemas,
        "time_unit": roles.time_unit,
        "ordered": settings.events.ordered,
        "watermark": _watermark(pipeline),
        "idle": None if settings.idle is None else f"{milliseconds(settings.idle)} milliseconds",
        "late": "drop" if settings.late is None else "deliver",
        "ahead": settings.ahead,
        "bad": settings.bad,
        "buckets": settings.state.buckets,
        "state_limit": settings.state.limit,
        "end": place.end,
        "max_matches": settings.max_matches,
    }


def _watermark(pipeline: CheckedPipeline) -> str | int | None:
    """Return the watermark as `run` takes it: for a column of numbers one in its unit."""
    given = pipeline.settings.watermark
    if not isinstance(given, str):
        return given
    length = milliseconds(given)
    if not pipeline.columns.time_is_number:
        return f"{length} milliseconds"
    return -(-length * TICKS_PER_SECOND[pipeline.columns.roles.time_unit] // 1000)


def _trigger(settings: Pipeline) -> Mapping[str, Any]:
    if settings.trigger is None:
        return {}
    if settings.trigger == AVAILABLE_NOW:
        return {"availableNow": True}
    found = EVERY.fullmatch(settings.trigger)
    assert found is not None
    return {"processingTime": f"{milliseconds(found['interval'])} milliseconds"}


def _metrics(
    spark: SparkRun, pipeline: CheckedPipeline, watcher: Watcher, live: LiveView | None
) -> StreamingMetrics:
    wanted = pipeline.filled.metrics
    file = None if wanted is None or wanted.file is None else pipeline.places.absolute(wanted.file)
    port = None if wanted is None else wanted.port

    def each(metrics: StreamMetrics) -> None:
        if live is not None:
            live.progressed(metrics)
        watcher.progressed(metrics)

    return streaming_metrics(spark.session, each=each, file=file, port=port)


def _wait(streams: Sequence[Stream], stop: threading.Event) -> None:
    running = list(streams)
    while running and not stop.wait(POLL_SECONDS):
        for each in [each for each in running if not each.is_active]:
            if each.error is not None:
                raise each.error
            running.remove(each)


def _await_last_words(metrics: StreamingMetrics, streams: Sequence[Stream]) -> None:
    names = {each.name for each in streams}
    deadline = time.monotonic() + LAST_WORDS_SECONDS
    while time.monotonic() < deadline:
        if not any(each.stream in names and each.is_running for each in metrics.latest):
            return
        time.sleep(POLL_SECONDS / 4)


def _spelled(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@contextmanager
def _without_secrets(pipeline: CheckedPipeline) -> Iterator[None]:
    """Take the values of secrets out of errors; Spark may quote its options."""
    try:
        yield
    except (DataError, ConfigError) as error:
        raise type(error)(pipeline.secrets.hide(str(error))) from None
    except StateError as error:
        raise StateError(pipeline.secrets.hide(str(error))) from None
