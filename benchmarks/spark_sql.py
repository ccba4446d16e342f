"""W1 in Spark SQL. Timed: from the Parquet file to an Arrow table in the driver.

`Cepheid on Spark` is the DataFrame of `query.run`, `view` is `SELECT * FROM found` of
`cepheid.register`. `function` is `SELECT * FROM found(TABLE(…) PARTITION BY id)`, of the events of
the query's types, which the SQL says; Spark sorts them by id and calls the function for every id.
`function, all types` is the same of all events: nothing is pushed down into a function.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from benchmarks import references
from benchmarks.contender import Benchmark
from benchmarks.on_spark import events_of, session, spark_contender
from benchmarks.w1 import QUERY, RETURNED
from benchmarks.workloads import W1_SPARSE

NATIVE = "Cepheid on Spark"
ALL = "SELECT ts, etype, id FROM events"
OF_TYPES = f"{ALL} WHERE etype IN ('A', 'B', 'C')"
FUNCTION = "SELECT * FROM found(TABLE({table}) PARTITION BY id)"


def _native(path: Path) -> pa.Table:
    import cepheid

    query = cepheid.query(f"{QUERY} {RETURNED}")
    return query.run(events_of(path), time="ts", type="etype").toArrow()


def _in_sql(text: str, path: Path) -> pa.Table:
    import cepheid

    events = events_of(path)
    spark = events.sparkSession
    events.createOrReplaceTempView("events")
    query = cepheid.query(f"{QUERY} {RETURNED}")
    cepheid.register(spark, "found", query, "events", time="ts", type="etype")
    return spark.sql(text).toArrow()


SPARK_SQL = Benchmark(
    name="spark-sql",
    question="W1 in Spark SQL: SEQ(A, B, C) of one id within 1000; 20 types, 1000 ids",
    workload=W1_SPARSE,
    events=1_000_000,
    reference=references.w1,
    contenders=(
        spark_contender(NATIVE, _native),
        spark_contender("view", lambda path: _in_sql("SELECT * FROM found", path)),
        spark_contender("function", lambda path: _in_sql(FUNCTION.format(table=OF_TYPES), path)),
        spark_contender(
            "function, all types", lambda path: _in_sql(FUNCTION.format(table=ALL), path)
        ),
    ),
    baseline=NATIVE,
    around=session,
    counts_cpu=False,
)
