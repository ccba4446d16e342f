"""Streams go on from checkpoints that are kept as test data, some per version of the state."""

import json
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.events.hidden_columns import INDEX, TAKEN
from cepheid.plan.run_options import RunOptions
from cepheid.plan.stream_options import Streaming
from cepheid.spark.shuffle.packed_events import PACKETS
from cepheid.spark.stream import run_stream
from cepheid.spark.stream.bucket_processor import BucketProcessor
from cepheid.spark.stream.bucket_store import VERSION, BucketStore
from cepheid.spark.stream.pack_events import pack_with_identity
from cepheid.spark.stream.stream_input import stream_input
from cepheid.stream.stream_bundle import stream_of_one
from cepheid.stream.stream_state import ChunkKind
from tests.properties.comparison import as_multiset
from tests.spark.stream.stored_checkpoints import (
    FOLDER,
    Kept,
    copy,
    go_on,
    kept,
    listed_queries,
    stream_of,
)
from tests.spark.stream.stored_streams import ROLES, SCHEMA, STREAMS, QueryFolder
from tests.spark.stream.streams import few_partitions, read_stream, run_to_end, united, write_files

pytestmark = pytest.mark.spark
STORED = sorted(FOLDER.iterdir())


def test_those_of_this_release_are_kept() -> None:
    assert {f"version-{VERSION}{name}" for name in STREAMS} <= {each.name for each in STORED}


@pytest.mark.parametrize("begun", STORED, ids=lambda each: each.name)
def test_goes_on(spark: SparkSession, tmp_path: Path, begun: Path) -> None:
    found = go_on(spark, begun, tmp_path)
    for name, expected in stream_of(begun).in_batch().items():
        assert expected, name
        assert as_multiset(found.get(name, [])) == as_multiset(expected), name


def test_every_kind_of_state_is_kept(spark: SparkSession, tmp_path: Path) -> None:
    """Of chunks, with and without hidden columns, and of operators."""
    buckets: dict[str, list[Kept]] = {}
    for name in STREAMS:
        copy(FOLDER / f"version-{VERSION}{name}", tmp_path / name)
        buckets[name] = kept(spark, tmp_path / name)
    kinds = {name: {kinds_of(each) for each in found} for name, found in buckets.items()}
    events, known = ("events",), ("events", "known events")
    assert {events, known, (*known, INDEX)} <= kinds[""]
    assert {events, ("events", "panes"), (*known, TAKEN), (*known, INDEX)} <= kinds["-workload"]
    assert kinds["-ordered"] == {("events", "last key"), ("last key", "panes")}
    assert kinds["-composed"] == kinds["-folder"] == {events}
    assert any(map(has_marks, buckets["-workload"]))
    assert any(map(has_results, buckets["-composed"]))
    bundles = [queries_of(each) for each in buckets["-workload"] + buckets["-ordered"]]
    for together in (["by key", "matches", "of all"], ["by key", "longer", "matches"]):
        assert together in bundles
    (of_folder,) = buckets["-folder"]
    assert of_folder.query["query"] == "those of a folder"
    stream = STREAMS["-folder"]
    assert isinstance(stream, QueryFolder)
    since = {"steady": None, "total": None, "later": stream.since}
    assert listed_queries(spark, tmp_path / "-folder") == {
        name: {"text": text, "since": since[name]} for name, text in stream.texts.items()
    }


def kinds_of(bucket: Kept) -> tuple[str, ...]:
    """Return the kinds of its chunks, and their hidden columns."""
    chunks = bucket.state.chunks
    columns = {name for each in chunks for name in each.table.column_names}
    return (*sorted({each.kind.value for each in chunks}), *sorted(columns & {INDEX, TAKEN}))


def has_marks(bucket: Kept) -> bool:
    """Whether events without a partition stand for those that were dropped."""
    chunks = bucket.state.of_kind(ChunkKind.KNOWN)
    return any(INDEX in each.table.column_names and each.table["k"].null_count for each in chunks)


def has_results(bucket: Kept) -> bool:
    """Whether results of another query are among the events."""
    return any("Alone" in each.table["type"].to_pylist() for each in bucket.state.chunks)


def queries_of(bucket: Kept) -> list[str]:
    """Return the names of the queries of a bundle."""
    text = bucket.query["query"]
    return sorted(json.loads(text)) if text.startswith("{") else []


def test_another_version_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    """Nothing is lost: the release that wrote it goes on."""
    query = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 40 RETURN a.time, b.time")
    row = {"type": "A", "time": 1000, "k": 1, "x": 0.0}
    write_files(tmp_path / "in", [[row]], SCHEMA)
    with few_partitions(spark):
        later = written_by(VERSION + 1, query, read_stream(spark, tmp_path / "in"))
        run_to_end(united({"rows": later}), tmp_path)
        before = commits(tmp_path)
        write_files(tmp_path / "in", [[{**row, "type": "B", "time": 1001}]], SCHEMA)
        now = query.run(read_stream(spark, tmp_path / "in"), **ROLES, ordered=True)
        versions = f"has version {VERSION + 1}, and this release reads {VERSION}"
        with pytest.raises(StreamingQueryException, match=rf"{versions}(.|\n)*release that wrote"):
            run_to_end(united({"rows": now}), tmp_path)
        assert commits(tmp_path) == before
        later = written_by(VERSION + 1, query, read_stream(spark, tmp_path / "in"))
        found = run_to_end(united({"rows": later}), tmp_path)
    assert found.of("rows") == [{"a_time": 1000, "b_time": 1001}]


def written_by(version: int, query: cepheid.Query, stream: DataFrame) -> DataFrame:
    """Return the results of a release whose state has another version."""

    class OtherStore(BucketStore):
        pass

    OtherStore.version = version

    class OtherProcessor(BucketProcessor):
        def init(self, handle: object) -> None:
            self.handle = handle
            self.store = OtherStore(handle, self.job.query)

    roles = ColumnRoles("time", "type", (), None, "s")
    given = stream_input(stream, roles, Streaming(ordered=True))
    program = query.program(RunOptions(), event_schema(given.schema, roles))
    work = run_stream.bucketed(stream_of_one(program), given)
    packets = work.frame.mapInArrow(pack_with_identity(work.events.names), PACKETS)
    reports = run_stream.step_through(packets, OtherProcessor(work.job))
    results: DataFrame = run_stream.results_of(work, reports).results
    return results


def commits(folder: Path) -> set[str]:
    return {each.name for each in (folder / "checkpoint" / "commits").iterdir()}
