"""The stateful operator: one step of the engine per bucket and micro-batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from cepheid.engine.process.name_errors import errors_of
from cepheid.program.arrow_arrays import to_arrow
from cepheid.program.program import Program
from cepheid.spark.shuffle.packed_events import EVENTS, from_packets, to_packets
from cepheid.spark.shuffle.python_worker import keep_loaded
from cepheid.spark.stream.bucket_store import BucketStore
from cepheid.spark.stream.end_of_input import came_after_the_end
from cepheid.spark.stream.event_clock import EventClock
from cepheid.spark.stream.pack_events import IDENTITY
from cepheid.stream.stream_state import StreamState

RESULT, LATE = "result", "late_events"
COUNTS = ("events", "late", "results", "state_bytes", "waiting")
REPORTS = (
    "bucket int, events bigint, late bigint, results bigint, state_bytes bigint, waiting bigint, "
    f"{RESULT} binary, {LATE} binary"
)


@dataclass(frozen=True, slots=True)
class BucketJob:
    """What is done in every bucket; `query` is what its state belongs to.

    `behind` is how many ticks the horizon stays behind the watermark: results of other queries may
    be reported so much later than their own time.
    """

    program: Program
    clock: EventClock
    query: Mapping[str, str]
    ordered: bool
    partially: bool
    delivers_late: bool
    state_limit: int | None
    behind: int = 0


class BucketProcessor(StatefulProcessor):
    """Settles events up to the watermark; results are reported as packets.

    A bucket without new events is woken by a timer when the watermark passes what it waits for.
    """

    def __init__(self, job: BucketJob) -> None:
        self.job = job

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Name the state."""
        self.handle = handle
        self.store = BucketStore(handle, self.job.query)

    def handleInputRows(
        self, key: Any, rows: Iterator[Any], timerValues: Any
    ) -> Iterator[pd.DataFrame]:
        """Take the events of a bucket, and the end, of which a packet without events tells."""
        packets = [packet for frame in rows for packet in frame[EVENTS]]
        if key[0] == IDENTITY:
            self.store.check()
            return iter(())
        full = [each for each in packets if each is not None]
        arrived = from_packets(full) if full else None
        ends = len(full) < len(packets)
        return self._advance(key, arrived, timerValues, fired=None, ends=ends)

    def handleExpiredTimer(
        self, key: Any, timerValues: Any, expiredTimerInfo: Any
    ) -> Iterator[pd.DataFrame]:
        """Close what the watermark has passed in a bucket without new events."""
        return self._advance(key, None, timerValues, fired=expiredTimerInfo.getExpiryTimeInMs())

    def close(self) -> None:
        """Nothing is open."""

    def _advance(
        self,
        key: Any,
        arrived: pa.Table | None,
        timer_values: Any,
        *,
        fired: int | None,
        ends: bool = False,
    ) -> Iterator[pd.DataFrame]:
        job = self.job
        watermark = job.clock.horizon(timer_values.getCurrentWatermarkInMs())
        before = self.store.load()
        if before.is_finished:
            self._refuse(arrived)
            return
        with errors_of(None):
            done = self._step(before.state, arrived, watermark, ends=ends)
        timer = None if done.next_timer is None else job.clock.timer(done.next_timer + job.behind)
        if timer is not None and timer == fired:
            timer += 1  # Spark removes the timer that went off, also if it was set again
        size = self.store.save(before, done.state, timer, is_finished=ends)
        self._set_timer(before.timer, timer, fired)
        count = 0 if arrived is None else arrived.num_rows
        with errors_of(None):
            yield from self._reports(int(key[0]), count, done, size)
        keep_loaded()

    def _refuse(self, arrived: pa.Table | None) -> None:
        """Take no events after the end; it may be told again."""
        if arrived is not None and arrived.num_rows:
            raise came_after_the_end(self.name, arrived.num_rows)

    @property
    def name(self) -> str:
        """Whose stream it is."""
        return self.job.program.name

    def _step(
        self, state: StreamState, arrived: pa.Table | None, watermark: int | None, *, ends: bool
    ) -> Any:
        # Whenever a stream starts, Spark has a new process name the state, which needs no engine.
        from cepheid.stream.stream_bundle import stream_of_one
        from cepheid.stream.stream_step import step

        job = self.job
        return step(
            stream_of_one(job.program, partially=job.partially),
            state,
            arrived,
            None if watermark is None else watermark - job.behind,
            ordered=job.ordered,
            late_before=watermark,
            state_limit=job.state_limit,
            ends=ends,
        )

    def _reports(self, bucket: int, arrived: int, done: Any, size: int) -> Iterator[pd.DataFrame]:
        job = self.job
        late = _of_the_query(job.program, done.late) if job.delivers_late else None
        (result,) = done.results.values() or (pa.table({}),)
        counts = (arrived, done.late.num_rows, result.num_rows, size, done.waiting)
        return _reports(bucket, counts, result, late)

    def _set_timer(self, before: int | None, now: int | None, fired: int | None) -> None:
        """Keep one timer; Spark itself removes the one that went off."""
        if before == now and fired is None:
            return
        if before is not None and before != fired:
            self.handle.deleteTimer(before)
        if now is not None:
            self.handle.registerTimer(now)


def _of_the_query(program: Program, late: pa.Table) -> pa.Table:
    """Leave out events that would only have broken trends: most of their columns did not travel."""
    if not late.num_rows:
        return late
    from cepheid.stream.admit_events import fits_a_position

    return late.filter(to_arrow(fits_a_position(program, late)))


def _reports(
    bucket: int, counts: tuple[int, ...], result: pa.Table, late: pa.Table | None
) -> Iterator[pd.DataFrame]:
    """Yield a row with everything, and more rows if results are too large for one."""
    packets = to_packets(result)
    late_packets = [] if late is None else to_packets(late)
    for place in range(max(1, len(packets), len(late_packets))):
        shown = counts if place == 0 else (0,) * len(COUNTS)
        row: dict[str, Any] = dict(zip(COUNTS, shown, strict=True))
        row[RESULT] = packets[place] if place < len(packets) else None
        row[LATE] = late_packets[place] if place < len(late_packets) else None
        yield pd.DataFrame([{"bucket": bucket, **row}])
