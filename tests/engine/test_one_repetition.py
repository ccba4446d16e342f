"""Counts of one repetition whose neighbours compare one number, in any order of the rows."""

import random
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pytest

import cepheid
from tests.engine.few_events import few_are
from tests.engine.test_counted import trends, walk

REPETITION = "PATTERN S s+ WHERE [key] AND s.price {} NEXT(s).price"


def rows(text: str, events: pa.Table, **roles: str) -> list[dict[str, Any]]:
    """Return the rows of the result; few events and many have one result, in any order."""
    query = cepheid.query(text)
    found: list[dict[str, Any]] = query.run(events, time="ts", **roles).to_pylist()
    backwards = events.take(pa.array(range(events.num_rows - 1, -1, -1), pa.int64()))
    with few_are(-1):
        for table in (events, backwards):
            again = query.run(table, time="ts", **roles).to_pylist()
            assert sorted(again, key=str) == sorted(found, key=str)
    return found


@pytest.mark.parametrize("symbol", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("keys", [1, 3, 40])
def test_every_comparison(symbol: str, keys: int) -> None:
    events = walk(5, 90, keys=keys, step=2)
    text = REPETITION.format(symbol) + " RETURN key, COUNT(*) AS n GROUP BY key"
    assert {row["key"]: row["n"] for row in rows(text, events)} == trends(events, symbol)


def test_groups_of_several_partitions() -> None:
    events = walk(5, 90, keys=6, step=2)
    team = pa.array([f"t{key % 2}" for key in events["key"].to_pylist()])
    events = events.append_column("team", team)
    text = "PATTERN S s+ WHERE [key, team] AND s.price > NEXT(s).price RETURN team, COUNT(*) AS n"
    text += " GROUP BY team"
    by_key = trends(events, ">")
    expected = [sum(n for key, n in by_key.items() if key % 2 == each) for each in (0, 1)]
    assert sorted((row["team"], row["n"]) for row in rows(text, events)) == [
        ("t0", expected[0]),
        ("t1", expected[1]),
    ]


@pytest.mark.parametrize("keys", [1, 3])
@pytest.mark.parametrize("origin", [0, -50])
def test_windows_that_do_not_overlap(keys: int, origin: int) -> None:
    events = walk(5, 90, keys=keys, step=2)
    shifted = pa.compute.add(events["ts"], origin)
    events = events.set_column(0, "ts", shifted).filter(
        (pa.compute.field("ts") < origin + 20) | (pa.compute.field("ts") > origin + 55)
    )
    text = REPETITION.format(">") + " WITHIN 30 SLIDE 30 RETURN key, COUNT(*) AS n GROUP BY key"
    expected = {}
    for start in range(-60, 90, 30):
        inside = (pa.compute.field("ts") >= start) & (pa.compute.field("ts") < start + 30)
        own = trends(events.filter(inside), ">")
        expected |= {(start, start + 30, key): count for key, count in own.items()}
    found = rows(text, events)
    shown = {(row["window_start"], row["window_end"], row["key"]): row["n"] for row in found}
    assert shown == expected


def test_types_and_conditions() -> None:
    events = walk(5, 90, step=2)
    draw = random.Random(1)
    kinds = pa.array([draw.choice("SST") for _ in range(90)])
    events = events.append_column("kind", kinds)
    text = "PATTERN S s+ WHERE s.ts > 9 AND s.price > NEXT(s).price RETURN COUNT(*) AS n"
    is_late = [ts > 9 for ts in events["ts"].to_pylist()]
    fits = [late and kind == "S" for late, kind in zip(is_late, kinds.to_pylist(), strict=True)]
    [expected] = trends(events.filter(pa.array(fits)), ">").values()
    assert rows(text, events, type="kind") == [{"n": expected}]


def test_two_attributes() -> None:
    """Ranges of both count."""
    events = pa.table({"ts": [1, 2, 3, 4], "bid": [1, 2, 3, 4], "ask": [50, 1, 3, 9]})
    text = "PATTERN S s+ WHERE s.bid < NEXT(s).ask RETURN COUNT(*) AS n"
    assert rows(text, events) == [{"n": 11}]


@pytest.mark.parametrize("kind", [pa.int8(), pa.int32()])
def test_narrow_integers(kind: pa.DataType) -> None:
    events = pa.table({"ts": [1, 2, 3], "price": pa.array([3, 127, -120], kind)})
    text = "PATTERN S s+ WHERE s.price > NEXT(s).price RETURN COUNT(*) AS n"
    assert rows(text, events) == [{"n": 5}]


@pytest.mark.parametrize("size", [200, 900, 1100])
def test_counts_of_every_size(size: int) -> None:
    """Falling prices have a trend for every choice of events; what is beyond 2^1000 has tiers."""
    events = pa.table({"ts": range(size), "price": range(size, 0, -1)})
    text = "PATTERN S s+ WHERE s.price > NEXT(s).price RETURN LOG2(COUNT(*)) AS n"
    assert rows(text, events) == [{"n": pytest.approx(size, rel=1e-12)}]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"ts": [1, 3, 2]}, 7 - 2),
        ({"ts": [1, 2, 2]}, 7 - 2),
        ({"ts": [1 - 2**63, 1, 2]}, 7),
        ({"price": [1, None, 3]}, 3),
        ({"price": [3.0, 2.0, 1.0]}, 7),
        ({"price": [2**63 - 1, 1, -(2**63)]}, 7),
        ({"key": [1, None, 1]}, 3),
    ],
)
def test_unusual_columns(changed: dict[str, list[Any]], expected: int) -> None:
    """Three falling prices have 7 trends, unless something keeps two of them apart."""
    events = pa.table({"ts": [1, 2, 3], "key": [1, 1, 1], "price": [3, 2, 1]} | changed)
    assert rows(REPETITION.format(">") + " RETURN COUNT(*) AS n", events) == [{"n": expected}]


def test_no_events() -> None:
    events = walk(1, 1).slice(0, 0)
    assert rows(REPETITION.format(">") + " RETURN COUNT(*) AS n", events) == []
