"""Spark Declarative Pipelines: the project in examples/ as `spark-pipelines run` runs it."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
import yaml

import cepheid
from cepheid.spark.stream.stream_input import PROVIDER, ROCKS
from tests.spark.local_connect import alone_on_connect

pytest.importorskip("pyspark.pipelines", reason="Spark has declarative pipelines since 4.1")
pytestmark = [pytest.mark.spark, pytest.mark.slow]

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
PROJECT = EXAMPLES / "declarative"
SETTINGS = [
    "--conf", "spark.ui.enabled=false",
    "--conf", "spark.python.authenticate.socketTimeout=120s",  # a busy machine
    "--conf", "spark.driver.memory=1g",
]  # fmt: skip
# What a user may do wrong, told inside of a query function; the pipeline goes on.
MISTAKES = """
from pyspark import pipelines as dp
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

import cepheid

spark = SparkSession.active()
EVENTS = StructType.fromDDL("time TIMESTAMP_NTZ, kind STRING, driver INT")
pairs = "PATTERN SEQ(Request r, Cancel c) WHERE [driver] WITHIN 5 minutes RETURN r.driver INTO Pair"
both = cepheid.workload([pairs, "PATTERN SEQ(Pair a, Pair b) WITHIN 5 minutes"])
ROLES = {"time": "time", "type": "kind"}


def told(run):
    try:
        run()
    except cepheid.ConfigError as error:
        print("TOLD", str(error).replace("\\n", " "))


@dp.table
def copied():
    return spark.readStream.table("rides")  # Spark's own streams can; see LIMIT


@dp.materialized_view
def mistakes():
    stream = spark.readStream.schema(EVENTS).csv("file:///tmp")
    told(lambda: both.run(spark.read.table("rides"), **ROLES))
    told(lambda: both.run(cepheid.declared(stream, EVENTS), watermark="1 second", **ROLES))
    return spark.range(1)
"""

# A streaming table that reads a table of the same pipeline.
LIMIT = """
from pyspark import pipelines as dp
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

import cepheid

spark = SparkSession.active()
EVENTS = StructType.fromDDL("id BIGINT, kind STRING")
query = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 5 RETURN a.id")


@dp.table
def rides():
    return spark.readStream.format("rate").load().selectExpr("value AS id", "'A' AS kind")


@dp.table
def found():
    stream = cepheid.declared(spark.readStream.table("rides"), EVENTS)
    return query.run(stream, time="id", type="kind", watermark=1)
"""


def spark_pipelines(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    program = Path(sys.executable).parent / "spark-pipelines"
    with alone_on_connect():
        return subprocess.run(
            [program, command, "--remote", "local[2]", *SETTINGS],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Run the project in a folder of its own; return the folder of tables, and what was said."""
    folder = tmp_path_factory.mktemp("declarative")
    shutil.copytree(PROJECT, folder, dirs_exist_ok=True)
    (folder / "rides").mkdir()
    shutil.copy(EXAMPLES / "rides.csv", folder / "rides")
    (folder / "transformations" / "mistakes.py").write_text(MISTAKES)
    spec = yaml.safe_load((folder / "spark-pipeline.yml").read_text())
    spec["storage"] = (folder / "storage").as_uri()
    spec["configuration"]["spark.sql.pipelines.execution.maxConcurrentFlows"] = "1"
    (folder / "spark-pipeline.yml").write_text(yaml.safe_dump(spec))
    found = spark_pipelines("run", folder)
    assert found.returncode == 0, found.stdout[-3000:] + found.stderr[-5000:]
    return folder / "spark-warehouse", found.stdout


def rows(table: pa.Table) -> Counter[tuple[object, ...]]:
    return Counter(tuple(each.values()) for each in table.to_pylist())


def in_process(name: str) -> pa.Table:
    """Return what a query of the project finds in all events, as a table of this process."""
    scope: dict[str, object] = {"cepheid": cepheid}
    text = (PROJECT / "transformations" / "rides.py").read_text()
    exec(text[text.index("ROLES =") : text.index("def stream()")], scope)
    run = scope["again" if name == "twice" else name].run  # type: ignore[attr-defined]
    result = run(pc.read_csv(EXAMPLES / "rides.csv"), **scope["ROLES"])
    return result[name] if name == "twice" else result


def test_materialized_views_have_what_queries_find_in_a_table_of_the_pipeline(done):
    for view, name in {"crawling_so_far": "crawling", "lost_again": "twice"}.items():
        found, expected = pq.read_table(done[0] / view), in_process(name)
        assert rows(found.cast(expected.schema)) == rows(expected)
        assert expected.num_rows > 0


def test_a_streaming_table_has_what_the_watermark_has_passed(done):
    found, expected = pq.read_table(done[0] / "cancelled_rides"), in_process("cancelled")
    assert found.num_rows > 0
    assert rows(found.cast(expected.schema)) <= rows(expected)


def test_a_workload_fills_one_streaming_table(done):
    found = pq.read_table(done[0] / "alerts").to_pylist()
    counts = {(e["window_start"], e["district"]) for e in in_process("crawling").to_pylist()}
    assert {each["query"] for each in found} == {"cancelled", "crawling"}
    seen = [json.loads(e["result"]) for e in found if e["query"] == "crawling"]
    assert 0 < len(seen) <= len(counts)


def test_what_is_missing_is_told_with_the_line_that_helps(done):
    undeclared, unset = [line for line in done[1].splitlines() if line.startswith("TOLD")]
    assert "cepheid.declared(table, schema)" in undeclared
    assert 'configuration:  spark.sql.exchange.reuse: "false"' in unset


def dry_run_of_the_limit(folder: Path, configuration: dict[str, str]) -> str:
    """Return what is said of LIMIT, which fails, before anything is read."""
    (folder / "transformations").mkdir()
    (folder / "transformations" / "limit.py").write_text(LIMIT)
    spec = yaml.safe_load((PROJECT / "spark-pipeline.yml").read_text())
    spec |= {"storage": (folder / "storage").as_uri(), "configuration": configuration}
    (folder / "spark-pipeline.yml").write_text(yaml.safe_dump(spec))
    found = spark_pipelines("dry-run", folder)
    assert found.returncode != 0
    return found.stdout + found.stderr


def test_a_store_that_the_spec_does_not_name_is_told_with_the_line_that_helps(tmp_path):
    said = dry_run_of_the_limit(tmp_path, {})
    assert f"write into the pipeline's spec file, under configuration:  {PROVIDER}: " in said
    assert f'"{ROCKS}"' in said


def test_a_streaming_table_cannot_read_a_table_of_the_same_pipeline(tmp_path):
    said = dry_run_of_the_limit(tmp_path, {PROVIDER: ROCKS})
    assert "TABLE_OR_VIEW_NOT_FOUND" in said
    assert "rides" in said
