"""W4 on local Spark: contiguous runs with a rising value, as two numbers.

Timed: from the Parquet file to an Arrow table in the driver, with a session that runs already. The
bare jobs are those of `benchmarks/spark_w1.py`; all types are relevant, so there is no third one.
Flink's time leaves out its start, see `benchmarks/peers/flink_sql.py`.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from benchmarks import references, workloads
from benchmarks.contender import Benchmark
from benchmarks.on_spark import SORTED, bare_jobs, events_of, session, spark_contender
from benchmarks.peers.flink_sql import W4, flink_sql
from benchmarks.w4 import COLUMNS, QUERY, answer_of_numbers


def _cepheid(path: Path, *, packed: bool = False) -> pa.Table:
    import cepheid

    query = cepheid.query(QUERY)
    return query.run(events_of(path), time="ts", type="etype", packed=packed).toArrow()


SPARK_W4 = Benchmark(
    name="spark-w4",
    question="W4 on local Spark: COUNT and SUM(cpu) of contiguous runs with rising cpu per mapper",
    workload=workloads.W4,
    events=1_000_000,
    reference=references.w4,
    contenders=(
        spark_contender("Cepheid on Spark", _cepheid, answer_of_numbers),
        spark_contender(
            "Cepheid, packed", lambda path: _cepheid(path, packed=True), answer_of_numbers
        ),
        flink_sql(W4),
        *bare_jobs(COLUMNS, ("S", "L", "E"), key="mapper")[:2],
    ),
    baseline=SORTED,
    around=session,
    counts_cpu=False,
)
