"""Counts alone of trends that are compared with the event before: doubles, low words, tiers."""

import math
import operator
import random
from collections import defaultdict
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from tests.engine.few_events import few_are

COMPARED = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "!=": operator.ne,
    "=": operator.eq,
}


def walk(seed: int, size: int, *, keys: int = 1, concurrent: int = 1, step: int = 5) -> pa.Table:
    """Prices that rise and fall by small steps; every 50th is far above all before it."""
    draw = random.Random(seed)
    price, prices = 0, []
    for index in range(size):
        price = index * step if index % 50 == 0 else price + draw.randint(-step, step)
        prices.append(price)
    return pa.table(
        {
            "ts": [index // concurrent for index in range(size)],
            "key": [draw.randrange(keys) for _ in range(size)],
            "price": prices,
        }
    )


def trends(events: pa.Table, symbol: str) -> dict[int, int]:
    """Return by key how many trends of one or more events there are."""
    holds = COMPARED[symbol]
    totals: dict[int, int] = defaultdict(int)
    seen: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for row in events.to_pylist():
        waiting = seen[row["key"]]
        found = 1 + sum(
            count
            for time, price, count in waiting
            if time < row["ts"] and holds(price, row["price"])
        )
        waiting.append((row["ts"], row["price"], found))
        totals[row["key"]] += found
    return totals


def run(text: str, events: pa.Table) -> list[dict[str, Any]]:
    """Return the rows; few events and many are counted in different ways, with one result."""
    result: pa.Table = cepheid.query(text).run(events, time="ts")
    with few_are(-1):
        assert cepheid.query(text).run(events, time="ts") == result
    return result.to_pylist()


@pytest.mark.parametrize("symbol", COMPARED)
@pytest.mark.parametrize(("keys", "concurrent"), [(1, 1), (3, 1), (2, 4)])
def test_every_comparison(symbol: str, keys: int, concurrent: int) -> None:
    events = walk(7, 120, keys=keys, concurrent=concurrent, step=2)
    text = f"PATTERN S s+ WHERE [key] AND s.price {symbol} NEXT(s).price"
    rows = run(f"{text} RETURN key, EXACT COUNT(*) AS exact GROUP BY key", events)
    assert {row["key"]: int(row["exact"]) for row in rows} == trends(events, symbol)


@pytest.mark.parametrize("size", [60, 300, 2500])
@pytest.mark.parametrize("concurrent", [1, 3])
def test_counts_of_every_size(size: int, concurrent: int) -> None:
    """Beyond 2^53 low words take over, beyond 2^1000 tiers."""
    events = walk(3, size, concurrent=concurrent)
    text = "PATTERN S s+ WHERE s.price >= NEXT(s).price"
    [expected] = trends(events, ">=").values()
    [row] = run(f"{text} RETURN LOG2(COUNT(*)) AS log2, EXACT COUNT(*) AS exact", events)
    assert int(row["exact"]) == expected
    assert row["log2"] == pytest.approx(math.log2(expected), rel=1e-12)
    [row] = run(f"{text} RETURN LOG2(COUNT(*)) AS log2", events)
    assert row["log2"] == pytest.approx(math.log2(expected), rel=1e-12)
    if expected < 2**63:
        assert run(f"{text} RETURN COUNT(*) AS n", events) == [{"n": expected}]


def test_small_counts_beside_large_ones_are_kept() -> None:
    """What begins anew above all before is not lost beside it, and outgrows it."""
    half = 1300
    prices = [*range(half, 0, -1), *range(3 * half, half + 1, -1)]
    events = pa.table({"ts": range(len(prices)), "key": [0] * len(prices), "price": prices})
    text = "PATTERN S s+ WHERE s.price > NEXT(s).price RETURN LOG2(COUNT(*)) AS log2"
    expected = (2**half - 1) + (2 ** (2 * half - 1) - 1)
    [row] = run(text, events)
    assert row["log2"] == pytest.approx(math.log2(expected), rel=1e-12)


@pytest.mark.parametrize("distance", [1, 10**6, 2**50])
def test_values_that_lie_far_apart(distance: int) -> None:
    events = walk(11, 100, keys=2)
    prices = [each * distance for each in events["price"].to_pylist()]
    far = events.set_column(2, "price", [prices])
    text = "PATTERN S s+ WHERE [key] AND s.price < NEXT(s).price RETURN COUNT(*) AS n"
    assert run(text, far) == [{"n": sum(trends(events, "<").values())}]


def test_values_whose_distance_leaves_64_bits() -> None:
    events = pa.table({"ts": range(3), "price": [2**63 - 1, 0, -(2**63)]})
    text = "PATTERN S s+ WHERE s.price > NEXT(s).price RETURN COUNT(*) AS n"
    assert run(text, events) == [{"n": 7}]


def test_windows_are_counted_apart() -> None:
    events = walk(5, 400)
    text = "PATTERN S s+ WHERE s.price > NEXT(s).price WITHIN 120 SLIDE 50"
    for row in run(f"{text} RETURN EXACT COUNT(*) AS n", events):
        start = max(row["window_start"], 0)
        [expected] = trends(events.slice(start, row["window_end"] - start), ">").values()
        assert int(row["n"]) == expected


def test_several_positions() -> None:
    """Sums of edges with and without a comparison, of every size."""
    size = 1500
    events = pa.table({"ts": range(size), "price": [0] * size})
    text = "PATTERN SEQ(S a+, S b+) WHERE a.price >= NEXT(a).price AND b.price = NEXT(b).price"
    # A trend of n events is cut in n - 1 places.
    expected = sum(math.comb(size, n) * (n - 1) for n in range(2, size + 1))
    [row] = run(f"{text} RETURN LOG2(COUNT(*)) AS log2, EXACT COUNT(*) AS exact", events)
    assert int(row["exact"]) == expected
    assert row["log2"] == pytest.approx(math.log2(expected), rel=1e-12)


def test_events_without_a_value() -> None:
    prices = [3, None, 2, 2, None, 1]
    events = pa.table({"ts": range(6), "price": pa.array(prices, pa.int64())})
    text = "PATTERN S s+ WHERE s.price > NEXT(s).price RETURN COUNT(*) AS n"
    # 6 events; 3 2, 3 2, 3 1, 2 1, 2 1, 3 2 1, 3 2 1.
    assert run(text, events) == [{"n": 13}]
