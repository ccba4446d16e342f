"""W2 on local Spark: a count per id and window, nothing kept but a number per position.

Timed: from the Parquet file to an Arrow table in the driver, with a session that runs already. The
bare jobs are those of `benchmarks/spark_w1.py`.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from benchmarks import references
from benchmarks.contender import Benchmark
from benchmarks.on_spark import SORTED, bare_jobs, events_of, session, spark_contender
from benchmarks.w2 import COLUMNS, QUERY, answer_of_windows
from benchmarks.workloads import W2


def _cepheid(path: Path, *, packed: bool = False) -> pa.Table:
    import cepheid

    query = cepheid.query(QUERY)
    return query.run(events_of(path), time="ts", type="etype", packed=packed).toArrow()


SPARK_TYPE_GRAINED = Benchmark(
    name="spark-type-grained",
    question="W2 on local Spark: COUNT of SEQ(A, B, C) per id in sliding windows; 20 types, 20 ids",
    workload=W2,
    events=1_000_000,
    reference=references.w2,
    contenders=(
        spark_contender("Cepheid on Spark", _cepheid, answer_of_windows),
        spark_contender(
            "Cepheid, packed", lambda path: _cepheid(path, packed=True), answer_of_windows
        ),
        *bare_jobs(COLUMNS, ("A", "B", "C"), key="id"),
    ),
    baseline=SORTED,
    around=session,
    counts_cpu=False,
)
