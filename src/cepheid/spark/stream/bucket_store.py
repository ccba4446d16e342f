"""What a bucket keeps between micro-batches, in Spark's state store."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from cepheid.errors import StateError, another_query
from cepheid.stream.local_cache import LocalCache
from cepheid.stream.stream_state import StreamState, digest_of, keep, missing_chunk, table_of

VERSION = 1
NO_TIMER, FINISHED = -1, -2
MARKS = "marks-3"  # with a version: another release may make others
HEAD = "version int, query string, timer bigint, header binary"
OTHER_RELEASE = (
    "go on with the release that wrote the checkpoint, or start with a new checkpoint and a new "
    "output folder; nothing in it has changed"
)


@dataclass(frozen=True, slots=True)
class Stored:
    """What a bucket keeps, and the timer that is set.

    One that is finished keeps nothing, and takes nothing any more.
    """

    state: StreamState
    timer: int | None
    is_finished: bool = False


class BucketStore:
    """Reads and writes the state of the bucket that Spark has chosen.

    Chunks never change, so that only new ones are written and gone ones removed; they are read when
    a step asks for them, from the `cache` if they are there. `query` is what the state belongs to,
    part by part.
    """

    version = VERSION

    def __init__(
        self,
        handle: StatefulProcessorHandle,
        query: Mapping[str, str],
        cache: Callable[[], LocalCache] | None = None,
    ) -> None:
        self.query = json.dumps(query, sort_keys=True)
        self.cache = cache
        self.bytes_read = self.bytes_written = 0
        self.marks = ""
        self.counted = (0, 0)  # what the cache had found and made before
        self.head = handle.getValueState("head", HEAD)
        self.chunks = handle.getMapState("chunks", "number bigint", "rows binary")

    def load(self) -> Stored:
        """Return what was stored; nothing if the bucket is new.

        Raises:
            StateError: it was written for another query, or by another version.
        """
        head = self.head.get() if self.head.exists() else None
        if head is None:
            return Stored(StreamState(), None)
        version, query, timer, header = head
        self._require_same(version, query)
        self.bytes_read = len(header)
        cache = None if self.cache is None else self.cache()
        self.counted = (0, 0) if cache is None else (cache.found, cache.made)
        self.marks = self._marks_name(bytes(header))
        marks = None if cache is None else cache.find(self.marks)
        state = StreamState.from_header(bytes(header), self._read, cache, marks)
        timer_set = None if timer in (NO_TIMER, FINISHED) else timer
        return Stored(state, timer_set, timer == FINISHED)

    def _read(self, number: int) -> pa.Table:
        found = self.chunks.getValue((number,))
        if found is None:
            raise missing_chunk(number)
        self.bytes_read += len(found[0])
        return table_of(bytes(found[0]))

    def save(
        self, before: Stored, state: StreamState, timer: int | None, *, is_finished: bool = False
    ) -> int:
        """Write what has changed, and return how many bytes are kept."""
        header = state.header_to_bytes()
        self.bytes_written = len(header)
        known = {chunk.number: chunk for chunk in before.state.chunks}
        gone = known.keys() - {chunk.number for chunk in state.chunks}
        for number in gone:
            self.chunks.removeKey((number,))
        added = [chunk for chunk in state.chunks if chunk.number not in known]
        for chunk in added:
            self.chunks.updateValue((chunk.number,), (chunk.data,))
            self.bytes_written += len(chunk.data)
        if self.cache is not None:
            cache, marks = self.cache(), self._marks_name(header)
            keep(cache, added, [known[number] for number in gone])
            if state.marks is not None:
                cache.put(marks, state.marks)
            cache.forget({self.marks} - {"", marks})
        nothing_set = FINISHED if is_finished else NO_TIMER
        self.head.update(
            (self.version, self.query, nothing_set if timer is None else timer, header)
        )
        return len(header) + state.size

    def _marks_name(self, header: bytes) -> str:
        """Return what the marks of a state are called: they belong to it, and to its query."""
        return f"{digest_of(header + self.query.encode()).hex()}-{MARKS}"

    def traffic(self) -> dict[str, int]:
        """Return what was read and written since the state was loaded."""
        cache = None if self.cache is None else self.cache()
        hits, misses = (0, 0) if cache is None else (cache.found, cache.made)
        return {
            "bytes_read": self.bytes_read,
            "bytes_written": self.bytes_written,
            "cache_hits": hits - self.counted[0],
            "cache_misses": misses - self.counted[1],
        }

    def check(self) -> None:
        """Store whose checkpoint it is, or raise a StateError if it is another one's."""
        if not self.head.exists():
            self.head.update((self.version, self.query, NO_TIMER, b""))
            return
        version, query, _, _ = self.head.get() or ()
        self._require_same(version, query)

    def _require_same(self, version: int, query: str) -> None:
        if version != self.version:
            raise StateError(
                f"the checkpoint has version {version}, and this release reads {self.version}",
                hint=OTHER_RELEASE,
            )
        if query == self.query:
            return
        raise another_query(json.loads(query), json.loads(self.query))
