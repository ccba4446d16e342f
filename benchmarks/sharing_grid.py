"""Twelve queries that share T+, for short and long bursts, and windows that overlap more and more.

Timed: from an Arrow table to all sums. The processor time is what counts: that of `dynamic` should
be at most 1.1 times the least of `alone`, `always` and `never`, at every point.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks import workloads
from benchmarks.contender import Benchmark, Contender
from benchmarks.in_memory import events_in_memory
from benchmarks.references import Answer
from benchmarks.run_cepheid import PACKAGES, require_executable

if TYPE_CHECKING:
    import cepheid

WINDOW = 1000
SLIDES = (1000, 250, 100)
WAYS = ("alone", "dynamic", "always", "never")


def queries(slide: int) -> list[str]:
    """Return the queries of a point of the grid."""
    types = workloads.GRID_TYPES
    return [
        f"PATTERN SEQ(X{each}, T+, X{(each + 1) % types}) WITHIN {WINDOW} SLIDE {slide} "
        "RETURN SUM(T.x)"
        for each in range(types)
    ]


@functools.cache
def _workload(slide: int) -> cepheid.Workload:
    import cepheid

    return cepheid.workload(queries(slide))


def _asker(burst: int, slide: int, way: str) -> Callable[[Path], list[pa.Table]]:
    def ask(path: Path) -> list[pa.Table]:
        events, roles = events_in_memory(path), {"time": "ts", "type": f"burst{burst}"}
        together = _workload(slide)
        if way == "alone":
            return [each.run(events, **roles) for each in together.queries.values()]
        return list(together.run(events, **roles, sharing=way).values())

    return ask


def _answer(tables: list[pa.Table]) -> Answer:
    """Return how many rows all queries have, of which windows, and how large their sums are."""
    starts = [pc.sum(each.column("window_start")).as_py() or 0 for each in tables]
    sums = (value for each in tables for value in each.columns[-1].to_pylist())
    sizes = (math.log2(1.0 + value) for value in sums)
    return sum(each.num_rows for each in tables), sum(starts), math.fsum(sizes)


def _contender(burst: int, slide: int, way: str) -> Contender:
    return Contender(
        f"Cepheid {way}, bursts of {burst}, slide {slide}",
        _asker(burst, slide, way),
        _answer,
        lambda: require_executable(queries(slide)[0]),
        packages=PACKAGES,
        reference=lambda path: _answer(_asker(burst, slide, "alone")(path)),
    )


SHARING_GRID = Benchmark(
    name="sharing-grid",
    question=f"{workloads.GRID_TYPES} queries SUM of SEQ(Xi, T+, Xj) in windows of {WINDOW:,}",
    workload=workloads.GRID,
    events=100_000,
    reference=None,
    contenders=tuple(
        _contender(burst, slide, way)
        for burst in workloads.GRID_BURSTS
        for slide in SLIDES
        for way in WAYS
    ),
    baseline=f"Cepheid dynamic, bursts of {workloads.GRID_BURSTS[0]}, slide {SLIDES[0]}",
)
