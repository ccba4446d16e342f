"""Micro-batches of 2,000 events with ever more events in the window. Timed: one step of a stream.

A step has its state read from bytes, as Spark's state store has it, and written to bytes; a cache
is in a folder. There is no Spark in it: processor time of this process, the median of some steps.
`replay` is the same step without a cache, which runs all events of the window again; there is none
where something else than events is kept, or where they are kept apart. The window is filled with
larger micro-batches, which are not timed.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.program.lower import lower
from cepheid.stream import fold_settled
from cepheid.stream.local_cache import LocalCache
from cepheid.stream.settled_events import SettledEvents
from cepheid.stream.stream_bundle import StreamBundle, stream_of_one
from cepheid.stream.stream_state import StreamState, digest_of, keep, table_of
from cepheid.stream.stream_step import Step, step

SCHEMA = pa.schema(
    [("time", pa.int64()), ("type", pa.string()), ("k", pa.int64()), ("x", pa.int64())]
)
NEXT = "SEMANTICS skip-till-next-match WHERE [k]"
GROUPED = "RETURN k, COUNT(*) AS n GROUP BY k"
KINDS = {
    "match": f"SEQ(A a, B b) {NEXT} WITHIN {{w}}",
    "match any": "SEQ(A a, B b) WHERE [k] AND a.x = b.x AND b.x < 2 WITHIN {w}",
    "end negation": f"SEQ(A a, B b, !C c) {NEXT} WITHIN {{w}}",
    "COUNT WITHIN": f"SEQ(A a, B b) WHERE [k] WITHIN {{w}} {GROUPED}",
    "COUNT SLIDE": f"SEQ(A a, B b) WHERE [k] WITHIN {{w}} SLIDE {{s}} {GROUPED}",
    "falling": f"A+ a SEMANTICS contiguous WHERE [k] AND a[i].x < a[i-1].x WITHIN {{w}} {GROUPED}",
    "EVENTS": f"SEQ(A a, B b) {NEXT} WITHIN {{w}} EVENTS",
    "NON OVERLAPPING": "SEQ(A a, B b) WHERE [k] WITHIN {w} OUTPUT NON OVERLAPPING",
}
NOT_REPLAYED = ("COUNT SLIDE", "EVENTS", "NON OVERLAPPING")
BATCH, DELAY = 2_000, 100


@dataclass
class Stream:
    """A stream with its durable state in memory; what is read and written of it is counted."""

    bundle: StreamBundle
    keys: int
    cache: LocalCache | None
    at: int = 0
    header: bytes | None = None
    chunks: dict[int, bytes] = field(default_factory=dict)
    bytes_read: int = 0
    bytes_written: int = 0
    dice: np.random.Generator = field(default_factory=lambda: np.random.default_rng(1))

    def feed(self, count: int) -> tuple[float, Step]:
        """Make a step with so many new events; return its processor time."""
        events = self._events(count)
        self.at += count
        began, self.bytes_read = time.process_time(), len(self.header or b"")
        before = StreamState()
        if self.header is not None:
            marks = None if self.cache is None else self.cache.find(self._marks_name())
            before = StreamState.from_header(self.header, self._read, self.cache, marks)
        until = self.at - DELAY
        done = step(self.bundle, before, events, until, late_before=until - count)
        self._save(before, done.state)
        return time.process_time() - began, done

    def _events(self, count: int) -> pa.Table:
        kinds = np.array(["A", "B", "C"])[self.dice.integers(0, 3, count)]
        columns = [
            np.arange(self.at, self.at + count),
            kinds,
            self.dice.integers(0, self.keys, count),
            self.dice.integers(0, 1000, count),
        ]
        return pa.table(columns, names=SCHEMA.names).cast(SCHEMA)

    def _read(self, number: int) -> pa.Table:
        self.bytes_read += len(self.chunks[number])
        return table_of(self.chunks[number])

    def _save(self, before: StreamState, after: StreamState) -> None:
        self.header = after.header_to_bytes()
        added = [each for each in after.chunks if each.number not in self.chunks]
        kept = {each.number for each in after.chunks}
        gone = [each for each in before.chunks if each.number not in kept]
        self.chunks |= {each.number: each.data for each in added}
        self.bytes_written = len(self.header) + sum(len(each.data) for each in added)
        for each in gone:
            del self.chunks[each.number]
        if self.cache is not None:
            keep(self.cache, added, gone)
            if after.marks is not None:
                self.cache.put(self._marks_name(), after.marks)

    def _marks_name(self) -> str:
        return f"{digest_of(self.header or b'').hex()}-marks"


class Measured(NamedTuple):
    """The median time of a step in milliseconds, and what the last one did.

    Bytes are those of the step that read, or wrote, most: now and then one joins chunks.
    """

    milliseconds: float
    bytes_read: int
    bytes_written: int
    replayed: int
    rows: int


def measure(kind: str, window: int, keys: int, steps: int, *, replays: bool = False) -> Measured:
    """Fill the window, and time some steps."""
    text = f"PATTERN {KINDS[kind].format(w=window, s=max(1, window // 10))}"
    plan = cepheid.query(text).plan(event_schema(SCHEMA, ColumnRoles(time="time", type="type")))
    with tempfile.TemporaryDirectory() as folder, _whole() if replays else _as_it_is():
        cache = None if replays else LocalCache(Path(folder))
        stream = Stream(stream_of_one(lower(plan)), keys, cache)
        while stream.at < window:
            stream.feed(min(window - stream.at, max(BATCH, window // 8)))
        stream.feed(BATCH)  # whoever is first looks up where events are
        done = [
            (*stream.feed(BATCH), stream.bytes_read, stream.bytes_written) for _ in range(steps)
        ]
    seconds, steps_done, bytes_read, bytes_written = zip(*done, strict=True)
    last = steps_done[-1]
    return Measured(
        1000 * statistics.median(seconds),
        max(bytes_read),
        max(bytes_written),
        last.work.replayed,
        sum(each.num_rows for each in last.results.values()),
    )


@contextmanager
def _as_it_is() -> Iterator[None]:
    yield


@contextmanager
def _whole() -> Iterator[None]:
    """Let steps run all events of the window again."""
    chosen = fold_settled.touched_events
    fold_settled.touched_events = lambda move, reach, _: SettledEvents(move, reach)
    try:
        yield
    finally:
        fold_settled.touched_events = chosen
