"""Progress of micro-batches, folded into one record per stream."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import uuid4

OBSERVED = "cepheid:"
METRIC = re.compile(rf"{OBSERVED}(?P<query>.*?)(#[0-9a-f]{{8}})?", re.DOTALL)
ROWS = "cepheid rows:"
COUNTS = ("events", "late", "set_aside", "results")
WORK = (
    "settled", "replayed", "touched", "bytes_read", "bytes_written", "cache_hits", "cache_misses",
)  # fmt: skip
# How Spark describes the source whose rows let time go on (`idle`); they are no events.
HEARTBEATS = "RateStreamV2[rowsPerSecond=1, rampUpTimeSeconds=0, numPartitions=1"
# The folder of a pipeline's checkpoint in which a file says that no event comes any more.
END_FOLDER = "end_of_input"
STATE_FILES = "rocksdbSstFileSize"


def metric_name(query: str) -> str:
    """Return a name under which an operator of a query reports, one that no other one has.

    Spark refuses a plan in which two different operators report under one name.
    """
    return f"{OBSERVED}{query}#{uuid4().hex[:8]}"


def observed_counts(observed: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Return what all operators of each query have reported, added up.

    >>> observed_counts({"cepheid:q#1234abcd": {"late": 1}, "cepheid:q#98765432": {"late": 2}})
    {'q': {'late': 3}}
    """
    counts: dict[str, dict[str, int]] = {}
    for key, values in observed.items():
        if found := METRIC.fullmatch(key):
            of_query = counts.setdefault(found["query"], {})
            for name, value in values.items():  # sums over no rows are NULL
                of_query[name] = of_query.get(name, 0) + int(value or 0)
    return counts


