"""Queries that come and go while a stream runs: the others are not disturbed."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.results import result_schema
from cepheid.plan.run_options import RunOptions
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.spark.shuffle.packed_events import to_packet
from cepheid.spark.stream.finish_packets import QueryForm, to_json_rows
from cepheid.spark.stream.query_folder import QueryFolder
from cepheid.spark.stream.step_reports import TAGGED
from tests.engine.run_one import run_partially
from tests.properties.comparison import as_multiset
from tests.spark.stream.streams import (
    Collected,
    few_partitions,
    read_stream,
    run_until_idle,
    write_files,
)
from tests.spark.stream.test_workload_stream import DELAY, ROLES, SCHEMA, random_events

pytestmark = [pytest.mark.spark, pytest.mark.slow]

STEADY = "PATTERN SEQ(A, B+) WHERE [k] WITHIN 8 SLIDE 4 RETURN k, COUNT(*) AS n GROUP BY k"
TOTAL = "PATTERN SEQ(C, B+) WHERE [k] WITHIN 8 SLIDE 4 RETURN COUNT(*) AS n"
LONGER = (
    "PATTERN SEQ(A, B+ b) WHERE [k] AND b.x NOT IN (0, 1) WITHIN 12 SLIDE 4 RETURN COUNT(*) AS n"
)
FAILING = "PATTERN SEQ(A a, B b) WHERE [k] AND a.x * 4611686018427387904 * b.x > -1 WITHIN 9"
MATCHES = "PATTERN SEQ(A a, C c) WHERE [k] WITHIN 5 RETURN a.time AS a, c.time AS c"


def named(rows: DataFrame) -> DataFrame:
    """Changes are rows of a name of their own."""
    name = F.concat_ws(":", "change", "query").alias("name")
    return rows.select(name, F.col("result").alias("text"))


def run(spark: SparkSession, folder: Path, **options: Any) -> Collected:
    stream = read_stream(spark, folder / "in", files=1)
    settings = {"watermark": DELAY, "keys": "k", "buckets": 2} | options
    rows = cepheid.query_folder(folder / "queries").stream(stream, **ROLES, **settings)
    return run_until_idle(named(rows), folder)


def expected(text: str, events: list[dict[str, Any]], since: int = 0) -> list[dict[str, Any]]:
    """What a query gives of the stream from a tick on; windows that began before are left out."""
    later = [each for each in events if each["time"] >= since]
    rows = cepheid.query(text).run(pa.Table.from_pylist(later, SCHEMA), **ROLES).to_pylist()
    return [each for each in rows if each.get("window_start", since) >= since]


def test_queries_come_and_go(spark: SparkSession, tmp_path: Path) -> None:
    events = random_events(7, 90)
    queries = tmp_path / "queries"
    queries.mkdir()

    def put(name: str, text: str) -> None:
        (queries / f"{name}.cep").write_text(text)

    put("steady", STEADY)
    put("total", TOTAL)
    with few_partitions(spark, 2):
        write_files(tmp_path / "in", [events[:30]], SCHEMA)
        run(spark, tmp_path)
        put("longer", LONGER)
        put("matches", MATCHES)
        put("broken", "PATTERN SEQ(A, WITHIN 4")
        put("failing", FAILING)
        put("spread", "PATTERN SEQ(A, B) WITHIN 4 SLIDE 4 RETURN COUNT(*) AS n")
        (queries / "strange.cep").write_bytes(b"\xff\xfe")
        write_files(tmp_path / "in", [events[30:60]], SCHEMA)
        run(spark, tmp_path)
        (queries / "total.cep").unlink()
        put("matches", "PATTERN nonsense")
        write_files(tmp_path / "in", [events[60:], [{"type": "Z", "time": 9000, "k": 0}]], SCHEMA)
        found = run(spark, tmp_path)
    assert found.of("added:steady") == [{"watermark": None, "since": None}]
    (added,) = found.of("added:longer")
    since = 1 + max(each["time"] for each in events[:30])
    assert added == {"watermark": (since - 1 - DELAY) * 1000, "since": since}
    assert as_multiset(found.of("steady")) == as_multiset(expected(STEADY, events))
    for name, text in (("longer", LONGER), ("matches", MATCHES)):
        rows = expected(text, events, since)
        assert rows
        assert as_multiset(found.of(name)) == as_multiset(rows), name
    # It closed windows up to the watermark of its last run, and none in the micro-batch after.
    last = max(each["time"] for each in events[:60]) - DELAY
    closed = [each for each in expected(TOTAL, events) if each["window_end"] <= last]
    assert closed
    assert as_multiset(found.of("total")) == as_multiset(closed)
    assert len(found.of("removed:total")) == 1
    assert found.of("added:failing")
    assert found.of("failed:failing")
    for each in found.of("failed:failing"):
        assert each["message"].startswith("query 'failing': '(a.x * 4611686018427387904) * b.x"), (
            each
        )
    for name, words in (
        ("broken", "unexpected"),
        ("spread", "buckets are by k"),
        ("strange", "strange.cep cannot be read"),
        ("matches", "buckets are by k"),
    ):
        (refused,) = found.of(f"refused:{name}")
        assert words in refused["message"], refused


class TestFolderAway:
    """An unmounted folder must not look like one without queries."""

    def test_at_the_start(self, spark: SparkSession, tmp_path: Path) -> None:
        write_files(tmp_path / "in", [random_events(1, 3)], SCHEMA)
        with pytest.raises(cepheid.ConfigError, match="queries does not exist"):
            run(spark, tmp_path)

    def test_while_the_stream_runs(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        folder = tmp_path / "queries"
        folder.mkdir()
        (folder / "steady.cep").write_text(STEADY)
        reader = QueryFolder({"path": str(folder)}).simpleStreamReader(None)
        added, there = reader.read(reader.initialOffset())
        assert list(added) == [("steady", STEADY, None)]
        folder.rename(tmp_path / "away")
        nothing, still = reader.read(there)
        assert (list(nothing), still) == ([], there)
        assert "the queries stay as they are" in caplog.text
        (tmp_path / "away").rename(folder)
        (folder / "steady.cep").unlink()
        removed, _ = reader.read(still)
        assert list(removed) == [("steady", None, None)]


def test_buckets_that_together_are_too_much() -> None:
    """A group that lies in several buckets is finished after the state: others are finished."""
    text = "PATTERN SEQ(A, B b) WHERE [k] WITHIN 8 SLIDE 8 RETURN SUM(b.x) AS total"
    batches = []
    for name, x in (("fine", 1), ("too much", 2**62)):
        for k in range(2):
            events = pa.table({"type": ["A", "B"], "time": [1, 2], "k": [k, k], "x": [x, x]})
            form = form_of(name, text)
            assert isinstance(form.program.output, AggregateOutput)
            packet = to_packet(run_partially(form.program, events))
            row = {"query": name, "text": text, "change": None, "result": packet}
            batches.append(pa.RecordBatch.from_pylist([row], TAGGED_SCHEMA))
    with pytest.raises(cepheid.DataError, match="query 'too much'"):
        list(to_json_rows(form_of)(iter(batches)))
    finish = to_json_rows(form_of, isolates=True)
    rows = [row for each in finish(iter(batches)) for row in each.to_pylist()]
    assert [(row["query"], row["change"]) for row in rows] == [
        ("fine", None),
        ("too much", "failed"),
    ]
    assert json.loads(rows[0]["result"])["total"] == 2
    assert "exceeds BIGINT" in json.loads(rows[1]["result"])["message"]
    # One bucket failed: what the other has is a part only.
    told = to_packet(pa.table({"why": ['{"message": "bad"}']}))
    failed = {"query": "fine", "text": None, "change": "failed", "result": told}
    one = [batches[0], pa.RecordBatch.from_pylist([failed], TAGGED_SCHEMA)]
    rows = [row for each in finish(iter(one)) for row in each.to_pylist()]
    assert rows == [{"query": "fine", "change": "failed", "result": '{"message": "bad"}'}]


TAGGED_SCHEMA = pa.schema([(each, pa.string()) for each in TAGGED[:3]] + [("result", pa.binary())])


def form_of(name: str, text: str | None) -> QueryForm:
    schema = event_schema(SCHEMA, ColumnRoles(**ROLES))
    program = cepheid.query(text or "", name=name).program(RunOptions(), schema)
    return QueryForm(program, SCHEMA, True, tuple(result_schema(program, SCHEMA).names))


def test_workloads_with_and_without(tmp_path: Path) -> None:
    (tmp_path / "one.cep").write_text(STEADY)
    first = cepheid.query_folder(tmp_path).workload()
    assert list(first.queries) == ["one"]
    second = first.with_query(TOTAL).with_query(cepheid.query(LONGER), name="long")
    assert list(second.queries) == ["one", "q1", "long"]
    assert list(second.without("one").queries) == ["q1", "long"]
    table = pa.Table.from_pylist(random_events(1), SCHEMA)
    alone = first.run(table, **ROLES)["one"]
    assert second.run(table, **ROLES)["one"] == alone
    with pytest.raises(cepheid.ConfigError, match="did you mean 'long'"):
        second.without("lon")
