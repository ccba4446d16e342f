"""W5: fifty queries that share a repeated type. Timed: from the Parquet file to all counts.

Cepheid runs the queries as a workload, with each way of sharing, and one by one on events that are
read once. The sum over all queries, windows and groups is compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import references, workloads
from benchmarks.contender import Benchmark, Contender
from benchmarks.peers import chdb, duckdb, numpy_pass
from benchmarks.references import Answer
from benchmarks.run_cepheid import PACKAGES, require_executable

if TYPE_CHECKING:
    import cepheid

COLUMNS = ("ts", "etype", "grp")
WAYS = {"Cepheid": "dynamic", "Cepheid, always": "always", "Cepheid, never": "never"}
QUERIES = tuple(
    f"PATTERN SEQ(X{each} x, T t+, Y{each} y) WHERE skip_till_any_match AND [grp] "
    "WITHIN 1000 SLIDE 1000 RETURN COUNT(*) GROUP BY grp"
    for each in range(workloads.W5_QUERIES)
)


def _run(path: Path) -> list[pa.Table]:
    import cepheid

    events = pq.read_table(path, columns=list(COLUMNS))
    return [cepheid.query(text).run(events, time="ts", type="etype") for text in QUERIES]


@cache
def _workload() -> cepheid.Workload:
    import cepheid

    return cepheid.workload(QUERIES)


def _together(sharing: str) -> Callable[[Path], list[pa.Table]]:
    def run(path: Path) -> list[pa.Table]:
        return list(_workload().run(path, time="ts", type="etype", sharing=sharing).values())

    return run


def _sum_of_counts(tables: list[pa.Table]) -> Answer:
    return (math.fsum(value for each in tables for value in each.column("count").to_pylist()),)


def _answer(result: pa.Table) -> Answer:
    return (float(result.column(0)[0].as_py() or 0),)


W5 = Benchmark(
    name="w5",
    question="50 queries COUNT of SEQ(Xi, T+, Yi) per group, windows of 1000, skip-till-any",
    workload=workloads.W5,
    events=1_000_000,
    reference=references.w5,
    contenders=(
        *(
            Contender(
                name,
                _together(sharing),
                _sum_of_counts,
                lambda: require_executable(QUERIES[0]),
                packages=PACKAGES,
            )
            for name, sharing in WAYS.items()
        ),
        Contender(
            "Cepheid, one by one",
            _run,
            _sum_of_counts,
            lambda: require_executable(QUERIES[0]),
            packages=PACKAGES,
        ),
        duckdb.duckdb("closed form", duckdb.W5_CLOSED_FORM, _answer),
        chdb.chdb("fold", chdb.W5_FOLD, _answer),
        numpy_pass.bare_pass(COLUMNS),
    ),
    baseline="Cepheid",
)
