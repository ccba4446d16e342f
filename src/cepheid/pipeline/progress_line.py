"""The progress of a micro-batch in one line, and numbers as people read them."""

from __future__ import annotations

from datetime import UTC, datetime

from cepheid.metrics.stream_metrics import StreamMetrics

SIZES = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
SPANS = ((86400 * 365.25, "y"), (86400.0, "d"), (3600.0, "h"), (60.0, "min"))


def progress_line(metrics: StreamMetrics) -> str:
    """Return the line of a stream after a micro-batch.

    >>> progress_line(StreamMetrics("fires", 4, rows=3000, seconds=1.5, state_bytes=2_500_000))
    'fires  batch 4  3,000 events  2,000 events/s  state 2.5 MB  results 0  late 0'
    """
    parts = [metrics.stream, *progress_cells(metrics)]
    return "  ".join(part for part in parts if part)


def progress_cells(metrics: StreamMetrics) -> tuple[str, ...]:
    """Return the parts of the line after the name; one is empty if there is no watermark."""
    query = metrics.query
    return (
        f"batch {metrics.batch}",
        f"{metrics.rows:,} events",
        f"{metrics.rows_per_second:,.0f} events/s",
        f"state {size(metrics.state_bytes)}",
        _watermark(metrics),
        f"results {query.results:,}",
        f"late {query.late:,}",
    )


def size(count: int) -> str:
    """Return a number of bytes.

    >>> [size(each) for each in (999, 1500, 12_000_000)]
    ['999 B', '1.5 kB', '12.0 MB']
    """
    for unit, name in SIZES:
        if count >= unit:
            return f"{count / unit:.1f} {name}"
    return f"{count} B"


def span(seconds: float) -> str:
    """Return a length of time.

    >>> [span(each) for each in (0.25, 75, 7200, 86400 * 800)]
    ['0.2 s', '1.2 min', '2.0 h', '2.2 y']
    """
    for unit, name in SPANS:
        if abs(seconds) >= unit:
            return f"{seconds / unit:.1f} {name}"
    return f"{seconds:.1f} s"


def _watermark(metrics: StreamMetrics) -> str:
    if metrics.watermark is None or metrics.watermark_lag is None:
        return ""
    moment = datetime.fromtimestamp(metrics.watermark, UTC).replace(tzinfo=None)
    return f"watermark {moment.isoformat(' ', 'seconds')} (lag {span(metrics.watermark_lag)})"
