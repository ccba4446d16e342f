"""Queries of a workload on Spark: one scan and one shuffle, and the results of each by itself."""

import gc
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from functools import cache, reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cepheid
from cepheid.spark.frames import cached_frames as kept_frames
from cepheid.spark.shuffle.fold_task import TASK_MEMORY
from cepheid.spark.shuffle.packed_events import from_packets
from tests.properties.drawn_workloads import drawn_workloads, from_json
from tests.properties.workload_comparison import assert_as_expected, oracle_rows
from tests.properties.workloads import (
    WorkloadCase,
    adjacent_workloads,
    beginning_workloads,
    chain_workloads,
    mixed_workloads,
    workloads,
)

pytestmark = pytest.mark.spark

KINDS = (
    (workloads(), 3),
    (adjacent_workloads(), 1),
    (beginning_workloads(), 1),
    (beginning_workloads(has_matches=True), 1),
    (mixed_workloads(), 1),
    (chain_workloads(), 2),
)
ROLES = {"time": "time", "type": "type"}
DICE = random.Random(5)
STREAM = pa.table(
    {
        "time": list(range(300)),
        "type": DICE.choices("ABBC", k=300),
        "k": [None if each % 50 == 0 else DICE.randrange(4) for each in range(300)],
        "x": [each % 11 for each in range(300)],
    }
)
QUERIES = [
    "PATTERN SEQ(A, B+) WHERE [k] WITHIN 40 SLIDE 20 RETURN k, COUNT(*) AS n GROUP BY k",
    "PATTERN SEQ(C, B+) WHERE [k] WITHIN 40 SLIDE 20 RETURN COUNT(*) AS n",
    "PATTERN SEQ(A, B+ b) WHERE [k] AND b.x > 3 WITHIN 60 SLIDE 20 RETURN COUNT(*) AS n",
    "PATTERN SEQ(A a, C c) WHERE [k] WITHIN 20 RETURN a.time, c.time",
    "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 9 RETURN k, COUNT(*) AS n GROUP BY k",
    "PATTERN SEQ(A a, B b, C c) WHERE [k] SEMANTICS contiguous RETURN a.time, c.time",
    "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 30 OUTPUT COMPRESSED",
]


@cache
def random_workloads() -> list[WorkloadCase]:
    """Draw from the strategies of the local properties."""
    return [case for kind, count in KINDS for case in drawn_workloads(kind, count)]


@pytest.mark.parametrize(
    ("inputs", "shuffles", "policy"), [(1, 1, "always"), (3, 5, "dynamic"), (2, 3, "never")]
)
def test_together_equals_oracle(
    spark: SparkSession, inputs: int, shuffles: int, policy: str
) -> None:
    cases = random_workloads()
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", str(shuffles))
    try:
        found = run_all(spark, cases, inputs, policy)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", str(before))
    for number, case in enumerate(cases):
        for name in case.texts:
            rows = [from_json(case, name, each) for each in found.get((number, name), [])]
            assert_as_expected(case, name, rows, oracle_rows(case, name))


def run_all(
    spark: SparkSession, cases: Sequence[WorkloadCase], inputs: int, policy: str
) -> dict[tuple[int, str], list[str]]:
    """Run all workloads in one job, each on its part of the events."""
    tables = [
        case.table().append_column("case", pa.array([number] * len(case.events)))
        for number, case in enumerate(cases)
    ]
    joined = pa.concat_tables(tables, promote_options="default")
    everything = spark.createDataFrame(joined).repartition(inputs)
    frames = []
    for number, case in enumerate(cases):
        events = everything.filter(F.col("case") == number).select(*case.schema.names)
        queries = [cepheid.query(text, name=name) for name, text in case.texts.items()]
        results = cepheid.workload(queries).run(events, **ROLES, order=case.order, sharing=policy)
        frames += [as_text(number, name, each) for name, each in results.items()]
    found: dict[tuple[int, str], list[str]] = {}
    for row in united(frames).collect():
        found.setdefault((row["number"], row["name"]), []).append(row["text"])
    return found


def as_text(number: int, name: str, result: DataFrame) -> DataFrame:
    whole = F.to_json(F.struct(*result.columns), {"ignoreNullFields": "false"})
    return result.select(
        F.lit(number).alias("number"), F.lit(name).alias("name"), whole.alias("text")
    )


