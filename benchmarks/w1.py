"""W1: all matches of a sequence. Timed: from the Parquet file to a table of matches.

Every contender returns the id and the times of A, B and C of every match. `Cepheid, all columns`
runs the query without RETURN, whose result has every column of every event of a match.
"""

from __future__ import annotations

import pyarrow as pa

from benchmarks import references
from benchmarks.contender import Benchmark, Contender
from benchmarks.peers import chdb, duckdb, flink, numpy_pass, polars
from benchmarks.references import Answer, summarize
from benchmarks.run_cepheid import cepheid_local
from benchmarks.workloads import W1_DENSE, W1_SPARSE, Workload

QUERY = "PATTERN SEQ(A a, B b, C c) WHERE [id] WITHIN 1001"  # c.ts - a.ts <= 1000
RETURNED = "RETURN a.id, a.ts, b.ts, c.ts"
COLUMNS = ("ts", "etype", "id")


def answer_of_all_columns(result: pa.Table) -> Answer:
    """Look at the columns that the others return."""
    return summarize(result.select(["a_id", "a_ts", "b_ts", "c_ts"]))


def _contenders(*, dense: bool) -> tuple[Contender, ...]:
    few, some = (50_000, 200_000) if dense else (None, None)
    return (
        cepheid_local(f"{QUERY} {RETURNED}", summarize),
        cepheid_local(QUERY, answer_of_all_columns, name="Cepheid, all columns"),
        duckdb.duckdb("time buckets", duckdb.W1_BUCKETS, summarize),
        duckdb.duckdb("plain join", duckdb.W1_PLAIN, summarize, most_events=few),
        polars.polars("time buckets", polars.w1_buckets, summarize),
        polars.polars("plain join", polars.w1_plain, summarize, most_events=some),
        chdb.chdb("time buckets", chdb.W1_BUCKETS, summarize),
        flink.flink("w1"),
        numpy_pass.bare_pass(COLUMNS),
    )


def _benchmark(name: str, workload: Workload, ids: int, *, dense: bool) -> Benchmark:
    return Benchmark(
        name=name,
        question=f"all matches of SEQ(A, B, C) of one id within 1000; 20 types, {ids} ids",
        workload=workload,
        events=1_000_000,
        reference=references.w1,
        contenders=_contenders(dense=dense),
        baseline="Cepheid",
    )


W1 = (
    _benchmark("w1-sparse", W1_SPARSE, 1000, dense=False),
    _benchmark("w1-dense", W1_DENSE, 20, dense=True),
)
