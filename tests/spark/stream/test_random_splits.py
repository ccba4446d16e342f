"""Any split into micro-batches, out of order within the watermark, with restarts = one batch."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import cepheid
from tests.properties.comparison import SCHEMA, as_multiset
from tests.properties.queries import Case, negation_cases, pair_cases, predicate_cases
from tests.properties.test_engine_equals_oracle import assume_binds
from tests.spark.stream.streams import few_partitions, read_stream, run_to_end, united, write_files

pytestmark = [pytest.mark.spark, pytest.mark.slow]

CASES = 2  # for all seeds together: every one costs its time in every micro-batch
DELAY = 3
SHIFT = 1000  # Spark's watermark begins at 0
ROLES = {"time": "time", "type": "type"}
FIXED = (
    "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 4 SLIDE 2 RETURN k, COUNT(*) AS n GROUP BY k",
    "PATTERN SEQ(A+ a, B b) WHERE [k] WITHIN 4 SLIDE 2 RETURN COUNT(*) AS n, MAX(a.x) AS most",
    "PATTERN SEQ(A a, B b) WITHIN 4 RETURN COUNT(*) AS n",
)
ORDERED = "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 4 RETURN a.time, b.time"


@cache
def random_cases() -> list[Case]:
    """Draw from the strategies of the local properties those with a few results."""
    drawn: list[Case] = []

    @settings(
        max_examples=80,
        database=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    )
    @given(st.one_of(predicate_cases(), negation_cases(), pair_cases()))
    def draw(case: Case) -> None:
        assume_binds(case)
        rows = cepheid.query(case.text).run(table_of(case.events), **ROLES, order=case.order)
        # A negation that waits for the end of a window of EVENTS waits for more events.
        waits = "EVENTS" in case.text and ("!" in case.text or "PARTIAL" in case.text)
        if not waits and isinstance(rows, pa.Table) and 0 < rows.num_rows < 50:
            drawn.append(case)

    draw()
    return drawn[-CASES:]  # the first ones are the simplest


def fixed_case(text: str) -> Case:
    events = [{"type": "AB"[at % 5 > 2], "time": at, "seq": 0, "k": at % 2, "x": at % 3}
              for at in range(10)]  # fmt: skip
    return Case(text, events, ())


def table_of(events: Sequence[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist([shifted(each) for each in events], SCHEMA)


def shifted(event: dict[str, Any]) -> dict[str, Any]:
    return {**event, "time": event["time"] + SHIFT}


def split(cases: Sequence[Case], dice: random.Random) -> list[list[dict[str, Any]]]:
    """Cut the events of all cases into files; none is later than the delay."""
    listed = [
        (event["time"] + dice.uniform(0, DELAY * (case.text != ORDERED)), number, event)
        for number, case in enumerate(cases)
        for event in case.events
    ]
    listed.sort(key=lambda each: each[0])
    rows = [{**shifted(event), "number": number} for _, number, event in listed]
    cuts = sorted(dice.sample(range(1, len(rows)), 3))
    parts = [rows[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
    end = {"type": "Z", "time": SHIFT + 10_000, "seq": 0, "k": 0, "x": 0}
    return [*parts, [{**end, "number": number} for number in range(len(cases))]]


# What may change between two starts; the number of tasks is fixed by the first.
STARTS = (
    {"files": 1, "tasks": 2, "rows": 10_000},
    {"files": 2, "tasks": 3, "rows": 1},
    {"files": 3, "tasks": 1, "rows": 3},
)


@pytest.mark.parametrize("seed", [1, 2])
def test_splits_and_restarts(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    fixed = [*map(fixed_case, (*FIXED, ORDERED))]
    cases = [*random_cases()[seed - 1 :: 2], *fixed[seed - 1 :: 2]]
    files = split(cases, random.Random(seed))
    schema = SCHEMA.append(pa.field("number", pa.int64()))
    for start, added in zip(STARTS, (files[:1], files[1:3], files[3:]), strict=True):
        write_files(tmp_path / "in", added, schema)
        with few_partitions(spark, start["tasks"]), rows_per_batch(spark, start["rows"]):
            rows = results(spark, tmp_path, cases, files=start["files"])
            found = run_to_end(rows, tmp_path)
    for number, case in enumerate(cases):
        table = table_of(case.events)
        expected = cepheid.query(case.text).run(table, **ROLES, order=case.order).to_pylist()
        assert expected, case
        assert as_multiset(found.of(str(number))) == as_multiset(expected), case


@contextmanager
def rows_per_batch(spark: SparkSession, count: int) -> Iterator[None]:
    """Set how many rows Spark hands to Python at a time."""
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = spark.conf.get(name)
    spark.conf.set(name, str(count))
    try:
        yield
    finally:
        spark.conf.set(name, before)


def results(spark: SparkSession, folder: Path, cases: Sequence[Case], *, files: int) -> Any:
    stream = read_stream(spark, folder / "in", files=files)
    frames = {}
    for number, case in enumerate(cases):
        events = stream.filter(F.col("number") == number).drop("number")
        query = cepheid.query(case.text, name=f"q{number}")
        in_order = case.text == ORDERED
        options: dict[str, Any] = {"ordered": True} if in_order else {"watermark": DELAY}
        frames[str(number)] = query.run(events, **ROLES, order=case.order, buckets=2, **options)
    return united(frames)
