"""Conditions on several events: on two they mean what DuckDB says, on a block what Python says.

Neither reads our own analysis of a query, as the oracle does.
"""

import datetime
import random
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import pytest

import cepheid
from tests.oracle.arithmetic import compare
from tests.properties.two_event_conditions import COMPARISONS, Words, conditions, events

TABLE = events()
COUNT, AT_ONCE = 160, 40
PAIRS = "FROM events a, events b WHERE a.kind = 'A' AND b.kind = 'B' AND a.id < b.id"
Row = dict[str, Any]


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.register("events", TABLE)
    return connection


def run(text: str) -> list[Row]:
    rows: list[Row] = cepheid.query(text).run(TABLE, time="id", type="kind").to_pylist()
    return rows


def test_in_return(connection: duckdb.DuckDBPyConnection) -> None:
    found = conditions(COUNT)
    different: list[tuple[Any, ...]] = []
    for start in range(0, COUNT, AT_ONCE):
        some = found[start : start + AT_ONCE]
        listed = ", ".join(f"{each.ours} AS c{number}" for number, each in enumerate(some))
        rows = run(f"PATTERN SEQ(A a, B b) RETURN a.id AS a, b.id AS b, {listed}")
        ours = {(row["a"], row["b"]): list(row.values())[2:] for row in rows}
        listed = ", ".join(each.duckdb for each in some)
        for one, other, *theirs in connection.sql(
            f"SELECT a.id, b.id, {listed} {PAIRS}"
        ).fetchall():
            different += [
                (words.ours, one, other, left, right)
                for words, left, right in zip(some, ours[one, other], theirs, strict=True)
                if left != right
            ]
    assert different == []


def test_in_where(connection: duckdb.DuckDBPyConnection) -> None:
    for words in conditions(40, seed=11):
        rows = run(f"PATTERN SEQ(A a, B b) WHERE {words.ours} RETURN a.id AS a, b.id AS b")
        theirs = connection.sql(f"SELECT a.id, b.id {PAIRS} AND {words.duckdb}").fetchall()
        assert {(row["a"], row["b"]) for row in rows} == set(theirs), words.ours


# --- a block --------------------------------------------------------------------------------------

Known = Callable[[Sequence[Any], Any], Any]  # of the values of a[] and of b


def known(values: Sequence[Any]) -> list[Any]:
    return [each for each in values if each is not None]


def second(values: Sequence[Any]) -> Any:
    return values[1] if len(values) > 1 else None


def of_known(function: Callable[[list[Any]], Any]) -> Callable[[Sequence[Any]], Any]:
    return lambda values: function(known(values)) if known(values) else None


def draw_block_test(draw: random.Random) -> tuple[Words, str, Known]:
    """Return a test, the column that it reads, and what Python says of it."""
    column = draw.choice(("n", "f", "d", "g", "s", "t", "day"))
    sign, number = draw.choice(COMPARISONS), draw.randint(0, 3)
    counts: dict[str, Callable[[Sequence[Any]], Any]] = {
        f"count(a[].{column})": lambda values: len(known(values)),
        f"count(DISTINCT a[].{column})": lambda values: len(set(known(values))),
    }
    single: dict[str, Callable[[Sequence[Any]], Any]] = {
        f"min(a[].{column})": of_known(min),
        f"max(a[].{column})": of_known(max),
        f"a[1].{column}": lambda values: values[0],
        f"a[2].{column}": second,
        f"nth(a[].{column}, 2)": second,
        f"last(a[].{column})": lambda values: values[-1],
    }
    sums: dict[str, Callable[[Sequence[Any]], Any]] = {
        f"sum(a[].{column})": of_known(sum),
        f"median(a[].{column})": of_known(statistics.median),
    }
    kinds = ["count", "single", "distinct"]
    kinds += ["sum"] if column in "nf" else []
    kinds += ["length"] * 2 if column == "t" else []
    match draw.choice(kinds):
        case "count":
            text, function = draw.choice(list(counts.items()))
            return (Words(f"{text} {sign} {number}", ""), column,
                    lambda values, _: compare(sign, function(values), number))  # fmt: skip
        case "sum":
            text, function = draw.choice(list(sums.items()))
            return (Words(f"{text} {sign} {number}", ""), column,
                    lambda values, _: compare(sign, function(values), number))  # fmt: skip
        case "length":
            text, function = draw.choice([each for each in single.items() if "nth" not in each[0]])
            minutes = datetime.timedelta(minutes=number)
            return (Words(f"b.t - {text} {sign} {number} minutes", ""), column,
                    lambda values, b: _of_length(sign, function(values), b, minutes))  # fmt: skip
        case "distinct":
            text, function = draw.choice(list(single.items()))
            return (Words(f"{text} IS DISTINCT FROM b.{column}", ""), column,
                    lambda values, b: function(values) != b)  # fmt: skip
        case _:
            text, function = draw.choice(list(single.items()))
            return (Words(f"{text} {sign} b.{column}", ""), column,
                    lambda values, b: compare(sign, function(values), b))  # fmt: skip


def _of_length(sign: str, one: Any, other: Any, length: datetime.timedelta) -> bool | None:
    return None if None in (one, other) else compare(sign, other - one, length)


def test_functions_of_a_block() -> None:
    draw = random.Random(3)
    tests = [draw_block_test(draw) for _ in range(80)]
    pattern = "PATTERN SEQ(A+ a, B b) SEMANTICS contiguous"
    listed = ", ".join(f"{test[0].ours} AS c{number}" for number, test in enumerate(tests))
    rows = {(*row["a"], row["b"]): row
            for row in run(f"{pattern} RETURN a.id AS a, b.id AS b, {listed}")}  # fmt: skip
    assert max(map(len, rows)) > 2
    by_id = {row["id"]: row for row in TABLE.to_pylist()}
    for number, (words, column, says) in enumerate(tests):
        wanted = {ids: says([by_id[each][column] for each in ids[:-1]], by_id[ids[-1]][column])
                  for ids in rows}  # fmt: skip
        assert {ids: row[f"c{number}"] for ids, row in rows.items()} == wanted, words.ours
        if number % 4 == 0:
            kept = run(f"{pattern} WHERE {words.ours} RETURN a.id AS a, b.id AS b")
            found = {(*row["a"], row["b"]) for row in kept}
            assert found == {ids for ids, each in wanted.items() if each is True}, words.ours
