"""The Spark session of a command: an existing one, a configured one, or a quiet local one."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cepheid.errors import ConfigError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What tells Spark where to run: Spark Connect, spark-submit, or arguments for it.
REMOTE, REMOTE_SETTING, API_MODE = "SPARK_REMOTE", "spark.remote", "spark.api.mode"
CONFIGURED_BY = (REMOTE, "PYSPARK_GATEWAY_PORT", "PYSPARK_SUBMIT_ARGS")
LOOPBACK = "127.0.0.1"
TIMESTAMP_TYPE = "spark.sql.timestampType"
NANOS_AS_LONG = "spark.sql.legacy.parquet.nanosAsLong"

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
    "Starting Streaming TransformWithState",  # what Python workers of streams always say
    "Streaming TransformWithState",
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
def spark_session(
    settings: Mapping[str, str] | None = None,
    *,
    times_without_zone: bool = True,
    needs_driver: bool = False,
) -> Iterator[SparkRun]:
    """Give the session in use or a new one; a new one is stopped at the end.

    With `times_without_zone`, texts and columns of type TIMESTAMP are TIMESTAMP_NTZ, as in Arrow.
    With `needs_driver`, this must be the process of Spark's driver, and not a client of it.

    Raises:
        ConfigError: pyspark or Java is missing, Spark does not start, the session in use cannot
            have the settings, or it is one of Spark Connect where that will not do.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise ConfigError(
            "the Spark engine needs pyspark",
            hint="pip install 'cepheid[spark]', or use the local engine",
        ) from None
    wanted = dict(settings or {})
    while_used = {NANOS_AS_LONG: "false"}  # a reader of files may change that
    if times_without_zone:
        while_used[TIMESTAMP_TYPE] = "TIMESTAMP_NTZ"
    existing = SparkSession.getActiveSession()
    if needs_driver:
        _refuse_connect(existing, wanted)
    if existing is not None:
        with _with_settings(existing, {**while_used, **wanted}):
            yield SparkRun(existing, None)
        return
    with tempfile.TemporaryDirectory(prefix="cepheid-spark-") as folder:
        configured = any(os.environ.get(name) for name in CONFIGURED_BY)
        run = _start_configured(wanted) if configured else _start_local(Path(folder), wanted)
        try:
            with _with_settings(run.session, while_used):
                yield run
        finally:
            run.session.stop()


def _refuse_connect(existing: SparkSession | None, settings: Mapping[str, str]) -> None:
    modes = (settings.get(API_MODE), os.environ.get("SPARK_API_MODE"))
    asked_for = bool(os.environ.get(REMOTE) or REMOTE_SETTING in settings or "connect" in modes)
    module = "" if existing is None else type(existing).__module__
    if module.startswith("pyspark.sql.connect") or (existing is None and asked_for):
        raise ConfigError(
            "this cannot run on Spark Connect: its sinks are written from the driver's process",
            hint=f"start it with spark-submit, or without {REMOTE}, {REMOTE_SETTING} and "
            f"{API_MODE}; from Python, query.run works on Spark Connect",
        )


@contextlib.contextmanager
def _with_settings(session: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Set what a running session can set, and set it back at the end."""
    before = {name: session.conf.get(name, None) for name in settings}
    changed = {name: value for name, value in settings.items() if before[name] != value}
    try:
        for name, value in changed.items():
            _set(session, name, value)
        yield
    finally:
        for name, earlier in before.items():
            now = session.conf.get(name, None)
            if earlier is None and now is not None:
                session.conf.unset(name)
            elif earlier is not None and now != earlier:
                session.conf.set(name, earlier)


def _set(session: SparkSession, name: str, value: str) -> None:
    try:
        session.conf.set(name, value)
    except Exception as error:
        if "CANNOT_MODIFY" not in str(error):
            raise
        raise ConfigError(
            f"'{name}' cannot be set: Spark is running already",
            hint="set it where Spark is started",
        ) from None


def _start_configured(settings: Mapping[str, str]) -> SparkRun:
    from pyspark.sql import SparkSession

    if os.environ.get(REMOTE, "").startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("cepheid")
    for key, value in settings.items():
        builder = builder.config(key, value)
    try:
        return SparkRun(builder.getOrCreate(), None)
    except Exception as error:
        raise ConfigError(f"Spark did not start: {_first_line(error)}") from None


def _start_local(folder: Path, wanted: Mapping[str, str]) -> SparkRun:
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
        # Else Spark adds up the bytes of a batch again for every row, which takes longer than to
        # hand the rows to Python. A batch has 10,000 rows at most anyway.
        "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
        # By TCP, every task waits 40 ms for a delayed acknowledgement.
        "spark.python.unix.domain.socket.enabled": str(hasattr(socket, "AF_UNIX")).lower(),
        **wanted,
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
