"""A stream whose input is declared complete gives what a table gives, and takes nothing more."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

import cepheid
from cepheid.spark.frames.compressed_frame import SparkCompressedMatches
from tests.properties.comparison import as_multiset
from tests.spark.stream.streams import few_partitions, read_stream, run_to_end, united, write_files
from tests.spark.stream.test_kinds import DELAY, QUERIES, ROLES, SCHEMA, events, expected

pytestmark = pytest.mark.spark

# Every operator takes its time in every micro-batch; tests/properties has all kinds of queries.
TEXTS = {
    "sliding": QUERIES["sliding"],
    "windows of events": "PATTERN SEQ(A+ a, B b) WHERE [k] WITHIN 4 EVENTS SLIDE 2 EVENTS "
    "RETURN k, COUNT(*) AS n GROUP BY k",
}
READERS = {
    "lonely": "PATTERN SEQ(A a, !C) WHERE [k] WITHIN 5 RETURN a.time AS first INTO Lonely",
    "twice": "PATTERN SEQ(Lonely p, Lonely q, !B) WITHIN 6 RETURN p.first AS p, q.first AS q",
}


def results(stream: DataFrame, end: Path) -> DataFrame:
    """All queries as one stream of Spark's, with one folder for the end."""
    options = {**ROLES, "watermark": DELAY, "buckets": 3, "end": str(end)}
    frames = dict(cepheid.workload(READERS).run(stream, **options))
    for name, text in TEXTS.items():
        result = cepheid.query(text, name=name).run(stream, **options)
        is_compressed = isinstance(result, SparkCompressedMatches)
        frames[name] = result.expand() if is_compressed else result
    return united(frames)


def test_everything_is_final_at_the_end(spark: SparkSession, tmp_path: Path) -> None:
    rows, end = events(), tmp_path / "end"
    end.mkdir()
    write_files(tmp_path / "in", [rows[::-1]], SCHEMA)
    with few_partitions(spark):
        stream = read_stream(spark, tmp_path / "in")
        found = run_to_end(results(stream, end), tmp_path)
        waiting = sum(found.observed("sliding", "waiting"))
        assert waiting == sum(each["time"] >= 139 - DELAY and each["type"] != "C" for each in rows)
        table = pa.Table.from_pylist(rows, SCHEMA)
        read = {n: t.to_pylist() for n, t in cepheid.workload(READERS).run(table, **ROLES).items()}
        assert len(found.of("twice")) < len(read["twice"])
        (end / "complete").write_text("all events are there\n")
        found = run_to_end(results(stream, end), tmp_path)
        for name, text in TEXTS.items():
            assert as_multiset(found.of(name)) == expected(text, rows), name
        for name, wanted in read.items():
            assert as_multiset(found.of(name)) == as_multiset(wanted), name


def test_events_after_the_end_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    """The end may come with the last events; what has been written stays as it is."""
    rows, end = events(), tmp_path / "end"
    end.mkdir()
    (end / "complete").write_text("all events are there\n")
    write_files(tmp_path / "in", [rows], SCHEMA)
    query = cepheid.query(QUERIES["groups"], name="groups")
    with few_partitions(spark):
        stream = read_stream(spark, tmp_path / "in")
        options = {**ROLES, "watermark": DELAY, "buckets": 3, "end": str(end)}
        result = united({"groups": query.run(stream, **options)})
        found = run_to_end(result, tmp_path)
        assert as_multiset(found.of("groups")) == expected(QUERIES["groups"], rows)
        write_files(tmp_path / "in", [[{"type": "A", "time": 1000, "k": 1, "x": 1.0}]], SCHEMA)
        with pytest.raises(StreamingQueryException) as failed:
            run_to_end(result, tmp_path)
    cause = cepheid.cause_of(failed.value)
    assert isinstance(cause, cepheid.StateError), failed.value
    said = "the stream of 'groups' is finished: its input was declared complete, and 1 event has"
    assert str(cause).startswith(said)
    assert cause.hint is not None
    assert cause.hint.startswith("start with a new checkpoint")
    assert len(str(cause)) < 400 < len(str(failed.value))


def test_a_bundle_ends_too(spark: SparkSession, tmp_path: Path) -> None:
    rows, end = events(), tmp_path / "end"
    end.mkdir()
    write_files(tmp_path / "in", [rows], SCHEMA)
    texts = {name: QUERIES[name] for name in ("groups", "end negation")}
    with few_partitions(spark):
        stream = read_stream(spark, tmp_path / "in")
        found = cepheid.workload(texts).stream(
            stream, **ROLES, watermark=DELAY, buckets=3, end=str(end)
        )
        rows_of_all = found.rows.selectExpr("query AS name", "result AS text")
        run_to_end(rows_of_all, tmp_path)
        (end / "complete").write_text("all events are there\n")
        given = run_to_end(rows_of_all, tmp_path)
    for name, text in texts.items():
        assert as_multiset(given.of(name)) == expected(text, rows), name


def test_the_folder_must_be_there(spark: SparkSession, tmp_path: Path) -> None:
    write_files(tmp_path / "in", [[]], SCHEMA)
    stream = read_stream(spark, tmp_path / "in")
    with pytest.raises(cepheid.ConfigError, match="make the folder, and leave it empty"):
        cepheid.query(QUERIES["matches"]).run(
            stream, **ROLES, watermark=1, end=str(tmp_path / "nowhere")
        )
    with pytest.raises(cepheid.ConfigError, match="end is for streams"):
        cepheid.query(QUERIES["matches"]).run(
            pa.Table.from_pylist(events(), SCHEMA), **ROLES, end=str(tmp_path)
        )
