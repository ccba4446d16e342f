"""W1 in Spark SQL. Timed: from the Parquet file to an Arrow table in the driver.

`Cepheid on Spark` is the DataFrame of `query.run`, `view` is `SELECT * FROM found` of
`cepheid.register`. `function` is `SELECT * FROM found(TABLE(…) PARTITION BY id)`: Spark sorts the
events by id and calls the function for every id. Of 20 types the query needs three, and nothing is
pushed down into a function: there `function` reads the events of these types, which the SQL says,
and `function, all types` reads all.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from benchmarks import references
from benchmarks.contender import Benchmark, Contender
from benchmarks.on_spark import events_of, session, spark_contender
from benchmarks.w1 import QUERY, RETURNED
from benchmarks.workloads import STREAM_SPARSE, W1_SPARSE, Workload

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


def _function(name: str, table: str) -> Contender:
    return spark_contender(name, lambda path: _in_sql(FUNCTION.format(table=table), path))


def _benchmark(name: str, types: int, workload: Workload, *functions: Contender) -> Benchmark:
    view = spark_contender("view", lambda path: _in_sql("SELECT * FROM found", path))
    return Benchmark(
        name=name,
        question=f"W1 in Spark SQL: SEQ(A, B, C) of one id within 1000; {types} types, 1000 ids",
        workload=workload,
        events=1_000_000,
        reference=references.w1,
        contenders=(spark_contender(NATIVE, _native), view, *functions),
        baseline=NATIVE,
        around=session,
        counts_cpu=False,
    )


SPARK_SQL = (
    _benchmark("spark-sql", 3, STREAM_SPARSE, _function("function", ALL)),
    _benchmark(
        "spark-sql-few-types",
        20,
        W1_SPARSE,
        _function("function", OF_TYPES),
        _function("function, all types", ALL),
    ),
)
