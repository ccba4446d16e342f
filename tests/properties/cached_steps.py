"""Drive a stream whose state is in a store, with copies in a cache that is lost now and then."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from cepheid.program.copy_events import with_copies
from cepheid.program.program import Program
from cepheid.stream import events_since_starts, kept_events, pages, retention, touched_events
from cepheid.stream.local_cache import LocalCache
from cepheid.stream.step_sizes import StepSizes
from cepheid.stream.stream_state import Chunk, StreamState, digest_of, keep, table_of
from cepheid.stream.stream_step import Step
from tests.properties.stream_steps import Batch
from tests.stream.script import step_alone

SIZES = (StepSizes(), StepSizes(0, 1, 0), StepSizes(0, 3, 0), StepSizes(2, 2, 1))


@dataclass
class Store:
    """The durable state of a stream: a header, and chunks by number."""

    header: bytes | None = None
    chunks: dict[int, bytes] = field(default_factory=dict)
    read: list[int] = field(default_factory=list)  # the chunks that were read

    def load(self, cache: LocalCache | None) -> StreamState:
        if self.header is None:
            return StreamState()
        name = digest_of(self.header).hex()
        marks = None if cache is None else cache.find(name)
        return StreamState.from_header(self.header, self._read, cache, marks)

    def _read(self, number: int) -> pa.Table:
        self.read.append(number)
        return table_of(self.chunks[number])

    def save(self, before: StreamState, after: StreamState, cache: LocalCache | None) -> None:
        self.header = after.header_to_bytes()
        kept = {each.number for each in after.chunks}
        added = [each for each in after.chunks if each.number not in self.chunks]
        gone: list[Chunk] = [each for each in before.chunks if each.number not in kept]
        self.chunks |= {each.number: each.data for each in added}
        self.chunks = {number: data for number, data in self.chunks.items() if number in kept}
        if cache is not None:
            keep(cache, added, gone)
            if after.marks is not None:
                cache.put(digest_of(self.header).hex(), after.marks)


@contextmanager
def small_chunks(most: bool | None = False) -> Iterator[None]:
    """Join chunks early. Partitions are looked up as if most of them were touched, or few were.

    None: as it is.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_events, "MOST_CHUNKS", 3)
        patch.setattr(kept_events, "AT_ONCE", 2)
        patch.setattr(kept_events, "FULL_ROWS", 6)
        patch.setattr(kept_events, "FEW_ROWS", 1)
        patch.setattr(pages, "FEW_ROWS", 2)
        patch.setattr(retention, "MANY_EVENTS", 2)
        if most is not None:
            patch.setattr(touched_events.TouchedEvents, "touches_most", most)
            patch.setattr(touched_events, "FEW_EVENTS", 0)
            patch.setattr(events_since_starts, "FIRST_EVENTS", 1)
        yield


def drive_with_cache(
    program: Program,
    batches: Iterable[Batch],
    folder: Path,
    data: st.DataObject,
    *,
    ordered: bool,
    schema: pa.Schema,
    loses: bool = True,
) -> list[Step]:
    """Make one step per batch; what is in the cache, who asks, and sizes are left to chance.

    Unless it `loses` anything: then all steps have one cache, and small sizes.
    """
    sizes = data.draw(st.sampled_from(SIZES if loses else SIZES[1:]))
    store, steps = Store(), list[Step]()
    caches: list[LocalCache | None] = [
        LocalCache(folder),
        LocalCache(folder),
        LocalCache(None),
        None,
    ]
    chance: Callable[[], int] = lambda: data.draw(st.integers(0, 7))  # noqa: E731
    for batch in batches:
        arrived = pa.Table.from_pylist(list(batch.events), schema=schema) if batch.events else None
        if arrived is not None:
            arrived = with_copies(arrived, program.copies, keeps_all=program.keeps_all_types)
        for _ in range(2 if loses and chance() == 0 else 1):  # the first is not committed
            cache = caches[max(0, chance() - 4) if loses else 0]
            if loses and chance() == 0:
                lose(folder, data)
            before = store.load(cache)
            done = step_alone(
                program,
                before,
                arrived,
                batch.until,
                ordered=ordered,
                late_before=batch.until,
                ends=batch.ends,
                sizes=sizes,
            )
        store.save(before, done.state, cache)
        steps.append(done)
    return steps


def lose(folder: Path, data: st.DataObject) -> None:
    """Remove some files, and leave others cut short, as a full disk would."""
    for path in sorted(folder.iterdir()):
        match data.draw(st.integers(0, 2)):
            case 0:
                path.unlink()
            case 1:
                content = path.read_bytes()
                path.unlink()  # others may have it mapped
                path.write_bytes(content[: len(content) // 2])
