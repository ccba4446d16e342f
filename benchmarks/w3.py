"""W3: how many trends of falling prices. Timed: from the Parquet file to one number.

The number is compared as its logarithm: it has 78 digits at 20,000 events.
"""

from __future__ import annotations

import pyarrow as pa

from benchmarks import references, workloads
from benchmarks.contender import Benchmark
from benchmarks.peers import chdb, duckdb, numpy_pass
from benchmarks.references import Answer
from benchmarks.run_cepheid import cepheid_local

QUERY = """
PATTERN S s+ WHERE skip_till_any_match AND [company] AND s.price > NEXT(s).price
RETURN LOG2(COUNT(*))
"""
COLUMNS = ("ts", "company", "price")


def _answer(result: pa.Table) -> Answer:
    return (float(result.column(0)[0].as_py()),)


W3 = Benchmark(
    name="w3",
    question="COUNT of trends of falling prices per company, skip-till-any, no window",
    workload=workloads.W3,
    events=20_000,
    reference=references.w3,
    contenders=(
        cepheid_local(QUERY, _answer, type=None),
        duckdb.duckdb("recursive", duckdb.W3_RECURSIVE, _answer, most_events=500),
        chdb.chdb("fold", chdb.W3_FOLD, _answer, most_events=50_000),
        numpy_pass.bare_pass(COLUMNS),
    ),
    baseline="Cepheid",
)
