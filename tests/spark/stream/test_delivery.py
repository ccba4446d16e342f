"""Streams in order, late events as a second DataFrame, restarts, limits of the state."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

import cepheid
from cepheid.metrics.stream_metrics import observed_counts
from tests.spark.stream.streams import (
    Row,
    few_partitions,
    read_stream,
    run_to_end,
    united,
    write_files,
)

pytestmark = pytest.mark.spark

SCHEMA = pa.schema([("type", pa.string()), ("time", pa.int64()), ("k", pa.int64())])
ROLES = {"time": "time", "type": "type"}
PAIRS = "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 6 RETURN a.time, b.time"


def event(kind: str, time: int, k: int = 1) -> Row:
    return {"type": kind, "time": time, "k": k}


def test_in_order_a_match_is_out_with_its_last_event(spark: SparkSession, tmp_path: Path) -> None:
    """A reader of results waits for the watermark: all that it reads must be there first."""
    batches = [[event("A", 10)], [event("B", 12), event("A", 12, 2)], [event("B", 20)]]
    write_files(tmp_path / "in", batches, SCHEMA)
    with few_partitions(spark):
        stream = read_stream(spark, tmp_path / "in")
        queries = [
            cepheid.query(f"{PAIRS} INTO Pair", name="pairs"),
            cepheid.query("PATTERN SEQ(Pair p, !C) WITHIN 3 RETURN p.a_time", name="calm"),
        ]
        results = cepheid.workload(queries).run(stream, **ROLES, ordered=True, buckets=2)
        found = run_to_end(united(results), tmp_path)
    assert found.of("pairs") == [{"a_time": 10, "b_time": 12}]
    # The operator of the pairs is there twice: for its own result, and for the reader.
    assert found.observed("pairs", "results")[:2] == [0, 1]
    assert found.of("calm") == [{"p_a_time": 10}]


def test_late_events_and_results_from_one_query(spark: SparkSession, tmp_path: Path) -> None:
    """Late events of other types break trends, and are counted, but not delivered.

    Nobody looks at the first micro-batch, as if it had been written before; its state counts.
    """
    batches = [
        [event("A", 100), event("A", 120)],
        [event("B", 103), event("D", 104), event("B", 121)],
        [event("A", 130), event("D", 131), event("B", 132)],
    ]
    write_files(tmp_path / "in", [*batches, [event("Z", 1000)]], SCHEMA)
    written: dict[str, list[Row]] = {"results": [], "late": []}

    def keep(name: str) -> Any:
        def write(rows: DataFrame, number: int) -> None:
            if number > 0:
                written[name] += [row.asDict() for row in rows.collect()]

        return write

    with few_partitions(spark):
        stream = read_stream(spark, tmp_path / "in")
        query = cepheid.query(f"{PAIRS} SEMANTICS contiguous")
        found = query.run(stream, **ROLES, watermark=5, late="deliver", buckets=2)
        assert found.results.columns == ["a_time", "b_time"]
        assert found.late.columns == SCHEMA.names
        writer = found.tagged.writeStream.foreachBatch(
            found.each_batch(keep("results"), keep("late"))
        )
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
        running = writer.trigger(availableNow=True).start()
        running.awaitTermination()
    assert written == {
        "results": [{"a_time": 120, "b_time": 121}],
        "late": [event("B", 103)],
    }
    observed = [json.loads(each.json)["observedMetrics"] for each in running.recentProgress]
    assert sum(observed_counts(each)["query"]["late"] for each in observed) == 2


def test_events_without_a_place_in_time_are_set_aside(spark: SparkSession, tmp_path: Path) -> None:
    """An event of the year 2100 moves no watermark, and one without time stops no stream."""
    no_time: Row = {"type": "A", "time": None, "k": 1}
    batches = [
        [event("A", 100), event("A", 4_102_444_800)],
        [no_time, event("B", 103)],
        [event("A", 130)],
        [event("A", 101)],
    ]
    write_files(tmp_path / "in", batches, SCHEMA)
    query = cepheid.query(PAIRS)
    with few_partitions(spark):
        stream = read_stream(spark, tmp_path / "in")
        options: Any = {"watermark": 5, "buckets": 2, "ahead": "1 day"}
        dropped = query.run(stream, **ROLES, **options, bad="drop")
        found = query.run(stream, **ROLES, **options, late="deliver", bad="deliver")
        collected = run_to_end(united({"results": dropped, "aside": found.late}), tmp_path)
        failing = united({"rows": query.run(stream, **ROLES, **options)})
        with pytest.raises(StreamingQueryException, match=r"no time(.|\n)*bad='drop'"):
            run_to_end(failing, tmp_path / "failing")
    assert collected.of("results") == [{"a_time": 100, "b_time": 103}]
    aside = sorted(collected.of("aside"), key=lambda row: str(row["reason"]))
    assert aside == [
        {**event("A", 4_102_444_800), "reason": "ahead of the clock"},
        {**event("A", 101), "reason": "late"},
        {**no_time, "reason": "no time"},
    ]
    assert collected.observed("query", "set_aside")[:2] == [2, 2]  # of two operators


def test_a_checkpoint_of_another_query_and_a_state_too_large(
    spark: SparkSession, tmp_path: Path
) -> None:
    def result(text: str, **options: Any) -> DataFrame:
        stream = read_stream(spark, tmp_path / "in")
        rows = cepheid.query(text).run(stream, **ROLES, **({"ordered": True} | options))
        return united({"rows": rows})

    with few_partitions(spark):
        write_files(tmp_path / "in", [[event("A", 10), event("A", 11)]], SCHEMA)
        run_to_end(result(PAIRS), tmp_path)
        write_files(tmp_path / "in", [[event("B", 12)]], SCHEMA)
        other = PAIRS.replace("WITHIN 6", "WITHIN 7")
        with pytest.raises(StreamingQueryException, match=r"belongs to another query.*WITHIN 6"):
            run_to_end(result(other), tmp_path)
        with pytest.raises(StreamingQueryException, match="buckets: 16 in the checkpoint, 4 now"):
            run_to_end(result(PAIRS, buckets=4), tmp_path)
        with pytest.raises(StreamingQueryException, match=r"ordered: True in the .*, False now"):
            run_to_end(result(PAIRS, ordered=False, watermark=0), tmp_path)
        narrower = {"A": ["k", "time"], "B": ["k", "time"]}
        with pytest.raises(StreamingQueryException, match=r"schemas: null in the .*\"A\": "):
            run_to_end(result(PAIRS, schemas=narrower), tmp_path)
        with pytest.raises(StreamingQueryException, match=r"the limit is 1(.|\n)*state_limit"):
            run_to_end(result(PAIRS, state_limit=1), tmp_path)
        found = run_to_end(result(PAIRS), tmp_path)
    times = sorted((row["a_time"], row["b_time"]) for row in found.of("rows"))
    assert times == [(10, 12), (11, 12)], "nothing is lost after errors"
