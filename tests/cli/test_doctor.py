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


class TestSettings:
    """What doctor says of Spark's file of defaults."""

    @pytest.fixture
    def found(self, tmp_path, monkeypatch):
        from cepheid.cli import doctor

        def look(text):
            (tmp_path / "spark-defaults.conf").write_text(text)
            monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
            return {each.what: each for each in doctor.settings()}

        return look

    def test_defaults_that_are_slow_are_hints(self, found):
        marks = {name: each.mark for name, each in found("").items()}
        assert marks["spark.python.unix.domain.socket.enabled"] == "hint"
        assert marks["spark.sql.execution.arrow.maxBytesPerBatch"] == "hint"
        assert "todo" not in marks.values()

    def test_settings_are_read_in_every_form_that_spark_reads(self, found):
        text = (
            "# spark.python.worker.reuse false\n"
            "spark.python.unix.domain.socket.enabled   true\n"
            "spark.sql.execution.arrow.maxBytesPerBatch=2147483647\n"
        )
        assert {each.mark for each in found(text).values()} == {"ok  "}

    def test_a_store_that_streams_refuse_is_to_be_changed(self, found):
        name = "spark.sql.streaming.stateStore.providerClass"
        told = found(f"{name} a.b.OtherProvider\nspark.python.worker.reuse: false\n")
        assert told[name].mark == "todo"
        assert "streams refuse another store" in (told[name].advice or "")
        assert told["spark.python.worker.reuse"].mark == "hint"


@pytest.mark.skipif(Path(BARE) == Path(sys.executable), reason="not in an environment of its own")
class TestWorkers:
    def test_doctor_says_what_to_set(self, monkeypatch):
        from cepheid.cli import doctor

        monkeypatch.setenv("PYSPARK_PYTHON", BARE)
        monkeypatch.delenv("PYTHONPATH", raising=False)  # it would lead to the package
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
