"""Columns of results that predicates cannot compute with: constants, lists, columns without values.

tests/spark/stream/test_shown_values.py runs the same queries on Spark.
"""

import datetime

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from tests.oracle import evaluate, schema_of

EVENTS = pa.table(
    {
        "time": [1, 2, 3, 4],
        "type": ["A", "A", "B", "A"],
        "x": [5, 7, 6, 1],
        "l": pa.array([[1], None, [], [2, 3]], pa.list_(pa.int64())),
        "n": pa.nulls(4),
        "h": pa.array(np.array([1, 2.5, 3, 4], np.float16)),
    }
)
ROLES = {"time": "time", "type": "type"}
CONSTANTS = (
    "'k' AS text, NULL AS nothing, 7 AS number, -1.5 AS fraction, TRUE AS truth, :p AS given"
)
PARAMETERS = {"p": "it's"}
TYPED = "DATE '2024-02-29' AS day, :at AS at, DECIMAL '0.10' AS price, :length AS length"
TYPED_PARAMETERS = {
    "at": datetime.datetime(2024, 2, 29, 13, 45),
    "length": datetime.timedelta(hours=1, minutes=30),
}
CONSTANT_TYPES = {
    "text": pa.string(),
    "nothing": pa.null(),
    "number": pa.int64(),
    "fraction": pa.float64(),
    "truth": pa.bool_(),
    "given": pa.string(),
}
CONSTANT_ROW = {
    **{"text": "k", "nothing": None, "number": 7, "fraction": -1.5},
    **{"truth": True, "given": "it's"},
}
# Queries with constants; each can run on a stream.
WITH_CONSTANTS = {
    "matches": f"PATTERN SEQ(A a, B b) WITHIN 9 RETURN a.x, {CONSTANTS}",
    "repeated": f"PATTERN SEQ(A+ a, B b) WHERE a[1].x < b.x WITHIN 9 RETURN {CONSTANTS}, a.x",
    "windows": f"PATTERN SEQ(A a, B b) WITHIN 4 SLIDE 2 RETURN {CONSTANTS}, COUNT(*) AS c",
    "moments": f"PATTERN SEQ(A a, B b) WITHIN 4 RETURN COUNT(*) AS c, {CONSTANTS}",
    "groups": f"PATTERN A a WITHIN 2 SLIDE 2 RETURN x, {CONSTANTS}, MAX(a.time) AS m GROUP BY x",
    "having": f"PATTERN A a WITHIN 2 SLIDE 2 RETURN COUNT(*) AS c, {CONSTANTS} HAVING c < number",
}
WITH_TYPED = {
    "typed matches": f"PATTERN SEQ(A a, B b) RETURN a.x, {TYPED}",
    "typed aggregates": f"PATTERN A a RETURN COUNT(*), {TYPED} HAVING day < at",
}
SHOWN = "a[1].l AS first, a[a.LEN].l AS last, count(a[].l) AS lists, a[1].n AS n, max(a[].n) AS m"
PICKED = f"PATTERN SEQ(A+ a, B b) WHERE count(a[].l) > 0 WITHIN 9 RETURN a.time, {SHOWN}"
PICKED_ROWS = [
    {"a_time": [1], "first": [1], "last": [1], "lists": 1, "n": None, "m": None},
    {"a_time": [1, 2], "first": [1], "last": None, "lists": 1, "n": None, "m": None},
]


@pytest.mark.parametrize("text", WITH_CONSTANTS.values(), ids=WITH_CONSTANTS)
def test_constants(text: str) -> None:
    query = cepheid.query(text, parameters=PARAMETERS)
    result = query.run(EVENTS, **ROLES)
    types = dict(zip(result.schema.names, result.schema.types, strict=True))
    assert {name: types[name] for name in CONSTANT_TYPES} == CONSTANT_TYPES
    rows = result.to_pylist()
    assert rows
    assert all(row | CONSTANT_ROW == row for row in rows)
    bound = query.bind(schema_of(EVENTS.to_pylist()))
    assert sorted(map(str, rows)) == sorted(map(str, evaluate(bound, EVENTS.to_pylist())))


