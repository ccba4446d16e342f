"""The stateful operator of one or more queries: one step per bucket and micro-batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from cepheid.engine.process.name_errors import errors_of
from cepheid.plan.stream_options import Bad
from cepheid.program.arrow_arrays import to_arrow
from cepheid.spark.shuffle.packed_events import BUCKET, EVENTS, from_packets, to_packets
from cepheid.spark.shuffle.python_worker import keep_loaded
from cepheid.spark.stream.bucket_store import BucketStore
from cepheid.spark.stream.end_of_input import came_after_the_end
from cepheid.spark.stream.event_clock import EventClock
from cepheid.spark.stream.pack_events import IDENTITY
from cepheid.spark.stream.step_reports import (
    LATE,
    QUERY,
    RESULT,
    TEXT,
    blank_report,
    in_lots,
)
from cepheid.stream.guards import Guards
from cepheid.stream.local_cache import CachePlace, cache_at
from cepheid.stream.stream_bundle import StreamBundle
from cepheid.stream.stream_state import StreamState

if TYPE_CHECKING:
    from cepheid.stream.stream_step import Step


@dataclass(frozen=True, slots=True)
class BucketJob:
    """What is done in every bucket; `query` is what its state belongs to.

    `behind` is how many ticks the horizon stays behind the watermark: results of other queries may
    be reported so much later than their own time. Events that are `ahead_ms` ahead of the clock
    are set aside; `bad` says what becomes of those that have no place in time at all. With
    `gives_reasons` they are delivered among late ones.
    """

    bundle: StreamBundle
    clock: EventClock
    query: Mapping[str, str]
    ordered: bool
    state_limit: int | None
    delivers_late: bool = False
    behind: int = 0
    cache: CachePlace | None = None
    ahead_ms: int | None = None
    bad: str = Bad.ERROR
    gives_reasons: bool = False

    def guards(self, clock_ms: int) -> Guards:
        """Return which events are set aside at a time of Spark's clock."""
        ahead = None if self.ahead_ms is None else self.clock.horizon(clock_ms + self.ahead_ms)
        return Guards(ahead, self.bad)

    @property
    def is_tagged(self) -> bool:
        """Whether reports say whose they are."""
        return self.bundle.lasting is None


class BucketProcessor(StatefulProcessor):
    """Settles events up to the watermark; results are reported as packets.

    A bucket without new events is woken by a timer when the watermark passes what it waits for. If
    there are several queries, every report says whose result it has; the first one has no query,
    but what was counted for all of them.
    """

    isolates = False  # whether a query whose data is at fault lets the others run on

    def __init__(self, job: BucketJob) -> None:
        self.job = job

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Name the state."""
        self.handle = handle
        place = self.job.cache
        cache = None if place is None else partial(cache_at, place)
        self.store = BucketStore(handle, self.job.query, cache)

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

    def bundle(self) -> StreamBundle:
        """Return the queries of the bucket that Spark has chosen."""
        return self.job.bundle

    def told(self, bucket: int, done: Step) -> Iterator[dict[str, Any]]:
        """Yield the results of a step, as reports of several queries have them."""
        for name, table in done.results.items():
            for place, packet in enumerate(to_packets(table)):
                rows = 0 if place else table.num_rows
                yield {QUERY: name, TEXT: self.text_of(name), "results": rows, RESULT: packet}

    def text_of(self, name: str) -> str | None:
        """Return what a query is, if only the state knows."""
        return None

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
            guards = job.guards(timer_values.getCurrentProcessingTimeInMs())
            done = self._step(before.state, arrived, watermark, guards, ends=ends)
        timer = None if done.next_timer is None else job.clock.timer(done.next_timer + job.behind)
        if timer is not None and timer == fired:
            timer += 1  # Spark removes the timer that went off, also if it was set again
        size = self.store.save(before, done.state, timer, is_finished=ends)
        self._set_timer(before.timer, timer, fired)
        counts = {
            "events": 0 if arrived is None else arrived.num_rows,
            "late": done.late.num_rows,
            "set_aside": done.aside.num_rows,
            "state_bytes": size,
            "waiting": done.waiting,
            "settled": done.work.settled,
            "replayed": done.work.replayed,
            "touched": done.work.touched,
            **self.store.traffic(),
        }
        with errors_of(None):
            yield from self._reports(int(key[0]), counts, done)
        keep_loaded()

    def _refuse(self, arrived: pa.Table | None) -> None:
        """Take no events after the end; it may be told again."""
        if arrived is not None and arrived.num_rows:
            names = ", ".join(each.name for each in self.bundle().queries)
            raise came_after_the_end(names, arrived.num_rows)

    def _step(
        self,
        state: StreamState,
        arrived: pa.Table | None,
        watermark: int | None,
        guards: Guards,
        *,
        ends: bool,
    ) -> Step:
        # Whenever a stream starts, Spark has a new process name the state, which needs no engine.
        from cepheid.stream.stream_step import step

        return step(
            self.bundle(),
            state,
            arrived,
            None if watermark is None else watermark - self.job.behind,
            ordered=self.job.ordered,
            late_before=watermark,
            guards=guards,
            state_limit=self.job.state_limit,
            isolates=self.isolates,
            ends=ends,
        )

    def _reports(
        self, bucket: int, counts: Mapping[str, int], done: Step
    ) -> Iterator[pd.DataFrame]:
        blank = {BUCKET: bucket, **blank_report(is_tagged=self.job.is_tagged)}
        rows = ({**blank, **row} for row in self._rows(bucket, counts, done))
        yield from map(pd.DataFrame, in_lots(rows))

    def _rows(
        self, bucket: int, counts: Mapping[str, int], done: Step
    ) -> Iterator[Mapping[str, Any]]:
        """Yield what is not blank: a row with everything, and more if it is too large for one."""
        if self.job.is_tagged:
            yield counts
            yield from self.told(bucket, done)
            return
        result = next(iter(done.results.values()), pa.table({}))
        shown: Mapping[str, int] = {**counts, "results": result.num_rows}
        packets = [*zip_longest(to_packets(result), self._late_packets(done))]
        for packet, late in packets or [(None, None)]:
            yield {**shown, RESULT: packet, LATE: late}
            shown = {}

    def _late_packets(self, done: Step) -> list[bytes]:
        """Leave out events that would only have broken trends: most of their columns are bare."""
        from cepheid.program.compute_columns import with_computed
        from cepheid.program.copy_events import without_copies
        from cepheid.stream.admit_events import fits_a_position
        from cepheid.stream.set_aside import with_late

        job, late = self.job, done.late
        if job.gives_reasons:
            late = with_late(late, done.aside, with_bad=job.bad == Bad.DELIVER)
        if not job.delivers_late or not late.num_rows:
            return []

        (query,) = self.bundle().queries
        program = query.program

        def fits(events: pa.Table) -> NDArray[np.bool_]:
            return fits_a_position(program, with_computed(events, program.computed))

        fitting = late.filter(to_arrow(fits(late)))
        return to_packets(without_copies(fitting, program.copies, fits))

    def _set_timer(self, before: int | None, now: int | None, fired: int | None) -> None:
        """Keep one timer; Spark itself removes the one that went off."""
        if before == now and fired is None:
            return
        if before is not None and before != fired:
            self.handle.deleteTimer(before)
        if now is not None:
            self.handle.registerTimer(now)
