"""What Spark does before Python sees an event: never too much, and as much as it safely can."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StringType, StructField, StructType

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.program.lower import lower
from cepheid.program.position_masks import position_masks
from cepheid.program.program import Program
from cepheid.spark.push_down.filter_events import could_fit, drop_or_bare
from tests.spark.local_conditions import (
    GROUP,
    VALUES,
    ZONE,
    comparisons,
    local_conditions,
    table_of_rows,
)

pytestmark = pytest.mark.spark
ROWS = 80
CASES = 40
COMPARISONS = 300
ROLES = {"time": "time", "type": "type"}


def program_of(
    text: str, schema: pa.Schema, *, type_column: str | None = "type", **options: Any
) -> Program:
    roles = ColumnRoles("time", type_column, **options)
    return lower(cepheid.query(f"PATTERN {text}").plan(event_schema(schema, roles)))


@dataclass(frozen=True)
class Case:
    program: Program
    text: str
    is_exact: bool


@st.composite
def queries(draw: st.DrawFn) -> Case:
    """Up to three positions, negated ones too, each with a condition or none."""
    pattern = draw(st.sampled_from(("A v0", "SEQ(A v0, B v1)", "SEQ(ANY(A, C) v0, !B v1, C v2)")))
    is_exact = draw(st.booleans())
    drawn = [
        draw(local_conditions(f"v{number}", is_exact=is_exact))
        for number in range(pattern.count(" v"))
        if draw(st.integers(0, 3))
    ]
    where = " AND ".join(each.text for each in drawn)
    text = f"{pattern} WHERE {where}" if where else pattern
    # C lacks some attributes, so that what reads them always holds for it.
    names = draw(st.none() | st.lists(st.sampled_from(tuple(VALUES)), unique=True))
    declared = None if names is None else {"A": VALUES, "B": VALUES, "C": names}
    try:
        program = program_of(text, table_of_rows(0).schema, schemas=declared)
    except cepheid.BindingError:  # no type of a variable has an attribute
        reject()
    return Case(program, text, is_exact)


@st.composite
def single_comparisons(draw: st.DrawFn) -> Case:
    """One comparison, on events without types."""
    drawn = draw(comparisons("v"))
    text = f"A v WHERE {drawn.text}"
    return Case(program_of(text, table_of_rows(0).schema, type_column=None), text, drawn.is_exact)


def distinct(strategy: st.SearchStrategy[Case], count: int) -> list[Case]:
    """Draw a number of cases with different texts."""
    drawn: dict[str, Case] = {}

    @settings(
        max_examples=4 * count,
        database=None,
        derandomize=True,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(case: Case) -> None:
        drawn.setdefault(case.text, case)

    draw()
    assert len(drawn) >= count
    return list(drawn.values())[-count:]


@pytest.fixture
def in_new_york(spark: SparkSession) -> Iterator[SparkSession]:
    """Times without a zone are in that of the session, in which clocks change."""
    spark.conf.set("spark.sql.session.timeZone", ZONE)
    yield spark
    spark.conf.set("spark.sql.session.timeZone", "UTC")


def as_column(fits: Column | bool) -> Column:
    return F.lit(fits) if isinstance(fits, bool) else fits


def fitting_times(program: Program, table: pa.Table) -> set[int]:
    columns = dict(zip(table.column_names, table.columns, strict=True))
    masks = np.bitwise_or.reduce(position_masks(program, columns, table.num_rows))
    return set(np.flatnonzero(masks).tolist())


def check(drawn: list[Case], kept: list[set[int]], table: pa.Table) -> None:
    """Every event that fits is kept, and no other one where all of the condition is translated."""
    fitting = [fitting_times(each.program, table) for each in drawn]
    cases = list(zip(drawn, fitting, kept, strict=True))
    assert [(case.text, fits - keeps) for case, fits, keeps in cases if fits - keeps] == []
    exact = [each for each in cases if each[0].is_exact]
    assert [(case.text, keeps - fits) for case, fits, keeps in exact if keeps - fits] == []
    assert sum(0 < len(keeps) < ROWS for _, _, keeps in exact) > len(drawn) / 8


@pytest.fixture
def events(in_new_york: SparkSession, tmp_path: Path) -> tuple[pa.Table, DataFrame]:
    """Events in a file whose statistics and dictionaries tell much of few rows."""
    table = table_of_rows(ROWS)
    pq.write_table(table, tmp_path / "events.parquet", row_group_size=GROUP)
    return table, in_new_york.read.parquet(str(tmp_path / "events.parquet"))


def test_comparisons_mean_the_same(events):
    """All in one pass over the events."""
    table, frame = events
    drawn = distinct(single_comparisons(), COMPARISONS)
    columns = [as_column(could_fit([each.program], frame.schema)) for each in drawn]
    rows = frame.select("time", F.array(*columns).alias("kept")).collect()
    kept = [{row["time"] for row in rows if row["kept"][number]} for number in range(len(drawn))]
    check(drawn, kept, table)


def test_what_could_fit_is_read(events):
    """One job with a scan for each case, so that the reader of the file drops rows too."""
    table, frame = events
    drawn = distinct(queries(), CASES)
    parts = [
        frame.filter(as_column(could_fit([each.program], frame.schema))).select(
            F.lit(number).alias("number"), "time"
        )
        for number, each in enumerate(drawn)
    ]
    found = reduce(DataFrame.unionAll, parts).collect()
    kept = [
        {row["time"] for row in found if row["number"] == number} for number in range(len(drawn))
    ]
    check(drawn, kept, table)


class TestPlan:
    """What the reader of a Parquet file is asked for."""

    @pytest.fixture
    def frame(self, spark: SparkSession, tmp_path: Path) -> DataFrame:
        rows = [
            ("A", 1, 1, 5, 0.5, "a", 7),
            ("B", 2, 1, 6, 1.5, "b", 7),
            ("C", 3, 1, 7, 2.5, "c", 7),
        ]
        names = "type string, time bigint, k bigint, x bigint, y double, s string, unused int"
        path = str(tmp_path / "events")
        spark.createDataFrame(rows, names).coalesce(1).write.parquet(path)
        return spark.read.parquet(path)

    @pytest.mark.parametrize(
        ("query", "filters"),
        [
            ("A a", "[IsNotNull(type), EqualTo(type,A)]"),
            ("SEQ(A a, B)", "[In(type, [A,B])]"),
            (
                "A a WHERE a.x > 5",
                "[IsNotNull(type), IsNotNull(x), EqualTo(type,A), GreaterThan(x,5)]",
            ),
            (
                "SEQ(A a, B b) WHERE a.x > 5 AND b.x > 5",
                "[IsNotNull(x), In(type, [A,B]), GreaterThan(x,5)]",
            ),
            (
                "SEQ(A a, B b) WHERE a.x > 5 AND b.s = 'b'",
                "[In(type, [A,B]), Or(And(EqualTo(type,A),GreaterThan(x,5)),"
                "And(EqualTo(type,B),EqualTo(s,b)))]",
            ),
            (
                "SEQ(A a, !C c, B b) WHERE a.x > 5 AND c.y >= 2 AND b.x < 1.5",
                "[In(type, [A,B,C]), Or(Or(And(EqualTo(type,A),GreaterThan(x,5)),"
                "And(EqualTo(type,B),LessThanOrEqual(x,1))),And(EqualTo(type,C),"
                "And(GreaterThanOrEqual(y,2.0),LessThanOrEqual(y,Infinity))))]",
            ),
            (  # a comparison of two columns and arithmetic only demand values
                "SEQ(A a, B b) WHERE a.x > 5 AND b.x < b.k AND b.x + 1 > 3",
                "[In(type, [A,B]), Or(And(EqualTo(type,A),GreaterThan(x,5)),"
                "And(EqualTo(type,B),And(IsNotNull(k),IsNotNull(x))))]",
            ),
            ("SEQ(A a, B b) SEMANTICS contiguous WHERE a.x > 5", None),
        ],
    )
    def test_pushed_filters(self, frame, capsys, query, filters):
        cepheid.query(f"PATTERN {query} RETURN a.time").run(frame, **ROLES).explain("formatted")
        plan = capsys.readouterr().out
        found = [line for line in plan.splitlines() if line.startswith("PushedFilters: ")]
        assert found == ([] if filters is None else [f"PushedFilters: {filters}"])
        assert "unused" not in plan
        nodes = [plan.index(each) for each in ("MapInArrow", "Exchange", "Scan parquet")]
        assert nodes == sorted(nodes)


class TestWhatReachesPython:
    SCHEMA = "type string, time bigint, k string, x bigint, s string"
    ROWS = (
        ("A", 1, "one", 9, "a"),
        ("A", 2, "one", 1, "a"),
        ("B", 3, "two", None, "b"),
        ("D", 4, "one", 9, "d"),
        (None, 5, None, 9, "n"),
    )

    def seen(self, spark: SparkSession, query: str) -> list[tuple[Any, ...]]:
        frame = spark.createDataFrame(self.ROWS, self.SCHEMA)
        program = program_of(query, pa.Table.from_pylist(
            [dict(zip(("type", "time", "k", "x", "s"), row, strict=True)) for row in self.ROWS]
        ).schema)  # fmt: skip
        return sorted(map(tuple, drop_or_bare(program, frame).collect()), key=lambda row: row[1])

    def test_only_events_that_could_fit(self, spark):
        query = "SEQ(A a, B b) WHERE [k] AND a.x > 5 RETURN a.s"
        assert [row[1] for row in self.seen(spark, query)] == [1, 3]

    def test_nothing_of_most_events(self, spark):
        """A thousand irrelevant events for each relevant one: two rows are handed over."""
        frame = spark.range(2000).select(
            F.when(F.col("id") % 1000 == 0, "A").otherwise("X").alias("type"),
            F.col("id").alias("time"),
        )
        schema = pa.schema([("type", pa.string()), ("time", pa.int64())])
        assert drop_or_bare(program_of("A+", schema), frame).count() == 2

    def test_marks_keep_order_and_partition(self, spark):
        query = "SEQ(A a, B b) SEMANTICS contiguous WHERE [k] AND a.x > 5 RETURN a.s"
        assert self.seen(spark, query) == [
            ("A", 1, "one", 9, "a"),
            (None, 2, "one", None, None),
            ("B", 3, "two", None, "b"),
            (None, 4, "one", None, None),
            (None, 5, None, None, None),
        ]

    def test_marks_of_strict_contiguity_only_have_a_partition(self, spark):
        query = "SEQ(A a, B b) WHERE strict_contiguity AND [k] AND a.x > 5 RETURN a.s"
        assert [row[2] for row in self.seen(spark, query)] == ["one", "", "two", "", None]

    def test_windows_of_events_count_marks_by_partition(self, spark):
        query = "SEQ(A a, B b) WHERE strict_contiguity AND [k] AND a.x > 5 WITHIN 3 EVENTS"
        assert [row[2] for row in self.seen(spark, query)] == ["one", "one", "two", "one", None]


def test_the_partition_of_a_mark_does_not_matter_under_strict_contiguity(spark):
    """Its text becomes empty, which is another partition's value here."""
    listed = [
        {
            "type": "ABBD"[place % 4],
            "time": place,
            "k": ("", "one", None)[place % 7 % 3],
            "x": place,
        }
        for place in range(40)
    ]
    query = cepheid.query(
        "PATTERN SEQ(A a, B b) WHERE strict_contiguity AND [k] AND b.x != 9 RETURN a.x, b.x, a.k"
    )
    local = query.run(pa.Table.from_pylist(listed), **ROLES).to_pylist()
    frame = spark.createDataFrame(listed, "type string, time bigint, k string, x bigint")
    found = [row.asDict() for row in query.run(frame, **ROLES).collect()]
    assert local
    assert sorted(found, key=str) == sorted(local, key=str)


