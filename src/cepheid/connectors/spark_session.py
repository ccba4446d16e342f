"""The Spark session of a command: an existing one, a configured one, or a quiet local one."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cepheid.errors import ConfigError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What tells Spark where to run: Spark Connect, spark-submit, or arguments for it.
CONFIGURED_BY = ("SPARK_REMOTE", "PYSPARK_GATEWAY_PORT", "PYSPARK_SUBMIT_ARGS")
LOOPBACK = "127.0.0.1"
TIMESTAMP_TYPE = "spark.sql.timestampType"

# A failed task comes back as an exception, so the log need not tell of it as well.
LOG4J = """\
rootLogger.level = error
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = Spark: %m%n
logger.executor.name = org.apache.spark.executor.Executor
logger.executor.level = off
logger.tasks.name = org.apache.spark.scheduler.TaskSetManager
logger.tasks.level = off
"""
NOISE = (
    "WARNING: Using incubator modules",
    "Using Spark's default log4j profile",
    "Setting default log level",
    "To adjust logging level",
)


@dataclass(frozen=True, slots=True)
class SparkRun:
    """A session, and the file that a JVM of ours writes its messages to."""

    session: SparkSession
    log: Path | None

    def messages(self) -> list[str]:
        """Return what Spark and its Python workers said, without what they always say."""
        return [] if self.log is None else _messages(self.log)


@contextlib.contextmanager
def spark_session() -> Iterator[SparkRun]:
    """Give the session in use or a new one; a new one is stopped at the end.

    Raises:
        ConfigError: pyspark or Java is missing, or Spark does not start.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise ConfigError(
            "the Spark engine needs pyspark",
            hint="pip install 'cepheid[spark]', or use the local engine",
        ) from None
    existing = SparkSession.getActiveSession()
    if existing is not None:
        with _timestamps_without_zone(existing):
            yield SparkRun(existing, None)
        return
    with tempfile.TemporaryDirectory(prefix="cepheid-spark-") as folder:
        configured = any(os.environ.get(name) for name in CONFIGURED_BY)
        run = _start_configured() if configured else _start_local(Path(folder))
        try:
            with _timestamps_without_zone(run.session):
                yield run
        finally:
            run.session.stop()


@contextlib.contextmanager
def _timestamps_without_zone(session: SparkSession) -> Iterator[None]:
    """Let a time without a zone stay one, as in Arrow; else Spark reads it in the session's."""
    before = session.conf.get(TIMESTAMP_TYPE)
    session.conf.set(TIMESTAMP_TYPE, "TIMESTAMP_NTZ")
    try:
        yield
    finally:
        if before is not None:
            session.conf.set(TIMESTAMP_TYPE, before)


def _start_configured() -> SparkRun:
    from pyspark.sql import SparkSession

    if os.environ.get("SPARK_REMOTE", "").startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        return SparkRun(SparkSession.builder.appName("cepheid").getOrCreate(), None)
    except Exception as error:
        raise ConfigError(f"Spark did not start: {_first_line(error)}") from None


def _start_local(folder: Path) -> SparkRun:
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", LOOPBACK)
    properties = folder / "log4j2.properties"
    properties.write_text(LOG4J, encoding="utf-8")
    settings = {
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={properties.as_uri()}",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        # One machine: 200 tasks after every shuffle would only cost time.
        "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)),
    }
    builder = SparkSession.builder.appName("cepheid").master("local[*]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    log = folder / "spark.log"
    try:
        with _output_to(log):
            session = builder.getOrCreate()
    except Exception as error:
        said = "; ".join(_messages(log)[:2]) or _first_line(error)
        raise ConfigError(
            f"Spark did not start: {said}",
            hint="it needs Java 17 or newer, found by JAVA_HOME or on the PATH",
        ) from None
    return SparkRun(session, log)


@contextlib.contextmanager
def _output_to(log: Path) -> Iterator[None]:
    """Let processes that start here write to a file: a JVM must not speak into our output."""
    saved = {descriptor: os.dup(descriptor) for descriptor in (1, 2)}
    sys.stdout.flush()
    sys.stderr.flush()
    with log.open("ab") as file:
        try:
            for descriptor in saved:
                os.dup2(file.fileno(), descriptor)
            yield
        finally:
            for descriptor, copy in saved.items():
                os.dup2(copy, descriptor)
                os.close(copy)


def _messages(log: Path) -> list[str]:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return [line for line in lines if line.strip() and not line.startswith(NOISE)]


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
