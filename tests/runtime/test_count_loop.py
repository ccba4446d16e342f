"""Counts of one repetition straight from a stream in order are those of the general way."""

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pytest

import cepheid
from cepheid.plan.planner import make_plan
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.lower import lower
from cepheid.runtime.aggregate.count_loop import MOST_EVENTS, MOST_PLACES, count_loop_rows
from cepheid.runtime.event_schema import ColumnRoles, event_schema
from tests.runtime.test_counted import trends, walk

REPETITION = "PATTERN S s+ WHERE [key] AND s.price {} NEXT(s).price"


def rows(text: str, events: pa.Table, **roles: str) -> list[dict[str, Any]]:
    result: pa.Table = cepheid.query(text).run(events, time="ts", **roles)
    return result.to_pylist()


def is_taken(text: str, events: pa.Table, **roles: str) -> bool:
    """Whether the stream is counted as it comes."""
    schema = event_schema(events.schema, ColumnRoles("ts", **roles))
    program = lower(make_plan(cepheid.query(text).bind(schema)))
    assert isinstance(program.output, AggregateOutput)
    columns = dict(zip(events.column_names, events.columns, strict=True))
    assert not program.output.wants_low
    return count_loop_rows(program, columns, events.num_rows) is not None


def reversed_rows(events: pa.Table) -> pa.Table:
    return events.take(pa.array(range(events.num_rows - 1, -1, -1)))


@pytest.mark.parametrize("symbol", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("keys", [1, 3, 40])
def test_every_comparison(symbol: str, keys: int) -> None:
    events = walk(5, 90, keys=keys, step=2)
    text = REPETITION.format(symbol) + " RETURN key, COUNT(*) AS n GROUP BY key"
    assert is_taken(text, events)
    found = rows(text, events)
    assert {row["key"]: row["n"] for row in found} == trends(events, symbol)
    assert found == rows(text, reversed_rows(events))


def test_groups_of_several_partitions() -> None:
    events = walk(5, 90, keys=6, step=2)
    team = pa.array([f"t{key % 2}" for key in events["key"].to_pylist()])
    events = events.append_column("team", team)
    text = "PATTERN S s+ WHERE [key, team] AND s.price > NEXT(s).price RETURN team, COUNT(*) AS n"
    text += " GROUP BY team"
    assert is_taken(text, events)
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
    assert is_taken(text, events)
    found = rows(text, events)
    expected = {}
    for start in range(-60, 90, 30):
        inside = (pa.compute.field("ts") >= start) & (pa.compute.field("ts") < start + 30)
        own = trends(events.filter(inside), ">")
        expected |= {(start, start + 30, key): count for key, count in own.items()}
    shown = {(row["window_start"], row["window_end"], row["key"]): row["n"] for row in found}
    assert shown == expected
    order = sorted(found, key=str)
    assert order == sorted(rows(text, reversed_rows(events)), key=str)


@pytest.mark.parametrize(
    "window", ["WITHIN 30 SLIDE 10", "WITHIN 1 SLIDE 1", "WITHIN 9 EVENTS SLIDE 9 EVENTS"]
)
def test_other_windows_take_the_general_way(window: str) -> None:
    events = walk(5, 90, step=20)
    text = f"{REPETITION.format('>')} {window} RETURN COUNT(*) AS n"
    assert not is_taken(text, events)


def test_times_at_the_limits_of_windows_take_the_general_way() -> None:
    events = pa.table({"ts": [1, 2**63 - 5], "key": [1, 1], "price": [3, 2]})
    assert not is_taken(
        f"{REPETITION.format('>')} WITHIN {2**61} SLIDE {2**61} RETURN COUNT(*) AS n", events
    )


def test_types_and_conditions() -> None:
    events = walk(5, 90, step=2)
    draw = random.Random(1)
    kinds = pa.array([draw.choice("SST") for _ in range(90)])
    events = events.append_column("kind", kinds)
    text = "PATTERN S s+ WHERE s.ts > 9 AND s.price > NEXT(s).price RETURN COUNT(*) AS n"
    assert is_taken(text, events, type="kind")
    is_late = [ts > 9 for ts in events["ts"].to_pylist()]
    fits = [late and kind == "S" for late, kind in zip(is_late, kinds.to_pylist(), strict=True)]
    chosen = events.filter(pa.array(fits))
    [expected] = trends(chosen, ">").values()
    assert rows(text, events, type="kind") == [{"n": expected}]


def test_two_attributes() -> None:
    """Ranges of both count."""
    events = pa.table({"ts": [1, 2, 3, 4], "bid": [1, 2, 3, 4], "ask": [50, 1, 3, 9]})
    text = "PATTERN S s+ WHERE s.bid < NEXT(s).ask RETURN COUNT(*) AS n"
    assert is_taken(text, events)
    assert rows(text, events) == rows(text, reversed_rows(events)) == [{"n": 11}]


@pytest.mark.parametrize("kind", [pa.int8(), pa.int32()])
def test_narrow_integers(kind: pa.DataType) -> None:
    events = pa.table({"ts": [1, 2, 3], "price": pa.array([3, 127, -120], kind)})
    text = "PATTERN S s+ WHERE s.price > NEXT(s).price RETURN COUNT(*) AS n"
    assert is_taken(text, events)
    assert rows(text, events) == [{"n": 5}]


@pytest.mark.parametrize(("size", "is_small"), [(200, True), (900, True), (1100, False)])
def test_counts_of_every_size(size: int, is_small: bool) -> None:
    """Falling prices have a trend for every choice of events; what is beyond 2^1000 has tiers."""
    events = pa.table({"ts": range(size), "price": range(size, 0, -1)})
    text = "PATTERN S s+ WHERE s.price > NEXT(s).price RETURN LOG2(COUNT(*)) AS n"
    assert is_taken(text, events) == is_small
    assert rows(text, events) == [{"n": pytest.approx(size, rel=1e-12)}]


@pytest.mark.parametrize(
    "changed",
    [
        {"ts": [1, 3, 2]},
        {"ts": [1, 2, 2]},
        {"ts": [-(2**63), 1, 2]},
        {"price": [1, None, 3]},
        {"price": [1.0, 2.0, 3.0]},
        {"price": [0, MOST_PLACES, 1]},
        {"price": [-(2**63), 2**63 - 1, 1]},
        {"key": [1, None, 1]},
    ],
)
def test_what_takes_the_general_way(changed: dict[str, list[Any]]) -> None:
    events = pa.table({"ts": [1, 2, 3], "key": [1, 1, 1], "price": [3, 2, 1]} | changed)
    assert not is_taken(REPETITION.format(">") + " RETURN COUNT(*) AS n", events)


def test_many_events_take_the_general_way() -> None:
    count = MOST_EVENTS + 1
    events = pa.table(
        {"ts": np.arange(count), "key": np.zeros(count, int), "price": np.arange(count) % 7}
    )
    assert not is_taken(REPETITION.format(">") + " RETURN LOG2(COUNT(*)) AS n", events)


def test_no_events() -> None:
    events = walk(1, 1).slice(0, 0)
    assert rows(REPETITION.format(">") + " RETURN COUNT(*) AS n", events) == []
