"""W2: counts per sliding window. Timed: from the Parquet file to a table of windows.

Every contender returns the start of the window, the id and the count where it is not zero.
"""

from __future__ import annotations

import pyarrow as pa

from benchmarks import references, workloads
from benchmarks.contender import Benchmark
from benchmarks.peers import chdb, duckdb, numpy_pass, polars
from benchmarks.references import Answer, summarize
from benchmarks.run_cepheid import cepheid_local

QUERY = """
PATTERN SEQ(A, B, C) WHERE [id] WITHIN 1000 SLIDE 100
RETURN COUNT(*) GROUP BY id
"""
COLUMNS = ("ts", "etype", "id")


def answer_of_windows(result: pa.Table) -> Answer:
    """Look at the columns that the others return."""
    return summarize(result.select(["window_start", "id", "count"]))


W2 = Benchmark(
    name="w2",
    question="COUNT of SEQ(A, B, C) per id, windows of 1000 every 100; 20 types, 20 ids",
    workload=workloads.W2,
    events=1_000_000,
    reference=references.w2,
    contenders=(
        cepheid_local(QUERY, answer_of_windows),
        duckdb.duckdb("prefix sums", duckdb.W2_PREFIX_SUMS, answer_of_windows),
        duckdb.duckdb("plain join", duckdb.W2_PLAIN, answer_of_windows, most_events=100_000),
        polars.polars("prefix sums", polars.w2_prefix_sums, answer_of_windows),
        chdb.chdb("fold", chdb.W2_FOLD, answer_of_windows),
        numpy_pass.bare_pass(COLUMNS),
    ),
    baseline="Cepheid",
)