def test_long_conditions_are_left_to_the_engine(spark):
    """Planning them would take longer than reading the events."""
    schema = pa.schema([("type", pa.string()), ("time", pa.int64()), ("x", pa.int64())])
    condition = " OR ".join(f"A.x = {number}" for number in range(300))
    frame = spark.createDataFrame([("A", 1, 999), ("X", 2, 1)], "type string, time long, x long")
    fits = could_fit([program_of(f"A WHERE {condition}", schema)], frame.schema)
    assert frame.filter(fits).count() == 1


def test_texts_with_rules_of_their_own_are_left_to_the_engine(spark):
    """Spark pads what it compares with CHAR, and a collation may ignore case."""
    padded = {"__CHAR_VARCHAR_TYPE_STRING": "char(3)"}
    schema = StructType(
        [
            StructField("time", LongType()),
            StructField("padded", StringType(), metadata=padded),
            StructField("folded", StringType("UTF8_LCASE")),
        ]
    )
    arrow = pa.schema([("time", pa.int64()), ("padded", pa.string()), ("folded", pa.string())])
    for name in ("padded", "folded"):
        program = program_of(f"A WHERE A.{name} != 'a'", arrow, type_column=None)
        assert str(could_fit([program], schema)) == f"Column<'isNotNull({name})'>"