def united(frames: list[DataFrame]) -> DataFrame:
    while len(frames) > 1:  # a balanced tree: Spark plans a deep chain of unions slowly
        pairs = [frames[at : at + 2] for at in range(0, len(frames), 2)]
        frames = [reduce(DataFrame.unionAll, each) for each in pairs]
    return frames[0]


def rows_of(result: Any) -> list[tuple[Any, ...]]:
    """Return the rows of any result in some order."""
    if hasattr(result, "expand"):
        result = result.expand()
    if isinstance(result, DataFrame):
        return sorted((tuple(row) for row in result.collect()), key=repr)
    return sorted((tuple(row.values()) for row in result.to_pylist()), key=repr)


def expected_of(queries: Sequence[str]) -> list[list[tuple[Any, ...]]]:
    found = cepheid.workload(queries).run(STREAM, **ROLES)
    return [rows_of(each) for each in found.values()]


def counted(spark: SparkSession, log: Path) -> DataFrame:
    """Return the events, in two tasks that note every time they are read."""

    def note(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with log.open("a") as file:
            file.write("read\n")
        yield from batches

    frame = spark.createDataFrame(STREAM).repartition(2)
    return frame.mapInArrow(note, frame.schema)


class TestOnePass:
    def test_events_are_read_once(self, spark: SparkSession, tmp_path: Path) -> None:
        """Queries with the same partitions are all folded in the same tasks, whatever they are."""
        events = counted(spark, tmp_path / "log")
        results = cepheid.workload(QUERIES).run(events, **ROLES)
        assert not (tmp_path / "log").exists()
        found = [rows_of(each) for each in results.values()]
        assert (tmp_path / "log").read_text().count("read") == 2
        assert found == expected_of(QUERIES)
        assert all(found)

    def test_no_partitions(self, spark: SparkSession, tmp_path: Path) -> None:
        """A set is folded by one task; with ranges of time, every query by several."""
        texts = [f"PATTERN SEQ({each}, B+) WITHIN 9 SLIDE 9 RETURN COUNT(*) AS n" for each in "AC"]
        for options, times in (({}, 1), ({"parallel_in_time": True}, 2)):
            log = tmp_path / str(times)
            results = cepheid.workload(texts).run(counted(spark, log), **ROLES, **options)
            assert [rows_of(each) for each in results.values()] == expected_of(texts)
            reads = log.read_text().count("read")
            assert reads == 2 if times == 1 else reads > 2

    @pytest.mark.parametrize("setting", ["packed", "small memory"])
    def test_packets_and_files(self, spark: SparkSession, setting: str) -> None:
        if setting == "small memory":
            spark.conf.set(TASK_MEMORY, "1")
        try:
            frame = spark.createDataFrame(STREAM).repartition(2)
            found = cepheid.workload(QUERIES).run(frame, **ROLES, packed=setting == "packed")
            assert [rows_of(each) for each in found.values()] == expected_of(QUERIES)
        finally:
            spark.conf.unset(TASK_MEMORY)

    def test_results_into_others(self, spark: SparkSession) -> None:
        """Compositions run beside, as before."""
        texts = [
            *QUERIES[:2],
            "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 9 RETURN a.k AS k INTO Pair",
            "PATTERN SEQ(Pair p, C c) WHERE [k] WITHIN 9 RETURN p.k, c.time",
        ]
        frame = spark.createDataFrame(STREAM)
        found = cepheid.workload(texts).run(frame, **ROLES)
        assert [rows_of(each) for each in found.values()] == expected_of(texts)


@pytest.mark.parametrize("where", ["", "WHERE [k]"])
def test_errors_name_the_query(spark: SparkSession, where: str) -> None:
    """Also if the rows of several tasks are too large only together; others have their results."""
    texts = {
        name: f"PATTERN SEQ({first}, B b) {where} WITHIN 40 SLIDE 40 RETURN SUM(b.x) AS total"
        for name, first in (("too much", "A"), ("none", "Z"))
    }
    texts["fine"] = f"PATTERN SEQ(A, B b) {where} WITHIN 40 SLIDE 40 RETURN COUNT(*) AS total"
    large = pa.array([2**61] * STREAM.num_rows)
    events = spark.createDataFrame(STREAM.set_column(3, "x", large))
    results = cepheid.workload(texts).run(events, **ROLES)
    assert rows_of(results["none"]) == []
    assert [rows_of(results["fine"])] == expected_of([texts["fine"]])
    with pytest.raises(PythonException, match="query 'too much': 'total' exceeds BIGINT"):
        results["too much"].collect()


class TestKept:
    def test_new_files_are_seen(self, spark: SparkSession, tmp_path: Path) -> None:
        """Spark knows plans by their content, and must not give what it kept of an earlier run."""
        pair = cepheid.workload(QUERIES[:2])
        pq.write_table(STREAM.slice(0, 100), tmp_path / "0.parquet")
        first = pair.run(spark.read.parquet(str(tmp_path)), **ROLES)
        before = rows_of(first["q1"])
        pq.write_table(STREAM.slice(100), tmp_path / "1.parquet")
        second = pair.run(spark.read.parquet(str(tmp_path)), **ROLES)
        assert rows_of(second["q1"]) == expected_of(QUERIES[:2])[0] != before
        assert rows_of(first["q1"]) == before

    def test_is_released(self, spark: SparkSession) -> None:
        pair = cepheid.workload(QUERIES[:2])
        frame = spark.createDataFrame(STREAM)
        results = pair.run(frame, **ROLES)
        kept = getattr(results["q1"], kept_frames.KEPT).frame
        rows = rows_of(results["q1"])
        assert kept.storageLevel.useMemory
        pair.release(results)
        pair.release(results)
        assert not kept.storageLevel.useMemory
        assert rows_of(results["q1"]) == rows, "it is computed anew"
        again = pair.run(frame, **ROLES)
        kept = getattr(again["q1"], kept_frames.KEPT).frame
        one = again["q1"]
        del again
        gc.collect()
        kept_frames.release_unused()
        assert kept.storageLevel.useMemory, "one result is still there"
        del one
        gc.collect()
        pair.run(frame, **ROLES)
        assert not kept.storageLevel.useMemory


TWO_SESSIONS = """
import gc
import pyarrow as pa
import cepheid
from cepheid.spark.frames import cached_frames
from pyspark.sql import SparkSession

pair = cepheid.workload(["PATTERN SEQ(A a, B b) WITHIN 9", "PATTERN SEQ(B b, A a) WITHIN 9"])
table = pa.table({"time": [1, 2, 3], "type": ["A", "B", "A"]})
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder = builder.config("spark.driver.host", "127.0.0.1")
for _ in range(2):
    spark = builder.getOrCreate()
    results = pair.run(spark.createDataFrame(table), time="time", type="type")
    print([each.count() for each in results.values()])
    del results
    gc.collect()
    assert cached_frames._unused
    spark.stop()
"""


def test_what_was_kept_by_a_session_that_has_ended_does_not_stop_the_next_run() -> None:
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    command = [sys.executable, "-c", TWO_SESSIONS]
    found = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert found.stdout.splitlines() == ["[1, 1]", "[1, 1]"], found.stderr


def test_five_hundred_queries(spark: SparkSession) -> None:
    texts = [
        f"PATTERN SEQ({first}, B+ b) WHERE [k] AND b.x > {least} WITHIN {20 * windows} SLIDE 20 "
        "RETURN k, COUNT(*) AS n GROUP BY k"
        for first in "AC"
        for least in range(10)
        for windows in range(1, 26)
    ]
    assert len(texts) == 500
    many = cepheid.workload(texts)
    start = time.process_time()
    results = many.run(spark.createDataFrame(STREAM), **ROLES)
    assert time.process_time() - start < 60
    local = many.run(STREAM, **ROLES)
    for name in ("q1", "q500"):
        assert rows_of(results[name]) == rows_of(local[name])
    packets: dict[int, list[Any]] = {}  # the results of all, in one job
    for number, packet in getattr(results["q1"], kept_frames.KEPT).frame.collect():
        packets.setdefault(number, []).append(bytes(packet))
    for number, expected in enumerate(local.values()):
        rows = rows_of(from_packets(packets[number])) if number in packets else []
        assert rows == rows_of(expected)
    assert [each.columns for each in results.values()] == [e.column_names for e in local.values()]
