"""Metrics in Prometheus' text format (version 0.0.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cepheid.metrics.stream_metrics import StreamMetrics

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Sample = tuple[dict[str, str], float | None]


def prometheus_text(streams: Sequence[StreamMetrics]) -> str:
    r"""Return the metrics of streams as text.

    >>> print(prometheus_text([StreamMetrics("fires", batches=3)]).splitlines()[2])
    cepheid_batches_total{stream="fires"} 3
    """
    return "".join(
        f"{line}\n"
        for name, kind, about, samples in _families(streams)
        for line in _family(name, kind, about, samples)
    )


def _families(
    streams: Sequence[StreamMetrics],
) -> Iterator[tuple[str, str, str, list[Sample]]]:
    by_stream = [({"stream": each.stream}, each) for each in streams]
    by_query = [
        ({"stream": stream.stream, "query": query.name}, query)
        for stream in streams
        for query in stream.queries
    ]
    for name, kind, about, attribute in (
        ("batches_total", "counter", "Micro-batches since the start.", "batches"),
        ("batch_seconds_total", "counter", "Time spent in micro-batches.", "seconds_total"),
        ("input_rows_total", "counter", "Rows read from the source.", "rows_total"),
        ("batch_seconds", "gauge", "Time of the last micro-batch.", "seconds"),
        ("rows_per_second", "gauge", "Rows a second in the last micro-batch.", "rows_per_second"),
        ("state_rows", "gauge", "Rows in the state store.", "state_rows"),
        ("state_bytes", "gauge", "Size of the state on disk.", "state_bytes"),
        ("last_batch_timestamp_seconds", "gauge", "Start of the last micro-batch.", "at"),
        ("watermark_timestamp_seconds", "gauge", "The watermark.", "watermark"),
        ("watermark_lag_seconds", "gauge", "Clock less watermark.", "watermark_lag"),
        ("stream_running", "gauge", "Whether the stream runs: 1 or 0.", "is_running"),
    ):
        stream_samples = [(labels, getattr(each, attribute)) for labels, each in by_stream]
        yield f"cepheid_{name}", kind, about, stream_samples
    for name, kind, about, attribute in (
        ("events_total", "counter", "Events that reached the query.", "events_total"),
        ("late_events_total", "counter", "Events that came too late.", "late_total"),
        (
            "set_aside_events_total",
            "counter",
            "Events without a place in time: too far ahead, or bad.",
            "set_aside_total",
        ),
        ("results_total", "counter", "Results of the query.", "results_total"),
        (
            "query_active_state_bytes",
            "gauge",
            "Size of those parts of the query's state that had work last.",
            "active_state_bytes",
        ),
        ("settled_events", "gauge", "Events that the last micro-batch settled.", "settled"),
        ("replayed_events", "gauge", "Events that were run again with them.", "replayed"),
        ("touched_partitions", "gauge", "Partitions that were looked up.", "touched"),
        ("state_read_bytes", "gauge", "Bytes read from the state store.", "bytes_read"),
        ("state_written_bytes", "gauge", "Bytes written to the state store.", "bytes_written"),
        ("cache_hits", "gauge", "Tables found in the local cache.", "cache_hits"),
        ("cache_misses", "gauge", "Tables that the local cache did not have.", "cache_misses"),
    ):
        query_samples = [(labels, getattr(each, attribute)) for labels, each in by_query]
        yield f"cepheid_{name}", kind, about, query_samples


def _family(name: str, kind: str, about: str, samples: Iterable[Sample]) -> Iterator[str]:
    known = [(labels, value) for labels, value in samples if value is not None]
    if not known:
        return
    yield f"# HELP {name} {_escape(about)}"
    yield f"# TYPE {name} {kind}"
    for labels, value in known:
        pairs = ",".join(f'{key}="{_escape(text, quote=True)}"' for key, text in labels.items())
        yield f"{name}{{{pairs}}} {_number(value)}"


def _escape(text: str, *, quote: bool = False) -> str:
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n")
    return escaped.replace('"', '\\"') if quote else escaped


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))
