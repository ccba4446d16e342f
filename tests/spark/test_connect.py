"""Spark Connect, in a process of its own: classic and Connect sessions do not mix."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql.connect.group import GroupedData

from tests.spark.local_connect import alone_on_connect

pytestmark = pytest.mark.spark

REPOSITORY = Path(__file__).parent.parent.parent
SCRIPT = """
import contextlib
import io

from pyspark.sql import SparkSession

import cepheid
from cepheid.connectors.collect_spark import collect, described_jobs

spark = (
    SparkSession.builder.remote("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()
)
rows = [("A", 1, 1), ("A", 2, 2), ("B", 3, 1), ("B", 4, 2), ("C", 5, 1)]
events = spark.createDataFrame(rows, "type string, time bigint, k bigint")
roles = {"time": "time", "type": "type"}
print(type(events).__module__)
matches = cepheid.query("PATTERN SEQ(A a, B b) WHERE [k] RETURN a.time, b.time")
print(sorted(map(tuple, matches.run(events, **roles).collect())))
counts = cepheid.query("PATTERN SEQ(A, B) WHERE [k] WITHIN 4 SLIDE 4 RETURN COUNT(*) AS n")
print(sorted(map(tuple, counts.run(events, **roles).collect())))
pairs = "PATTERN SEQ(A a, B b) WHERE [k] RETURN a.k AS k, a.time AS start INTO Pair"
windows = "PATTERN SEQ(Pair p, C c) WHERE [k] WITHIN 8 SLIDE 8 RETURN COUNT(*) AS n INTO Late"
both = cepheid.workload([pairs, windows, "PATTERN Late l RETURN l.time, l.n"])
print(sorted(map(tuple, both.run(events, **roles)["q3"].collect())))
texts = [f"PATTERN SEQ({each}, B+) WHERE [k] RETURN k, COUNT(*) AS n GROUP BY k" for each in "AC"]
together = cepheid.workload([*texts, "PATTERN SEQ(A, C) WHERE [k] RETURN COUNT(*) AS n"])
results = together.run(events, **roles)
print([sorted(map(tuple, each.collect())) for each in results.values()])
together.release(results)
local = cepheid.query("PATTERN SEQ(A a, B b) WHERE [k] AND a.time > 1 RETURN a.time, b.time")
result = local.run(events, **roles)
print(sorted(map(tuple, result.collect())))
marks = cepheid.query(
    "PATTERN SEQ(A a, B b) SEMANTICS contiguous WHERE [k] AND a.time > 1 RETURN a.time, b.time"
)
print(sorted(map(tuple, marks.run(events, **roles).collect())))
print(sorted(map(tuple, matches.run(events, packed=True, **roles).collect())))
grouped = matches.run(events.repartition(2, "k"), grouped=True, **roles)
print(sorted(map(tuple, grouped.collect())))
spark.conf.set("spark.cepheid.task.memory", "1")
within = cepheid.query("PATTERN SEQ(A a, B b) WHERE [k] WITHIN 9 RETURN a.time, b.time")
print(sorted(map(tuple, within.run(events, **roles).collect())))
plan = io.StringIO()
with contextlib.redirect_stdout(plan):
    result.explain(extended=True)  # the optimizer applies the filter to rows in memory
analyzed = plan.getvalue().split("== Analyzed Logical Plan ==")[1]
print("Filter (type" in analyzed and "> cast(1 as bigint)" in analyzed)
with described_jobs(spark, "what `cepheid run` says of its jobs"):
    print(collect(result).num_rows)
spark.stop()
"""


def run_script(script: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    with alone_on_connect():
        return subprocess.run(
            [sys.executable, "-c", script],
            cwd=REPOSITORY,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )


def test_a_match_query_an_aggregate_and_a_workload():
    done = run_script(SCRIPT)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = done.stdout.strip().splitlines()
    module, matches, counts, composed, together, *lines = lines
    local, marks, packed, grouped, spilled, is_pushed, collected = lines
    assert "connect" in module
    assert matches == packed == grouped == spilled == "[(1, 3), (2, 4)]"
    assert counts == "[(0, 4, 1)]"
    assert composed == "[(7, 1)]"
    assert together == "[[(1, 1.0), (2, 1.0)], [], [(1,)]]"
    assert local == marks == "[(2, 4)]"
    assert is_pushed == "True"
    assert collected == "1"


STREAM = """
import os
import tempfile
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

import cepheid
from tests.spark.stream.streams import read_stream, run_to_end, united, write_files

spark = (
    SparkSession.builder.remote("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "1")
    .getOrCreate()
)
schema = pa.schema([("type", pa.string()), ("time", pa.int64()), ("k", pa.int64())])
listed = [("A", 10, 1), ("A", 11, 2), ("B", 12, 1), ("A", 14, 1), ("B", 15, 2), ("Z", 99, 0)]
rows = [dict(zip(schema.names, each)) for each in listed]
texts = {
    "matches": "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 5 RETURN a.time, b.time",
    "counts": "PATTERN SEQ(A, B) WHERE [k] WITHIN 8 SLIDE 8 RETURN COUNT(*) AS n",
}
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    write_files(folder / "in", [[rows[2], *rows[:2]]], schema)

    def run():
        stream = read_stream(spark, folder / "in")
        roles = {"time": "time", "type": "type", "watermark": 3, "buckets": 2}
        results = {n: cepheid.query(t, name=n).run(stream, **roles) for n, t in texts.items()}
        return run_to_end(united(results), folder)

    run()
    write_files(folder / "in", [rows[3:5], rows[5:]], schema)
    found = run()
    print(sorted(tuple(each.values()) for each in found.of("matches")))
    print(sorted(tuple(each.values()) for each in found.of("counts")))
spark.stop()
"""


def test_a_stream_with_a_restart():
    done = run_script(STREAM)
    if not hasattr(GroupedData, "transformWithStateInPandas"):
        assert "streams with state cannot run on Spark Connect before Spark 4.1" in done.stderr
        return
    assert done.returncode == 0, done.stderr[-3000:]
    matches, counts = done.stdout.strip().splitlines()
    assert matches == "[(10, 12), (11, 15)]"
    assert counts == "[(8, 16, 2)]"
