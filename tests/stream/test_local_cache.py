"""What becomes of streams whose cache is full, or is also that of others."""

import os
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


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    """A process that has nothing open asks, so that only what is in the folder is found."""
    tables = {f"t{place}": pa.table({"x": range(place, place + 1000)}) for place in range(5)}
    for name, table in tables.items():
        LocalCache(tmp_path, limit=10**6).put(name, table)
    size = max(each.stat().st_size for each in tmp_path.iterdir())
    for age, name in enumerate(["t2", "t0", "t4", "t1", "t3"]):
        os.utime(tmp_path / f"{name}.arrow", (age, age))
    assert LocalCache(tmp_path).find("t2") is not None  # it is used now
    small = LocalCache(tmp_path, limit=4 * size)
    small.put("t5", tables["t0"])
    left = {each.stem for each in tmp_path.iterdir()}
    assert left == {"t2", "t3", "t5"}
    small.put("t6", tables["t1"])
    assert {each.stem for each in tmp_path.iterdir()} == left | {"t6"}
    assert LocalCache(tmp_path).find("t3") == tables["t3"]
    assert LocalCache(tmp_path).table("t4", lambda: tables["t4"]) == tables["t4"]


@pytest.mark.parametrize("text", QUERIES)
def test_a_small_limit(text: str, tmp_path: Path) -> None:
    """Files go while the stream runs, and what is needed of them is made again."""
    with small_chunks(most=True):
        wanted = Stream(text, 1, None).all_rows()
        stream, made = Stream(text, 1, None), 0
        for batch in stream.batches:
            stream.cache = LocalCache(tmp_path, limit=4000)
            stream.feed(batch)
            made += stream.cache.made
    assert sorted(stream.rows) == wanted
    assert made
    assert sum(each.stat().st_size for each in tmp_path.iterdir()) < 8000


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
