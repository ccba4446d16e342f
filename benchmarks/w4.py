"""W4: contiguous runs with a rising value. Timed: from the Parquet file to two numbers.

The numbers are how many runs there are and the sum of cpu over their Loads. `w4-matches` asks for
the runs themselves, with lists of the times and the cpu of their Loads.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks import references, workloads
from benchmarks.contender import Benchmark
from benchmarks.peers import chdb, duckdb, flink, numpy_pass, polars
from benchmarks.references import Answer
from benchmarks.run_cepheid import cepheid_local

QUERY = """
PATTERN SEQ(S s, L l+, E e) SEMANTICS contiguous
WHERE [mapper] AND l.cpu < NEXT(l).cpu
RETURN COUNT(*), SUM(l.cpu)
"""
MATCHES = """
PATTERN SEQ(S s, L l+, E e) SEMANTICS contiguous
WHERE [mapper] AND l.cpu < NEXT(l).cpu
RETURN s.mapper AS mapper, s.ts AS start, l.ts AS loads, l.cpu AS cpu, e.ts AS end
"""
COLUMNS = ("ts", "etype", "mapper", "cpu")


def answer_of_numbers(result: pa.Table) -> Answer:
    """Return the only row."""
    return tuple(int(column[0].as_py() or 0) for column in result.columns)


def _answer_of_matches(result: pa.Table) -> Answer:
    return result.num_rows, int(pc.sum(pc.list_flatten(result["cpu"])).as_py() or 0)


W4_MATCHES = Benchmark(
    name="w4-matches",
    question="all contiguous SEQ(Start, Load+, End) with rising cpu per mapper",
    workload=workloads.W4,
    events=1_000_000,
    reference=references.w4,
    contenders=(
        cepheid_local(MATCHES, _answer_of_matches),
        duckdb.duckdb("islands", duckdb.W4_MATCHES, _answer_of_matches),
        polars.polars("islands", polars.w4_matches, _answer_of_matches),
        numpy_pass.bare_pass(COLUMNS),
    ),
    baseline="Cepheid",
)
W4 = Benchmark(
    name="w4",
    question="COUNT and SUM(cpu) of contiguous SEQ(Start, Load+, End) with rising cpu per mapper",
    workload=workloads.W4,
    events=1_000_000,
    reference=references.w4,
    contenders=(
        cepheid_local(QUERY, answer_of_numbers),
        duckdb.duckdb("islands", duckdb.W4_ISLANDS, answer_of_numbers),
        polars.polars("islands", polars.w4_islands, answer_of_numbers),
        chdb.chdb("fold", chdb.W4_FOLD, answer_of_numbers, most_events=100_000),
        flink.flink("w4"),
        numpy_pass.bare_pass(COLUMNS),
    ),
    baseline="Cepheid",
)
