"""What becomes of streams whose cache is full, or is also that of others."""

import random
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest

from cepheid.stream.local_cache import LocalCache
from cepheid.stream.stream_state import StreamState
from tests.properties.cached_steps import Store, small_chunks
from tests.properties.comparison import SCHEMA
from tests.properties.long_streams import ORDER, random_batches, random_events
from tests.properties.queries import Case
from tests.properties.stream_steps import Batch, program_of
from tests.stream.script import step_alone

QUERIES = (
    "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 20 RETURN k, COUNT(*) AS n GROUP BY k",
    "PATTERN SEQ(A a, B b) SEMANTICS skip-till-next-match WHERE [k] WITHIN 20",
    "PATTERN SEQ(A a, B b, !C c) SEMANTICS skip-till-next-match WHERE [k] WITHIN 20",
    "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 20 OUTPUT NON OVERLAPPING",
)


class Stream:
    """A stream with a durable store, and a cache that may be missing."""

    def __init__(self, text: str, seed: int, cache: LocalCache | None) -> None:
        draw = random.Random(seed)
        events = random_events(draw, 120, 2)
        self.program = program_of(Case(text, events, ORDER))
        self.batches = list(random_batches(draw, events))
        self.cache, self.store, self.rows = cache, Store(), list[str]()

    def feed(self, batch: Batch) -> None:
        before = self.store.load(self.cache) if self.store.header else StreamState()
        rows = list(batch.events)
        arrived = pa.Table.from_pylist(rows, schema=SCHEMA) if rows else None
        done = step_alone(self.program, before, arrived, batch.until, late_before=batch.until)
        self.store.save(before, done.state, self.cache)
        self.rows += [repr(row) for each in done.results.values() for row in each.to_pylist()]

    def all_rows(self) -> list[str]:
        for batch in self.batches:
            self.feed(batch)
        return sorted(self.rows)


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let no file of this process become larger: writing more fails as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("text", QUERIES)
def test_a_full_disk(text: str, tmp_path: Path) -> None:
    with small_chunks(most=True):
        wanted = Stream(text, 1, None).all_rows()
        stream = Stream(text, 1, LocalCache(tmp_path))
        with files_of_at_most(100):
            assert stream.all_rows() == wanted
    assert wanted
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", QUERIES)
def test_two_streams_with_one_query(text: str, tmp_path: Path) -> None:
    with small_chunks(most=True):
        wanted = [Stream(text, seed, None).all_rows() for seed in (1, 2)]
        streams = [Stream(text, seed, LocalCache(tmp_path)) for seed in (1, 2)]
        for place in range(max(len(each.batches) for each in streams)):
            for each in streams:
                for batch in each.batches[place : place + 1]:
                    each.feed(batch)
    assert [sorted(each.rows) for each in streams] == wanted
    assert wanted[0] != wanted[1]


@pytest.mark.parametrize("text", QUERIES)
def test_a_step_that_is_repeated(text: str, tmp_path: Path) -> None:
    """The worker that made the first attempt was killed before its state was kept."""
    with small_chunks(most=True):
        wanted = Stream(text, 1, None).all_rows()
        stream = Stream(text, 1, LocalCache(tmp_path))
        for batch in stream.batches:
            lost, rows = Store(stream.store.header, dict(stream.store.chunks)), list(stream.rows)
            stream.feed(batch)
            stream.store, stream.rows = lost, rows
            stream.cache = LocalCache(tmp_path)
            stream.feed(batch)
    assert sorted(stream.rows) == wanted
