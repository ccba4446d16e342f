"""W1 on local Spark. Timed: from the Parquet file to an Arrow table in the driver.

The session is started before. `bare job` is what Cepheid's plan costs without Cepheid: scan, drop
other types, shuffle by id and hand the events to Python, which counts them. `bare job, sorted` has
Spark sort them by id and time too, which Cepheid does itself: what it may cost is measured by that.
`bare job, all types` shuffles every event. `Cepheid, packed` shuffles packets of events.
`Cepheid, next match` and Flink SQL answer another question: one match per A, with the next B and
the next C. Flink's time leaves out its start, see `benchmarks/peers/flink_sql.py`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa

from benchmarks import references
from benchmarks.contender import Benchmark, Contender
from benchmarks.on_spark import SORTED, bare_jobs, events_of, session, spark_contender
from benchmarks.peers.flink_sql import W1_NEXT, flink_sql
from benchmarks.w1 import COLUMNS, QUERY, RETURNED
from benchmarks.workloads import W1_DENSE, W1_SPARSE, Workload

BUCKETS = """
WITH a AS (SELECT id, ts, explode(array(ts div 1000, ts div 1000 + 1)) AS block
           FROM events WHERE etype = 'A'),
     b AS (SELECT id, ts, ts div 1000 AS block FROM events WHERE etype = 'B'),
     c AS (SELECT id, ts, ts div 1000 AS block FROM events WHERE etype = 'C'),
     ab AS (SELECT id, a.ts AS a_ts, b.ts AS b_ts,
                   explode(array(a.ts div 1000, a.ts div 1000 + 1)) AS block
            FROM a JOIN b USING (id, block)
            WHERE b.ts > a.ts AND b.ts <= a.ts + 1000)
SELECT id, a_ts, b_ts, c.ts AS c_ts
FROM ab JOIN c USING (id, block)
WHERE c.ts > b_ts AND c.ts <= a_ts + 1000
"""
NEXT_QUERY = QUERY.replace("WHERE", "SEMANTICS skip-till-next-match WHERE")


def _cepheid(path: Path, *, text: str = QUERY, packed: bool = False) -> pa.Table:
    import cepheid

    query = cepheid.query(f"{text} {RETURNED}")
    return query.run(events_of(path), time="ts", type="etype", packed=packed).toArrow()


def _buckets(path: Path) -> pa.Table:
    events = events_of(path)
    events.createOrReplaceTempView("events")
    return events.sparkSession.sql(BUCKETS).toArrow()


def _next_match(contender: Contender) -> Contender:
    return replace(contender, reference=references.w1_next)


def _benchmark(name: str, workload: Workload, ids: int) -> Benchmark:
    return Benchmark(
        name=name,
        question=f"W1 on local Spark: SEQ(A, B, C) of one id within 1000; 20 types, {ids} ids",
        workload=workload,
        events=1_000_000,
        reference=references.w1,
        contenders=(
            spark_contender("Cepheid on Spark", _cepheid),
            spark_contender("Cepheid, packed", partial(_cepheid, packed=True)),
            spark_contender("Spark SQL, time buckets", _buckets),
            _next_match(
                spark_contender("Cepheid, next match", partial(_cepheid, text=NEXT_QUERY)),
            ),
            _next_match(flink_sql(W1_NEXT)),
            *bare_jobs(COLUMNS, ("A", "B", "C"), key="id"),
        ),
        baseline=SORTED,
        around=session,
        counts_cpu=False,
    )


SPARK_W1 = (
    _benchmark("spark-w1-sparse", W1_SPARSE, 1000),
    _benchmark("spark-w1-dense", W1_DENSE, 20),
)
