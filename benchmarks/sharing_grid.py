"""The points of the grid of workloads on which sharing is judged, and how a point is answered.

A point has queries `SEQ(Xi, T+, Xj)` that ask for one function of T.x. Bursts of T have a mean
length in every partition; so many windows overlap. HAMLET's three queries of figure 1 are four
points more: with the paper's partitions and with fewer, and with ten times as many events.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import cepheid
from benchmarks.references import Answer
from cepheid.generate.registry import generate

BURSTS, OVERLAPS = (1, 2, 4, 6, 12, 40), (1, 4, 10, 30)
FUNCTIONS = ("COUNT(*)", "SUM(T.x)", "MAX(T.x)", "AVG(T.x)")
PARTITIONS, QUERIES = (1, 8, 1000), (2, 12, 50)
TYPES = 12
MORE = 10  # times as many events of figure 1
EVENTS_OF_WINDOW = 1000  # of a partition; of all events a quarter, if there are fewer
WAYS = ("alone", "dynamic", "always", "never")
SEED = 17
Asker = Callable[[], list[pa.Table]]


@dataclass(frozen=True, slots=True)
class GridPoint:
    """A workload: its name, the queries, and the events for a number of them."""

    name: str
    queries: tuple[str, ...]
    events: Callable[[], pa.Table]
    roles: tuple[str, str]

    def askers(self) -> dict[str, Asker]:
        """Return by name every way to answer the queries."""
        workload, events = cepheid.workload(list(self.queries)), self.events()
        time, kind = self.roles

        def alone() -> list[pa.Table]:
            return [each.run(events, time=time, type=kind) for each in workload.queries.values()]

        def together(way: str) -> Asker:
            return lambda: list(workload.run(events, time=time, type=kind, sharing=way).values())

        return {"alone": alone} | {way: together(way) for way in WAYS[1:]}


def grid_points(events: int, most: int | None = None) -> list[GridPoint]:
    """Return all points, or so many of them, always the same ones."""
    settings = list(product(PARTITIONS, BURSTS, OVERLAPS, FUNCTIONS, QUERIES))
    if most is not None and most < len(settings):
        settings = sorted(random.Random(SEED).sample(settings, most), key=settings.index)
    return [grid_point(events, *each) for each in settings] + [
        _figure_1(count, each)
        for count in (events, MORE * events)
        for each in ("driver, rider", "district")
    ]


def grid_point(
    events: int, partitions: int, burst: int, overlap: int, function: str, queries: int
) -> GridPoint:
    """Return a point for so many events."""
    length = max(30, min(EVENTS_OF_WINDOW * partitions, events // 4))
    length -= length % overlap
    texts = tuple(
        f"PATTERN SEQ(X{first}, T+, X{last}) WHERE [k] WITHIN {length} SLIDE {length // overlap} "
        f"RETURN {function} AS n"
        for first, last in _pairs(queries)
    )
    name = (
        f"{function}, {queries} queries, bursts of {burst}, {overlap} windows, "
        f"{partitions} partition{'' if partitions == 1 else 's'}"
    )
    return GridPoint(name, texts, lambda: _events(events, partitions, burst), ("ts", "kind"))


def _pairs(count: int) -> Sequence[tuple[int, int]]:
    """Return the first and last types of queries, those that differ most first."""
    return [(each % TYPES, (each + 1 + each // TYPES) % TYPES) for each in range(count)]


@lru_cache(maxsize=2)
def _events(events: int, partitions: int, burst: int) -> pa.Table:
    """Return bursts of T in every partition; an X ends each of them."""
    draw = np.random.default_rng(SEED)
    ends = np.cumsum(draw.geometric(1 / burst, events) + 1) - 1
    ends = ends[ends < events]
    codes = np.full(events, TYPES, np.int8)
    codes[ends] = draw.integers(0, TYPES, ends.size)
    partition = draw.integers(0, partitions, events)
    order = np.argsort(partition, kind="stable")  # so that every partition has whole bursts
    kinds = np.empty_like(codes)
    kinds[order] = codes
    names = pa.array([*(f"X{number}" for number in range(TYPES)), "T"])
    return pa.table(
        {
            "ts": np.arange(events),
            "k": partition,
            "x": draw.integers(0, 100, events),
            "kind": pa.DictionaryArray.from_arrays(kinds, names),
        }
    )


def _figure_1(events: int, partition: str) -> GridPoint:
    texts = tuple(
        each.replace("[k]", f"[{partition}]")
        for each in (
            "RETURN district, COUNT(*) AS n, SUM(T.duration) AS s "
            "PATTERN SEQ(Request R, Travel T+, NOT Pickup P) WHERE [k] "
            "GROUP-BY district WITHIN 30 min SLIDE 1 min",
            "RETURN district, COUNT(*) AS n, AVG(T.speed) AS s "
            "PATTERN SEQ(Request R, Travel T+, Dropoff D) WHERE [k] AND R.type = 'Pool' "
            "GROUP-BY district WITHIN 30 min SLIDE 5 min",
            "RETURN district, COUNT(*) AS n, SUM(T.duration) AS s "
            "PATTERN SEQ(Request R, Travel T+, Cancel C) WHERE [k] AND T.speed < 10 "
            "GROUP-BY district WITHIN 20 min SLIDE 1 min",
        )
    )
    name = f"HAMLET figure 1, [{partition}], {events:,} events"
    return GridPoint(name, texts, lambda: _rides(events), ("time", "kind"))


@lru_cache(maxsize=1)
def _rides(events: int) -> pa.Table:
    return generate("ridesharing", events=events, seed=SEED)


def answer_of(tables: Sequence[pa.Table]) -> Answer:
    """Return how many rows all queries have, of which windows, and how large their values are.

    Infinite values are counted: beside them the sum of the others would say nothing.
    """
    starts = [pc.sum(each.column("window_start").cast(pa.int64())).as_py() or 0 for each in tables]
    values = (value for each in tables for value in each.columns[-1].to_pylist())
    sizes = [math.log2(1.0 + value) for value in values if value is not None]
    finite = [each for each in sizes if math.isfinite(each)]
    rows = sum(each.num_rows for each in tables)
    return rows, sum(starts), len(sizes) - len(finite), math.fsum(finite)
