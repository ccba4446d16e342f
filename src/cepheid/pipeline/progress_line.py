"""The progress of a micro-batch in one line, and numbers as people read them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from cepheid.metrics.stream_metrics import QueryMetrics, StreamMetrics
from cepheid.pipeline.model import TOGETHER

SIZES = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
MOST_AHEAD = 86_400  # seconds by which a watermark may be ahead without a word
SPANS = ((86400 * 365.25, "y"), (86400.0, "d"), (3600.0, "h"), (60.0, "min"))


def progress_line(metrics: StreamMetrics) -> str:
    """Return the line of a stream after a micro-batch.

    >>> progress_line(StreamMetrics("fires", 4, rows=3000, seconds=1.5, state_bytes=2_500_000))
    'fires  batch 4  3,000 events  2,000 events/s  state 2.5 MB  results 0  late 0'

    The work of its query is told where there is any.
    """
    values = progress_values(metrics)
    parts = [
        metrics.stream,
        f"batch {values['batch']}",
        f"{values['events']} events",
        f"{values['events/s']} events/s",
        f"state {values['state']}",
        f"watermark {values['watermark']} (lag {values['lag']})" if values["lag"] else "",
        f"results {values['results']}",
        f"late {values['late']}",
        f"set aside {values['set aside']}" if values["set aside"] != "0" else "",
        _work(metrics.query),
        _ahead(metrics.watermark_lag),
    ]
    return "  ".join(part for part in parts if part)


def _work(query: QueryMetrics) -> str:
    """Tell of events run again, partitions looked up, bytes, and tables found in the cache.

    >>> _work(QueryMetrics("fires", replayed=1200, touched=35, bytes_read=4100, cache_hits=9))
    'again 1,200 events  touched 35  read 4.1 kB  cache 9 of 9'
    >>> _work(QueryMetrics("fires", bytes_read=4100, bytes_written=52_000))
    'read 4.1 kB  wrote 52.0 kB'
    """
    asked = query.cache_hits + query.cache_misses
    parts = [
        f"again {query.replayed:,} events" if query.replayed else "",
        f"touched {query.touched:,}" if query.touched else "",
        f"read {size(query.bytes_read)}" if query.bytes_read else "",
        f"wrote {size(query.bytes_written)}" if query.bytes_written else "",
        f"cache {query.cache_hits:,} of {asked:,}" if asked else "",
    ]
    return "  ".join(part for part in parts if part)


def _ahead(lag: float | None) -> str:
    """Tell of a watermark that no event of today can pass: what comes is late.

    >>> _ahead(-86400 * 800)
    "the watermark is 2.2 y ahead of the clock, and what is before it is late: see 'ahead'"
    """
    if lag is None or lag >= -MOST_AHEAD:
        return ""
    return (
        f"the watermark is {span(-lag)} ahead of the clock, and what is before it is late: see "
        "'ahead'"
    )


def progress_values(metrics: StreamMetrics) -> dict[str, str]:
    """Return the values of the line by name; two are empty if there is no watermark."""
    query = metrics.query
    watermark, lag = metrics.watermark, metrics.watermark_lag
    return {
        "batch": str(metrics.batch),
        "events": f"{metrics.rows:,}",
        "events/s": f"{metrics.rows_per_second:,.0f}",
        "state": size(metrics.state_bytes),
        "watermark": "" if watermark is None else moment(watermark),
        "lag": "" if lag is None else span(lag),
        "results": f"{query.results:,}",
        "late": f"{query.late:,}",
        "set aside": f"{query.set_aside:,}",
        "again": f"{query.replayed:,} events" if query.replayed else "",
    }


def waiting_lines(streams: Sequence[StreamMetrics]) -> list[str]:
    """Return what still waits when all events are read, and how it becomes final.

    >>> from cepheid.metrics.stream_metrics import QueryMetrics
    >>> counts = QueryMetrics("fires", waiting=3)
    >>> times = {"watermark": 1_700_000_000, "latest": 1_700_000_600}
    >>> for line in waiting_lines([StreamMetrics("fires", 4, **times, is_whole=True,
    ...                                          queries=(counts,))]):
    ...     print(line)
    fires: results are written up to the watermark, 2023-11-14 22:13:20; 3 events wait, the latest \
of 2023-11-14 22:23:20
    what waits is in the checkpoint, and comes with later events; with 'finish: true' it comes now
    """
    lines = []
    for each in streams:
        if each.latest is None:  # no event has come in this run
            continue
        written = "no results are written yet, as the watermark has not moved"
        if each.watermark is not None:
            written = f"results are written up to the watermark, {moment(each.watermark)}"
        waits = "later events wait"
        if each.is_whole:
            counted = (each.query,) if each.stream == TOGETHER else each.queries
            count = sum(query.waiting for query in counted)
            waits = "1 event waits" if count == 1 else f"{count:,} events wait"
        lines.append(f"{each.stream}: {written}; {waits}, the latest of {moment(each.latest)}")
    if lines:
        lines.append(
            "what waits is in the checkpoint, and comes with later events; with 'finish: true' it "
            "comes now"
        )
    return lines


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


def moment(seconds: float) -> str:
    """Return a time in UTC.

    >>> moment(1_700_000_000)
    '2023-11-14 22:13:20'
    """
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat(" ", "seconds")
