"""Results of Spark as Arrow tables, and its errors as ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from cepheid.connectors.cause_of import from_text
from cepheid.errors import DataError

# py4j is not there on a client of Spark Connect, so its errors are told by name.
SPARK_MODULES = ("pyspark", "py4j")

RAISED_IN_WORKER = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception): .*", re.MULTILINE)
NANOSECONDS_HINT = (
    "Spark reads no timestamps in nanoseconds, which pandas writes: write microseconds, with "
    "df.to_parquet(path, coerce_timestamps='us', allow_truncated_timestamps=True), or set "
    "spark.sql.legacy.parquet.nanosAsLong=true and convert the numbers"
)


def collect(frame: DataFrame) -> pa.Table:
    """Run a DataFrame and return its rows.

    Raises:
        DataError: what a worker raised, without the traceback, or why Spark gave up.
    """
    with spark_errors():
        return frame.toArrow()


def collect_part(batch: DataFrame, limit: int) -> tuple[pa.Table, int]:
    """Return the first rows of a micro-batch (all, if the limit is 0), and how many there are.

    All of them are computed: tasks that are not run would not save their part of the state.
    """
    batch = batch.persist()
    try:
        count = batch.count()
        shown = batch.limit(limit) if limit else batch
        return shown.toArrow(), count
    finally:
        batch.unpersist()


@contextmanager
def described_jobs(session: SparkSession, text: str) -> Iterator[None]:
    """Have Spark's pages show a text beside the jobs of a block; Spark Connect has no such text."""
    if type(session).__module__.startswith("pyspark.sql.connect"):
        yield
        return
    session.sparkContext.setJobDescription(text)
    try:
        yield
    finally:
        session.sparkContext.setLocalProperty("spark.job.description", None)  # type: ignore[arg-type]


@contextmanager
def spark_errors() -> Iterator[None]:
    """Turn Spark's errors into a DataError with the one message that matters."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.split(".")[0] not in SPARK_MODULES:
            raise
        raise DataError(essence(str(error)), hint=_hint(str(error))) from None


def _hint(text: str) -> str | None:
    """Return what to do about an error of which Spark says no more than that it is one."""
    is_fine = "TIMESTAMP(NANOS" in text
    is_fine |= "PARQUET_COLUMN_DATA_TYPE_MISMATCH" in text and "timestamp" in text
    return NANOSECONDS_HINT if is_fine else None


def essence(text: str) -> str:
    r"""Return the message for the user in the text of a Spark error.

    >>> essence("Traceback ...\n  File ...\ncepheid.errors.DataError: a NULL in row 1\n\n\tat ...")
    'a NULL in row 1'
    >>> essence("[USER_RAISED_EXCEPTION] a count exceeds BIGINT (g = 1) SQLSTATE: P0001")
    'a count exceeds BIGINT (g = 1)'
    >>> essence("Traceback ...\n  File ...\nZeroDivisionError: division by zero\n")
    'a Python worker of Spark failed: ZeroDivisionError: division by zero'
    >>> essence("[PATH_NOT_FOUND] Path does not exist: s3://x. SQLSTATE: 42K03\n\tat ...")
    'Spark: [PATH_NOT_FOUND] Path does not exist: s3://x.'
    """
    ours = from_text(text)
    if ours is not None:
        return str(ours)
    raised = RAISED_IN_WORKER.findall(text) if "Traceback" in text else []
    if raised:
        return f"a Python worker of Spark failed: {raised[-1]}"
    first = (text.strip().splitlines() or ["no message"])[0]
    return "Spark: " + re.sub(r" SQLSTATE: \w+$", "", first)
