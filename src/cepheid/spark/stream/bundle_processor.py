"""The stateful operator of several queries: one step per bucket and micro-batch for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from cepheid.spark.shuffle.packed_events import to_packets
from cepheid.spark.stream.bucket_processor import BucketProcessor
from cepheid.spark.stream.bucket_store import BucketStore
from cepheid.spark.stream.event_clock import EventClock
from cepheid.spark.stream.in_lots import RESULT, in_lots
from cepheid.stream.stream_bundle import StreamBundle
from cepheid.stream.stream_state import StreamState
from cepheid.stream.stream_step import Step

QUERY, TEXT, CHANGE = "query", "text", "change"
BUNDLE_REPORTS = (
    f"bucket int, {QUERY} string, {TEXT} string, {CHANGE} string, events bigint, late bigint, "
    f"results bigint, state_bytes bigint, waiting bigint, {RESULT} binary"
)
NOTHING: Mapping[str, Any] = {
    QUERY: None, TEXT: None, CHANGE: None, "events": 0, "late": 0, "results": 0, "state_bytes": 0,
    "waiting": 0, RESULT: None,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class BundleJob:
    """What is done in every bucket; `query` is what its state belongs to."""

    bundle: StreamBundle
    clock: EventClock
    query: Mapping[str, str]
    ordered: bool
    state_limit: int | None
    behind: int = 0


class BundleProcessor(BucketProcessor):
    """Settles events up to the watermark; every report says whose result it has.

    The first report of a step has no query, but what was counted for all of them.
    """

    job: BundleJob  # type: ignore[assignment]
    isolates = False  # whether a query whose data is at fault lets the others run on

    def __init__(self, job: BundleJob) -> None:
        self.job = job

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Name the state."""
        self.handle = handle
        self.store = BucketStore(handle, self.job.query)

    def bundle(self) -> StreamBundle:
        """Return the queries of the bucket that Spark has chosen."""
        return self.job.bundle

    @property
    def name(self) -> str:
        """Whose stream it is."""
        return ", ".join(each.name for each in self.bundle().queries)

    def _step(
        self, state: StreamState, arrived: pa.Table | None, watermark: int | None, *, ends: bool
    ) -> Any:
        from cepheid.stream.stream_step import step

        return step(
            self.bundle(),
            state,
            arrived,
            watermark,
            ordered=self.job.ordered,
            late_before=watermark,
            state_limit=self.job.state_limit,
            isolates=self.isolates,
            ends=ends,
        )

    def _reports(self, bucket: int, arrived: int, done: Step, size: int) -> Iterator[pd.DataFrame]:
        counts = {
            "events": arrived,
            "late": done.late.num_rows,
            "state_bytes": size,
            "waiting": done.waiting,
        }
        told = chain([counts], self.tell(bucket, done))
        yield from map(pd.DataFrame, in_lots({"bucket": bucket, **NOTHING, **row} for row in told))

    def tell(self, bucket: int, done: Step) -> Iterator[dict[str, Any]]:
        """Yield what there is to report of a step."""
        for name, table in done.results.items():
            for place, packet in enumerate(to_packets(table)):
                rows = 0 if place else table.num_rows
                yield {QUERY: name, TEXT: self.text_of(name), "results": rows, RESULT: packet}

    def text_of(self, name: str) -> str | None:
        """Return what a query is, if only the state knows."""
        return None
