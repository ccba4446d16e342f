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

bare, setting = sys.argv[1], "spark.sql.execution.pyspark.python"
os.environ["PYSPARK_PYTHON"] = bare
import cepheid
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
frame = spark.createDataFrame([(1, "A"), (2, "B")], "ts INT, kind STRING")


def run():
    try:
        found = cepheid.query("PATTERN SEQ(A a, B b)").run(frame, time="ts", type="kind")
        print(found.count(), "match")
    except cepheid.ConfigError as error:
        print(*str(error).split())


run()
spark.conf.set(setting, sys.executable)
run()
spark.sparkContext.pythonExec = sys.executable  # as if PYSPARK_PYTHON had named it
spark.conf.set(setting, bare)
run()
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

    def test_doctor_reads_the_setting_that_goes_before_it(self, monkeypatch, tmp_path):
        from cepheid.cli import doctor

        monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
        monkeypatch.delenv("PYTHONPATH", raising=False)
        name = "spark.sql.execution.pyspark.python"
        for named, other in [(BARE, sys.executable), (sys.executable, BARE)]:
            (tmp_path / "spark-defaults.conf").write_text(f"{name} {named}\n")
            monkeypatch.setenv("PYSPARK_PYTHON", other)
            (found,) = doctor.workers()
            assert (found.mark == "todo") == (named == BARE), found
            assert named == sys.executable or f"set {name}={sys.executable}" in str(found.advice)

    @pytest.mark.spark
    @pytest.mark.slow
    def test_a_run_says_it_before_spark_does(self):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, BARE], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        by_environment, right_setting, wrong_setting = done.stdout.splitlines()
        for refused in (by_environment, wrong_setting):
            assert f"Spark's workers run {BARE}: it has no package" in refused
            assert "`cepheid doctor` shows more" in refused
        assert f"set PYSPARK_PYTHON={sys.executable}" in by_environment
        assert right_setting == "1 match"
        assert f"set spark.sql.execution.pyspark.python={sys.executable}" in wrong_setting
