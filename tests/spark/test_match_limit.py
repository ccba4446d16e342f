"""How many matches tasks and micro-batches may list, and what is asked of them."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

import cepheid
from cepheid.engine.bundle import bundle_of_one
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.errors import ConfigError
from cepheid.plan.run_options import RunOptions
from cepheid.spark.batch.task_folds import TaskFolds
from cepheid.spark.shuffle.fold_task import TaskFold
from tests.spark.stream.streams import (
    as_text,
    few_partitions,
    read_stream,
    run_to_end,
    write_files,
)
from tests.spark.test_batch import ROLES, frame_of

pytestmark = pytest.mark.spark

REPEATED = cepheid.query("PATTERN A+ a WHERE [k] WITHIN 60 RETURN a.time", name="runs")


def frame(spark: SparkSession, count: int) -> DataFrame:
    return frame_of(spark, " ".join(f"a{time}(k=3)" for time in range(1, count + 1)))


def test_a_task_refuses_more_matches_than_allowed(spark: SparkSession) -> None:
    message = r"'runs' lists 1\.1e12 matches or more, most of them in the partition k = 3"
    with pytest.raises(PySparkException, match=message):
        REPEATED.run(frame(spark, 40), **ROLES).collect()
    assert REPEATED.run(frame(spark, 4), **ROLES, max_matches=15).count() == 15


def test_a_task_refuses_longer_arrays_than_allowed(spark: SparkSession) -> None:
    query = cepheid.query("PATTERN A+ a WHERE [k] WITHIN 60", name="runs")
    message = r"values in arrays or more, most of them in the partition k = 3; max_matches is 600,0"
    with pytest.raises(PySparkException, match=message):
        query.run(frame(spark, 19), **ROLES, max_matches=600_000).collect()


def test_a_limit_stops_tasks(spark: SparkSession) -> None:
    assert REPEATED.run(frame(spark, 70), **ROLES, limit=7).count() == 7
    several = cepheid.workload({"many": REPEATED, "others": "PATTERN A a RETURN a.time"})
    results = several.run(frame(spark, 70), **ROLES, limit=7)
    assert [each.count() for each in results.values()] == [7, 7]


def test_the_warning_is_told_on_the_driver(
    spark: SparkSession, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "cepheid"):
        REPEATED.run(frame(spark, 3), **ROLES).collect()
    assert [each.getMessage()[:19] for each in caplog.records] == ["query 'runs': every"]


def test_batches_is_for_events_of_this_process(spark: SparkSession) -> None:
    with pytest.raises(ConfigError, match="use run"):
        REPEATED.batches(frame(spark, 3), **ROLES)


def test_tasks_yield_matches_as_they_are_found() -> None:
    """The first batch is there although all of them could never be."""
    events = pa.table({"time": range(60), "type": ["A"] * 60, "k": [1] * 60})
    schema = event_schema(events.schema, ColumnRoles("time", "type"))
    program = REPEATED.program(RunOptions(max_matches=None), schema)
    fold = TaskFolds(bundle_of_one(program), frozenset(), events.schema, 2**30).results()
    batches = fold.of_batches(events.column_names)(iter(events.to_batches()))
    assert next(batches).num_rows > 1000


def test_too_little_memory_in_a_task() -> None:
    def fold(events: pa.Table) -> Iterator[pa.Table]:
        raise pa.ArrowMemoryError(f"malloc of {events.num_rows} rows failed")

    task = TaskFold(("query",), "time", fold, None, memory=2**30)
    batches = task.of_batches(["time"])(iter(pa.table({"time": [1, 2]}).to_batches()))
    with pytest.raises(cepheid.OutOfMemoryError, match="malloc of 2 rows failed\n  hint: "):
        list(batches)


def test_a_micro_batch_refuses_more_matches_than_allowed(
    spark: SparkSession, tmp_path: Path
) -> None:
    schema = pa.schema([("type", pa.string()), ("time", pa.int64()), ("k", pa.int64())])
    rows = [{"type": "A", "time": time, "k": 3} for time in range(40)]
    write_files(tmp_path / "in", [rows], schema)
    with few_partitions(spark):
        stream = read_stream(spark, tmp_path / "in")
        result = REPEATED.run(stream, time="time", type="type", ordered=True)
        with pytest.raises(StreamingQueryException, match=r"'runs' lists 1\.1e12 matches or more"):
            run_to_end(as_text("runs", result), tmp_path)
