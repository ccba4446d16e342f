"""All queries of a workload as one stream: restarts, settings and late events change nothing."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

import cepheid
from cepheid.metrics.stream_metrics import observed_counts
from cepheid.spark.stream.workload_stream import WorkloadStream
from cepheid.stream.step_rules import keeps_apart
from tests.properties.aggregate_streams import MOMENTS
from tests.properties.comparison import as_multiset
from tests.properties.drawn_workloads import drawn_workloads, from_json
from tests.properties.stream_steps import program_of
from tests.properties.workload_comparison import assert_as_expected, oracle_rows
from tests.properties.workloads import (
    WorkloadCase,
    adjacent_workloads,
    beginning_workloads,
    chain_workloads,
    recent_workloads,
    workloads,
)
from tests.spark.stream.streams import few_partitions, read_stream, run_to_end, united, write_files

pytestmark = [pytest.mark.spark, pytest.mark.slow]

DELAY = 3
SCHEMA = pa.schema(
    [("type", pa.string()), ("time", pa.int64()), ("k", pa.int64()), ("x", pa.int64())]
)
ROLES = {"time": "time", "type": "type"}
TEXTS = {
    "by key": "PATTERN SEQ(A, B+) WHERE [k] WITHIN 8 SLIDE 4 RETURN k, COUNT(*) AS n GROUP BY k",
    "of all": "PATTERN SEQ(C, B+) WHERE [k] WITHIN 8 SLIDE 4 RETURN COUNT(*) AS n",
    "longer": "PATTERN SEQ(A, B+ b) WHERE [k] AND b.x > 1 WITHIN 12 SLIDE 4 RETURN COUNT(*) AS n",
    "sums": "PATTERN SEQ(A, B+ b) WHERE [k] WITHIN 6 SLIDE 3 RETURN SUM(b.x) AS x, MAX(b.x) AS m",
    "matches": "PATTERN SEQ(A a, C c) WHERE [k] WITHIN 5 RETURN a.time, c.time",
    "packed": "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 3 RETURN a.time, b.time OUTPUT COMPRESSED",
    "recent": "PATTERN SEQ(A, B) WHERE [k] WITHIN 4 RETURN k, COUNT(*) AS n GROUP BY k",
    "most": "PATTERN SEQ(A, B b, C) WHERE [k] WITHIN 4 RETURN k, MAX(b.x) AS most GROUP BY k",
    "most of two": "PATTERN SEQ(A, B b+) WHERE [k] WITHIN 4 RETURN k, MAX(b.x) AS most GROUP BY k",
    "apart": "PATTERN SEQ(A a, B) WHERE [k] WITHIN 5 RETURN a.time OUTPUT NON OVERLAPPING",
    "giver": "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 4 RETURN a.k AS k INTO Pair",
    "reader": "PATTERN SEQ(Pair p, C c) WHERE [k] WITHIN 4 RETURN p.k, c.time",
}


def random_events(seed: int, count: int = 70) -> list[dict[str, Any]]:
    dice = random.Random(seed)
    return [
        {"type": dice.choice("ABBC"), "time": 1000 + at // 2, "k": dice.randrange(3), "x": at % 4}
        for at in range(count)
    ]


def files_of(events: Sequence[dict[str, Any]], seed: int, count: int) -> list[list[dict[str, Any]]]:
    """Cut events into files; none is later than the delay. The last one closes everything."""
    dice = random.Random(seed)
    listed = sorted(events, key=lambda each: each["time"] + dice.uniform(0, DELAY))
    cuts = sorted(dice.sample(range(1, len(listed)), count - 1))
    parts = [listed[a:b] for a, b in zip([0, *cuts], [*cuts, len(listed)], strict=True)]
    return [*parts, [{"type": "Z", "time": 9000, "k": 0, "x": 0}]]


def workload_of(texts: dict[str, str]) -> cepheid.Workload:
    return cepheid.workload([cepheid.query(text, name=name) for name, text in texts.items()])


def streamed(
    spark: SparkSession, folder: Path, *, files: int = 1, **options: Any
) -> WorkloadStream:
    stream = read_stream(spark, folder / "in", files=files)
    options = {"watermark": DELAY, "buckets": 2} | options
    return workload_of(TEXTS).stream(stream, **ROLES, **options)


def expected_of(texts: dict[str, str], events: Sequence[dict[str, Any]]) -> dict[str, Any]:
    table = pa.Table.from_pylist(list(events), SCHEMA)
    found = workload_of(texts).run(table, **ROLES)
    rows = {n: e.expand() if hasattr(e, "expand") else e for n, e in found.items()}
    return {name: each.to_pylist() for name, each in rows.items()}


def as_named(rows: DataFrame) -> DataFrame:
    return rows.toDF("name", "text")


@pytest.mark.parametrize("seed", [1])
def test_splits_and_a_restart(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    events = random_events(seed)
    files = files_of(events, seed, 3)
    write_files(tmp_path / "in", files[:1], SCHEMA)
    with few_partitions(spark, 2):
        rows = streamed(spark, tmp_path, sharing="always").rows
        run_to_end(as_named(rows), tmp_path)
    write_files(tmp_path / "in", files[1:], SCHEMA)
    with few_partitions(spark, 1):
        rows = streamed(spark, tmp_path, files=2, sharing="never").rows
        found = run_to_end(as_named(rows), tmp_path)
    for name, expected in expected_of(TEXTS, events).items():
        assert expected, name
        assert as_multiset(found.of(name)) == as_multiset(expected), name


def on_a_stream(case: WorkloadCase) -> WorkloadCase:
    """Keep the queries that become final; time begins after Spark's first watermark."""
    programs = {name: program_of(case.case(name), case.schema) for name in case.texts}
    texts = {
        name: case.texts[name]
        for name, each in programs.items()
        if each.window_length is not None and not keeps_apart(each)
    }
    return replace(case, texts=texts, events=varied_events(), order=())