def observed_rows(observed: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the results of each query that a sample has.

    >>> observed_rows({"cepheid rows:q": {"row_0": '{"x":1}', "row_1": None}})
    {'q': ('{"x":1}',)}
    """
    return {
        key.removeprefix(ROWS): tuple(each for each in values.values() if each is not None)
        for key, values in observed.items()
        if key.startswith(ROWS)
    }


@dataclass(frozen=True, slots=True)
class QueryMetrics:
    """What one query of a stream did: in the last micro-batch, and since the start.

    `active_state_bytes` is what those parts of its state keep that had work in the last micro-batch
    in which any had. `waiting` is how many more events wait for the watermark than at the start.
    Of the last micro-batch: `settled` events became final, `replayed` ones were run again with
    them, in `touched` partitions where these were looked up; bytes of the state store, and tables
    of the local cache that were found or had to be made.
    `rows` are some results of the last micro-batch as JSON, if they were asked for.
    """

    name: str
    events: int = 0
    late: int = 0
    set_aside: int = 0
    results: int = 0
    events_total: int = 0
    late_total: int = 0
    set_aside_total: int = 0
    results_total: int = 0
    active_state_bytes: int | None = None
    waiting: int = 0
    settled: int = 0
    replayed: int = 0
    touched: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    cache_hits: int = 0
    cache_misses: int = 0
    rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StreamMetrics:
    """A stream after its last micro-batch; times are seconds, those of clocks since 1970.

    `rows` were read from the source, `latest` is the latest time of an event, `state_bytes` is what
    the state takes on disk. `is_whole`: all its micro-batches since the first one are known. A
    stream has several queries if one reads the results of another; the one that the stream is named
    after comes last.
    """

    stream: str
    batch: int = -1
    batches: int = 0
    at: float = 0.0
    seconds: float = 0.0
    seconds_total: float = 0.0
    rows: int = 0
    rows_total: int = 0
    state_rows: int = 0
    state_bytes: int = 0
    watermark: float | None = None
    latest: float | None = None
    is_whole: bool = False
    is_running: bool = True
    queries: tuple[QueryMetrics, ...] = field(default=())

    @property
    def rows_per_second(self) -> float:
        """How many rows a second the last micro-batch took in."""
        return self.rows / self.seconds if self.seconds else 0.0

    @property
    def watermark_lag(self) -> float | None:
        """How far the watermark was behind the clock when the micro-batch began."""
        return None if self.watermark is None else self.at - self.watermark

    @property
    def query(self) -> QueryMetrics:
        """The query whose results the stream gives."""
        return self.queries[-1] if self.queries else QueryMetrics(self.stream)


def advance(before: StreamMetrics, progress: Mapping[str, Any]) -> StreamMetrics:
    """Return the metrics after a micro-batch, from the JSON of Spark's progress."""
    seconds = progress.get("batchDuration", 0) / 1000
    rows = int(progress.get("numInputRows", 0)) - _heartbeats(progress.get("sources") or ())
    operators: Sequence[Mapping[str, Any]] = progress.get("stateOperators", ())
    watermark = (progress.get("eventTime") or {}).get("watermark")
    return StreamMetrics(
        stream=before.stream,
        batch=int(progress.get("batchId", before.batch)),
        batches=before.batches + 1,
        at=_seconds(progress["timestamp"]),
        seconds=seconds,
        seconds_total=before.seconds_total + seconds,
        rows=rows,
        rows_total=before.rows_total + rows,
        state_rows=sum(int(each.get("numRowsTotal", 0)) for each in operators),
        state_bytes=sum(map(_state_bytes, operators)),
        watermark=_watermark(watermark, before),
        latest=_latest(progress.get("eventTime") or {}, before),
        is_whole=before.is_whole or int(progress.get("batchId", -1)) == 0,
        queries=_observed(before, progress.get("observedMetrics") or {}),
    )


def _heartbeats(sources: Sequence[Mapping[str, Any]]) -> int:
    """Return how many rows are no events; a source of such rows alone is somebody's own."""
    if len(sources) == 1:
        return 0
    others = [each for each in sources if _is_no_event(each.get("description", ""))]
    return sum(int(each.get("numInputRows", 0)) for each in others)


def _is_no_event(description: str) -> bool:
    return description.startswith(HEARTBEATS) or description.endswith(f"/{END_FOLDER}]")


def _state_bytes(operator: Mapping[str, Any]) -> int:
    """Return the size of all state of an operator; another store than RocksDB has it in memory."""
    in_files = (operator.get("customMetrics") or {}).get(STATE_FILES)
    return int(operator.get("memoryUsedBytes", 0) if in_files is None else in_files)


def _observed(before: StreamMetrics, observed: Mapping[str, Any]) -> tuple[QueryMetrics, ...]:
    earlier = {each.name: each for each in before.queries}
    now = observed_counts(observed)
    rows = observed_rows(observed)
    names = sorted({*earlier, *now, *rows}, key=lambda name: (name == before.stream, name))
    return tuple(
        _add(earlier.get(name, QueryMetrics(name)), now.get(name, {}), rows.get(name, ()))
        for name in names
    )


def _add(before: QueryMetrics, values: Mapping[str, int], rows: tuple[str, ...]) -> QueryMetrics:
    """Return the metrics of a query after a micro-batch; one that does nothing reports nothing."""
    counts: dict[str, Any] = {name: values.get(name, 0) for name in COUNTS}
    totals: dict[str, Any] = {
        f"{name}_total": getattr(before, f"{name}_total") + counts[name] for name in COUNTS
    }
    kept = values.get("state_bytes", 0) or before.active_state_bytes
    waiting = before.waiting + values.get("waiting", 0)
    work: dict[str, Any] = {name: values.get(name, 0) for name in WORK}
    state: dict[str, Any] = {"active_state_bytes": kept, "waiting": waiting}
    return replace(before, **counts, **totals, **state, **work, rows=rows)


def _watermark(text: str | None, before: StreamMetrics) -> float | None:
    """Spark says 1970 as long as there is none, and nothing in a batch without events."""
    seconds = _time(text)
    return seconds if seconds else before.watermark


def _latest(event_time: Mapping[str, str], before: StreamMetrics) -> float | None:
    """Return the latest time of all events so far; a batch without events says nothing."""
    known = [each for each in (before.latest, _time(event_time.get("max"))) if each is not None]
    return max(known, default=None)


def _time(text: str | None) -> float | None:
    """Return a time of events; None also if it is beyond the year 9999, which has no such text."""
    try:
        return None if text is None else _seconds(text)
    except ValueError:
        return None


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
