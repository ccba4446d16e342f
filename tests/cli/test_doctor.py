"""`cepheid doctor`, and what a run says of workers with another Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import cepheid, cepheid_process

BARE = getattr(sys, "_base_executable", sys.executable)  # without the packages of the environment
SCRIPT = """
import os
import sys

os.environ["PYSPARK_PYTHON"] = sys.argv[1]
import cepheid
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
frame = spark.createDataFrame([(1, "A"), (2, "B")], "ts INT, kind STRING")
try:
    cepheid.query("PATTERN SEQ(A a, B b)").run(frame, time="ts", type="kind")
except cepheid.ConfigError as error:
    print(error)
"""


def test_nothing_is_to_be_done_here():
    result = cepheid("doctor", "--no-spark")
    assert result.code == 0, result.stdout
    lines = result.lines
    assert all(line.startswith("ok   ") for line in lines), result.stdout
    assert any(line.startswith("ok   a query in this process: found its match") for line in lines)


def test_an_unsafe_folder_is_told(tmp_path):
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    environment = os.environ | {"CEPHEID_CACHE_DIR": str(folder)}
    done = cepheid_process("doctor", "--no-spark", env=environment)
    assert done.code == 1, done.stdout
    assert "todo compiled kernels: kept in memory only" in done.stdout


@pytest.mark.skipif(Path(BARE) == Path(sys.executable), reason="not in an environment of its own")
class TestWorkers:
    def test_doctor_says_what_to_set(self, monkeypatch):
        from cepheid.cli import doctor

        monkeypatch.setenv("PYSPARK_PYTHON", BARE)
        (found,) = doctor.workers()
        assert "it has no package 'cepheid'" in found.found
        assert f"set PYSPARK_PYTHON={sys.executable}" in (found.advice or "")

    @pytest.mark.spark
    @pytest.mark.slow
    def test_a_run_says_it_before_spark_does(self):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, BARE], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        assert "Spark's workers run" in done.stdout
        assert "it has no package 'cepheid'" in done.stdout
        assert "`cepheid doctor` shows more" in done.stdout