@pytest.mark.parametrize("text", WITH_TYPED.values(), ids=WITH_TYPED)
def test_typed_constants(text: str) -> None:
    query = cepheid.query(text, parameters=TYPED_PARAMETERS)
    result = query.run(EVENTS, **ROLES)
    assert result.schema.types[-4:] == [
        pa.date32(), pa.timestamp("us"), pa.decimal128(2, 2), pa.int64()
    ]  # fmt: skip
    rows = result.to_pylist()
    assert rows
    bound = query.bind(schema_of(EVENTS.to_pylist()))
    assert sorted(map(str, rows)) == sorted(map(str, evaluate(bound, EVENTS.to_pylist())))


def test_a_time_with_a_zone_in_having() -> None:
    table = EVENTS.set_column(0, "time", EVENTS["time"].cast(pa.timestamp("s", "UTC")))
    at = datetime.datetime(1970, 1, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
    text = "PATTERN A a RETURN COUNT(*) AS n, MAX(a.time) AS last HAVING last > :at"
    found = cepheid.query(text, parameters={"at": at}).run(table, **ROLES)
    assert found.column("n").to_pylist() == [3]


def test_constants_of_no_match() -> None:
    query = cepheid.query(WITH_CONSTANTS["matches"], parameters=PARAMETERS)
    assert query.run(EVENTS.slice(3), **ROLES).schema.field("text").type == pa.string()


def test_constants_are_read_by_another_query() -> None:
    texts = {
        "pairs": "PATTERN SEQ(A a, B b) WITHIN 9 RETURN 'k' AS word, NULL AS none, b.x INTO Pair",
        "all": "PATTERN Pair p WHERE p.word = 'k' RETURN p.word, p.none, p.b_x",
    }
    found = cepheid.workload(texts).run(EVENTS, **ROLES)["all"]
    assert found.to_pylist() == [{"p_word": "k", "p_none": None, "p_b_x": 6}] * 2


def test_a_constant_of_both_sides_of_and() -> None:
    found = cepheid.query("PATTERN A a AND B b RETURN 'k' AS word, a.x, 1 AS one").run(
        EVENTS, **ROLES
    )
    found_rows = sorted(tuple(row.values()) for row in found.to_pylist())
    assert found_rows == [("k", x, 1) for x in (1, 5, 7)]


def test_values_that_are_only_shown() -> None:
    result = cepheid.query(PICKED).run(EVENTS, **ROLES)
    assert result.schema.field("first").type == pa.list_(pa.int64())
    assert result.schema.field("n").type == pa.null()
    assert sorted(result.to_pylist(), key=lambda row: row["a_time"]) == PICKED_ROWS


@pytest.mark.parametrize("kind", [pa.struct({"u": pa.int64()}), pa.map_(pa.string(), pa.int64()),
                                  pa.binary(), pa.time64("us"), pa.duration("s"),
                                  pa.list_(pa.int64(), 2), pa.large_list(pa.string())])  # fmt: skip
def test_any_column_can_be_shown(kind: pa.DataType) -> None:
    events = EVENTS.append_column("v", pa.nulls(4, kind))
    text = "PATTERN SEQ(A+ a, B b) RETURN a[1].v AS one, a.v AS all, count(a[].v) AS c, b.v"
    result = cepheid.query(text).run(events, **ROLES)
    assert result.schema.types == [kind, pa.list_(kind), pa.int64(), kind]
    assert {row["c"] for row in result.to_pylist()} == {0}


@pytest.mark.parametrize("where", ["a.h > 1", "a.h = 2.5", "a.h * 2 = b.h + 2", "a.h >= a.x - 4.5",
                                   "sum(a[].h) > 2", "-a.h < 0"])  # fmt: skip
def test_half_floats(where: str) -> None:
    text = f"PATTERN SEQ(A+ a, B b) WHERE {where} RETURN a.x, a[1].h AS first, sum(a[].h) AS s"
    wide = EVENTS.set_column(5, "h", EVENTS["h"].cast(pa.float64()))
    found = cepheid.query(text).run(EVENTS, **ROLES)
    assert found.to_pylist() == cepheid.query(text).run(wide, **ROLES).to_pylist()
    assert found.num_rows