@cache
def varied_events() -> list[dict[str, Any]]:
    """A stream that many queries have results on, and that is short enough for the oracle."""
    dice = random.Random(6)
    values = {
        "type": "AABBBBCD", "seq": (0,), "k": (1, 1, 2, None), "x": (1, 2, 3, -1, None),
        "f": (0.5, 2.0, -1.25), "s": ("a", "b", None), "at": MOMENTS,
    }  # fmt: skip
    chosen = [{name: dice.choice(each) for name, each in values.items()} for _ in range(16)]
    return [{**each, "time": 1000 + at * 2 // 3} for at, each in enumerate(chosen)]


@cache
def random_workload() -> WorkloadCase:
    """Draw a few workloads, and take their queries together: a stream costs the same for all."""
    kinds = {
        workloads(has_others=False): 2,
        beginning_workloads(): 1,
        recent_workloads(): 1,
        adjacent_workloads(): 1,
        chain_workloads(): 1,
        beginning_workloads(has_matches=True): 1,
    }
    drawn = [
        case
        for kind, count in kinds.items()
        for case in drawn_workloads(kind, count, least=3, prepare=on_a_stream)
    ]
    texts = {
        f"{number} {name}": text
        for number, case in enumerate(drawn)
        for name, text in case.texts.items()
    }
    return replace(drawn[0], texts=texts)


@pytest.mark.parametrize(
    ("first", "then"), [("dynamic", "always"), ("always", "never"), ("never", "dynamic")]
)
def test_random_workloads(spark: SparkSession, tmp_path: Path, first: str, then: str) -> None:
    """Random queries under every policy, in random micro-batches, with a restart: the oracle's."""
    case, dice = random_workload(), random.Random(first)
    end = {**case.events[0], "type": "Z", "time": 9000}
    files = [*files_of(case.events, dice.randrange(99), 3)[:-1], [end]]
    for policy, added in ((first, files[:2]), (then, files[2:])):
        write_files(tmp_path / "in", added, case.schema)
        with few_partitions(spark, 1):
            stream = read_stream(spark, tmp_path / "in", files=1 if policy == first else 2)
            options = {"order": case.order, "watermark": DELAY, "buckets": 2, "sharing": policy}
            rows = workload_of(case.texts).stream(stream, **ROLES, **options).rows
            found = run_to_end(as_named(rows), tmp_path)
    expected = {name: oracle_rows(case, name) for name in case.texts}
    assert sum(map(bool, expected.values())) > len(expected) / 2
    for name, each in expected.items():
        texts = [json.dumps(row) for row in found.of(name)]
        given = [from_json(case, name, text) for text in texts]
        assert_as_expected(case, name, given, each)


def test_every_result_to_its_own_place(spark: SparkSession, tmp_path: Path) -> None:
    """One stream; queries with other results, or none, are not in the way."""
    events = random_events(2)
    write_files(tmp_path / "in", files_of(events, 2, 2), SCHEMA)
    texts = {name: TEXTS[name] for name in ("by key", "of all", "matches")}
    found: dict[str, list[Any]] = {name: [] for name in texts}

    def writer(name: str) -> Any:
        return lambda batch, _: found[name].extend(row.asDict() for row in batch.collect())

    with few_partitions(spark, 1):
        stream = read_stream(spark, tmp_path / "in")
        both = workload_of(texts).stream(stream, **ROLES, watermark=DELAY, buckets=2)
        with pytest.raises(cepheid.ConfigError, match="did you mean 'matches'"):
            both.each_batch({"matche": writer("matches")})
        query = (
            both.packets.writeStream.foreachBatch(
                both.each_batch({name: writer(name) for name in ("by key", "of all")})
            )
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        progress = [observed_counts(each) for each in map(_observed, query.recentProgress)]
    expected = expected_of(texts, events) | {"matches": []}
    for name, rows in expected.items():
        assert as_multiset(found[name]) == as_multiset(rows), name
    counted = [each["by key"]["results"] for each in progress if "by key" in each]
    assert sum(counted) == len(expected["by key"])
    assert sum(e["workload"]["events"] for e in progress if "workload" in e) == len(events)


def _observed(progress: Any) -> dict[str, Any]:
    return {name: row.asDict() for name, row in progress.observedMetrics.items()}


def test_operators_of_one_name_report_apart(spark: SparkSession, tmp_path: Path) -> None:
    """Queries with and without keys are two bundles; Spark wants a name for the counts of each."""
    events = random_events(5, 24)
    write_files(tmp_path / "in", files_of(events, 5, 1), SCHEMA)
    without = {name: TEXTS[name].replace("WHERE [k] ", "") for name in ("matches", "packed")}
    texts = {
        "workload": TEXTS["matches"],
        "packed": TEXTS["packed"],
        **{f"{name}, no key": text for name, text in without.items()},
    }
    with few_partitions(spark, 1):
        stream = read_stream(spark, tmp_path / "in")
        rows = workload_of(texts).stream(stream, **ROLES, watermark=DELAY, buckets=1).rows
        found = run_to_end(as_named(rows), tmp_path / "one")
        unnamed = [cepheid.query(TEXTS[each]) for each in ("matches", "recent")]
        both = {str(n): e.run(stream, **ROLES, watermark=DELAY) for n, e in enumerate(unnamed)}
        of_two = run_to_end(united(both), tmp_path / "two")
    expected = expected_of(texts, events)
    for name, listed in expected.items():
        assert listed, name
        assert as_multiset(found.of(name)) == as_multiset(listed), name
    assert sum(found.observed("workload", "results")) == sum(map(len, expected.values()))
    assert sum(found.observed("packed", "results")) == len(expected["packed"])
    assert sum(found.observed("workload", "events")) == 2 * len(events)
    assert sum(of_two.observed("query", "results")) == sum(map(len, of_two.rows.values()))


def test_five_hundred_queries(spark: SparkSession, tmp_path: Path) -> None:
    """Sets, segments and graphs of many queries, in one operator and few micro-batches."""
    kinds = (
        "PATTERN SEQ({0}, B+ b) WHERE [k] AND b.x > {1} WITHIN {2} SLIDE 4 "
        "RETURN k, COUNT(*) AS n, SUM(b.x) AS x GROUP BY k",
        "PATTERN SEQ({0}, B+ b) WHERE [k] AND b.x > {1} WITHIN {2} SLIDE 4 RETURN COUNT(*) AS n",
        "PATTERN SEQ({0}, B b) WHERE [k] AND b.x > {1} WITHIN {2} "
        "RETURN k, COUNT(*) AS n GROUP BY k",
        "PATTERN SEQ({0} a, B b) WHERE [k] AND b.x > {1} WITHIN {2} RETURN a.time, b.time",
        "PATTERN SEQ({0} a, B b) WHERE [k] AND b.x > a.x + {1} WITHIN {2} RETURN a.time, b.time",
    )
    texts = {
        f"q{number}": text.format(first, least, length)
        for number, (text, first, least, length) in enumerate(
            product(kinds, "AC", range(-1, 3), range(4, 54, 4))
        )
    }
    assert len(texts) >= 500
    events = random_events(8, 60)
    write_files(tmp_path / "in", files_of(events, 8, 1), SCHEMA)
    with few_partitions(spark, 1):
        stream = read_stream(spark, tmp_path / "in")
        rows = workload_of(texts).stream(stream, **ROLES, watermark=DELAY, buckets=1).rows
        found = run_to_end(as_named(rows), tmp_path)
    expected = expected_of(texts, events)
    assert sum(map(bool, expected.values())) > 450
    for name, listed in expected.items():
        assert as_multiset(found.of(name)) == as_multiset(listed), name


class TestRefused:
    def test_other_queries_on_a_checkpoint(self, spark: SparkSession, tmp_path: Path) -> None:
        write_files(tmp_path / "in", files_of(random_events(3, 12), 3, 1), SCHEMA)
        texts = {name: TEXTS[name] for name in ("by key", "of all")}
        with few_partitions(spark, 1):
            stream = read_stream(spark, tmp_path / "in")
            first = workload_of(texts).stream(stream, **ROLES, watermark=DELAY, buckets=1)
            run_to_end(as_named(first.rows), tmp_path)
            write_files(tmp_path / "in", [random_events(4, 3)], SCHEMA)
            texts["of all"] = TEXTS["of all"].replace("WITHIN 8", "WITHIN 4")
            other = workload_of(texts).stream(stream, **ROLES, watermark=DELAY, buckets=1)
            with pytest.raises(StreamingQueryException, match="belongs to another query"):
                run_to_end(as_named(other.rows), tmp_path)

    def test_what_is_no_stream_or_never_final(self, spark: SparkSession, tmp_path: Path) -> None:
        pair = workload_of({name: TEXTS[name] for name in ("by key", "of all")})
        with pytest.raises(cepheid.ConfigError, match="batch DataFrame, which has an end"):
            pair.stream(spark.createDataFrame([("A", 1, 1, 1)], SCHEMA.names), **ROLES)
        write_files(tmp_path / "in", [random_events(1, 3)], SCHEMA)
        stream = read_stream(spark, tmp_path / "in")
        texts = ["PATTERN SEQ(A, B) RETURN COUNT(*) AS n", "PATTERN A RETURN COUNT(*) AS n"]
        with pytest.raises(cepheid.UnsupportedQueryError, match="a stream has no end"):
            cepheid.workload(texts).stream(stream, **ROLES, watermark=DELAY)
