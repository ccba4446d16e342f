"""Conditions on one event mean what they mean in SQL: DuckDB says so."""

import re

import duckdb
import pyarrow as pa

import cepheid
from tests.properties.one_event_predicates import Words, events, predicates

TABLE = events()
COUNT = 500
AT_ONCE = 100


def test_predicates_agree_with_duckdb() -> None:
    connection = duckdb.connect()
    connection.register("events", TABLE)
    found = predicates(COUNT)
    different = []
    for start in range(0, COUNT, AT_ONCE):
        some = found[start : start + AT_ONCE]
        listed = ", ".join(f"{each.ours} AS p{number}" for number, each in enumerate(some))
        ours = cepheid.query(f"PATTERN A a RETURN a.id AS id, {listed}").run(TABLE, time="id")
        listed = ", ".join(f"{each.duckdb} AS p{number}" for number, each in enumerate(some))
        theirs = connection.sql(f"SELECT id, {listed} FROM events ORDER BY id").to_arrow_table()
        different += differences(some, ours.sort_by("id"), theirs)
    assert different == []


def having(words: Words) -> str:
    """Return a query that keeps the events for which a condition holds; each is a group."""
    condition = re.sub(r"\ba\.(\w+)", r"MAX(a.\1)", words.ours)
    return f"PATTERN A a GROUP BY id RETURN COUNT(*) AS n HAVING {condition}"


def test_having_keeps_what_where_keeps() -> None:
    for words in predicates(60, seed=13):
        kept = cepheid.query(having(words)).run(TABLE, time="id").to_pylist()
        where = cepheid.query(f"PATTERN A a WHERE {words.ours} RETURN a.id AS id")
        wanted = {row["id"] for row in where.run(TABLE, time="id").to_pylist()}
        assert {row["id"] for row in kept} == wanted, words.ours


def differences(some: list[Words], ours: object, theirs: object) -> list[tuple[object, ...]]:
    different = []
    for number, words in enumerate(some):
        one = ours.column(f"p{number}").to_pylist()  # type: ignore[attr-defined]
        other = theirs.column(f"p{number}").to_pylist()  # type: ignore[attr-defined]
        different += [
            (words.ours, row, left, right)
            for row, (left, right) in enumerate(zip(one, other, strict=True))
            if left != right
        ]
    return different


def test_floats_are_spelled_as_by_duckdb() -> None:
    values = [0.1, 1e7, 1e15, 1e16, 1e-4, 1e-5, -0.0, 5e-324, 1.5e300, 1 / 3]
    known = pa.table({"id": range(13), "f": [*values, float("inf"), float("nan"), None]})
    rows = cepheid.query("PATTERN A a RETURN a.id, CAST(a.f AS STRING) AS t").run(known, time="id")
    theirs = duckdb.sql("SELECT id AS a_id, CAST(f AS VARCHAR) AS t FROM known ORDER BY id")
    assert rows.sort_by("a_id").to_pylist() == theirs.to_arrow_table().to_pylist()


def test_where_keeps_what_is_true() -> None:
    """In WHERE a condition is split into clauses, with NOT pushed down: the answer is the same."""
    for words in predicates(40, seed=11):
        listed = cepheid.query(f"PATTERN A a RETURN a.id AS id, {words.ours} AS p")
        answers = listed.run(TABLE, time="id").to_pylist()
        has_floats = "a.f" in words.ours or "a.g" in words.ours  # see one_event_predicates.py
        negated = [] if has_floats else [(f"NOT {words.ours}", False)]
        for condition, wanted in [(words.ours, True), *negated]:
            kept = cepheid.query(f"PATTERN A a WHERE {condition} RETURN a.id AS id")
            rows = {row["id"] for row in kept.run(TABLE, time="id").to_pylist()}
            assert rows == {row["id"] for row in answers if row["p"] is wanted}, condition
