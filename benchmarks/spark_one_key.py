"""A count without partitions on local Spark: in ranges of time on all tasks, or in one task.

Timed: from the Parquet file to an Arrow table in the driver, with a session that runs already. The
events are those of W2, of all ids together: one key, so that a shuffle by key would leave one task
with all the work. Ranges of time are folded on all tasks, windows across their borders composed.
"""

from __future__ import annotations

import functools
from pathlib import Path

import pyarrow as pa

from benchmarks import references
from benchmarks.contender import Benchmark
from benchmarks.on_spark import events_of, session, spark_contender
from benchmarks.references import Answer, summarize
from benchmarks.workloads import W2

SEQUENCE = "ABCDEFGH"  # with averages, so that there is more to fold than to shuffle
QUERY = f"""
PATTERN SEQ({", ".join(SEQUENCE)}) WITHIN 1000 SLIDE 100
RETURN COUNT(*) AS n, AVG(A.v) AS first, AVG(H.v) AS last
"""


def _cepheid(path: Path, *, in_ranges: bool) -> pa.Table:
    import cepheid

    query = cepheid.query(QUERY)
    found = query.run(events_of(path), time="ts", type="etype", parallel_in_time=in_ranges)
    return found.toArrow()


def _answer(result: pa.Table) -> Answer:
    rows, starts, total = summarize(result.select(["window_start", "n"]))
    return rows, starts, 0, total


SPARK_ONE_KEY = Benchmark(
    name="spark-one-key",
    question=f"COUNT of {len(SEQUENCE)} types in a row, of all ids together, in windows, on Spark",
    workload=W2,
    events=4_000_000,
    reference=functools.partial(references.w2_one_key, sequence=SEQUENCE),
    contenders=(
        spark_contender("Cepheid on Spark", functools.partial(_cepheid, in_ranges=True), _answer),
        spark_contender("Cepheid, one task", functools.partial(_cepheid, in_ranges=False), _answer),
    ),
    baseline="Cepheid, one task",
    around=session,
    counts_cpu=False,
)
