"""What a bucket keeps between micro-batches, in Spark's state store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from cepheid.errors import StateError, another_query
from cepheid.stream.stream_state import StreamState

VERSION = 1
NO_TIMER, FINISHED = -1, -2
HEAD = "version int, query string, timer bigint, header binary"
OTHER_RELEASE = (
    "go on with the release that wrote the checkpoint, or start with a new checkpoint and a new "
    "output folder; nothing in it has changed"
)


@dataclass(frozen=True, slots=True)
class Stored:
    """What a bucket keeps, the timer that is set, and the sizes of the chunks in the store.

    One that is finished keeps nothing, and takes nothing any more.
    """

    state: StreamState
    timer: int | None
    sizes: Mapping[int, int]
    is_finished: bool = False


class BucketStore:
    """Reads and writes the state of the bucket that Spark has chosen.

    Chunks never change, so that only new ones are written and gone ones removed. `query` is what
    the state belongs to, part by part.
    """

    version = VERSION

    def __init__(self, handle: StatefulProcessorHandle, query: Mapping[str, str]) -> None:
        self.query = json.dumps(query, sort_keys=True)
        self.head = handle.getValueState("head", HEAD)
        self.chunks = handle.getMapState("chunks", "number bigint", "rows binary")

    def load(self) -> Stored:
        """Return what was stored; nothing if the bucket is new.

        Raises:
            StateError: it was written for another query, or by another version.
        """
        head = self.head.get() if self.head.exists() else None
        if head is None:
            return Stored(StreamState(), None, {})
        version, query, timer, header = head
        self._require_same(version, query)
        rows = {int(number[0]): bytes(chunk[0]) for number, chunk in self.chunks.iterator()}
        state = StreamState.from_parts(bytes(header), rows)
        sizes = {number: len(each) for number, each in rows.items()}
        timer_set = None if timer in (NO_TIMER, FINISHED) else timer
        return Stored(state, timer_set, sizes, timer == FINISHED)

    def save(
        self, before: Stored, state: StreamState, timer: int | None, *, is_finished: bool = False
    ) -> int:
        """Write what has changed, and return how many bytes are kept."""
        header = state.header_to_bytes()
        kept = {chunk.number for chunk in state.chunks}
        for number in before.sizes.keys() - kept:
            self.chunks.removeKey((number,))
        size = len(header)
        for chunk in state.chunks:
            known = before.sizes.get(chunk.number)
            if known is None:
                rows = chunk.to_bytes()
                self.chunks.updateValue((chunk.number,), (rows,))
                known = len(rows)
            size += known
        nothing_set = FINISHED if is_finished else NO_TIMER
        self.head.update(
            (self.version, self.query, nothing_set if timer is None else timer, header)
        )
        return size

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
