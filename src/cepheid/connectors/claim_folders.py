"""A folder of results belongs to one stream, and is refused to another one.

Micro-batches are counted from 0 with every new checkpoint. Spark takes a number that the folder has
seen for a repetition, and leaves its results out; folders of micro-batches would be replaced. So a
folder gets a small file with the number that Spark gives a stream: one for each checkpoint.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from pyspark.sql import SparkSession

from cepheid.connectors.spark_files import list_names, read_text, write_text
from cepheid.errors import ConfigError

MARK = "_cepheid_stream"  # Spark does not read files whose names begin so
WRITTEN_BY_SPARK = "_spark_metadata"
PREFIXES = (WRITTEN_BY_SPARK, "batch=")
FILE_FORMATS = ("parquet", "json", "csv", "orc", "text", "avro")


def require_own(session: SparkSession, folder: str, checkpoint: str) -> None:
    """Raise a ConfigError if a folder holds the results of a stream with another checkpoint."""
    stream = _identity(session, f"{checkpoint}/metadata")
    owner = _identity(session, f"{folder}/{MARK}")
    if owner is None and stream is None:
        is_taken = _has_results(session, folder)
    else:  # without a mark it was stopped before it could leave one
        is_taken = owner is not None and owner != stream
    if is_taken:
        raise ConfigError(
            f"the folder '{folder}' has results of a stream with another checkpoint than "
            f"'{checkpoint}'",
            hint="name a new folder (or table) for it, or go on with the other checkpoint: a new "
            "checkpoint counts its micro-batches from 0, and results would be lost",
        )


def claim(session: SparkSession, folders: Iterable[str], stream: str) -> None:
    """Note in folders whose results they get."""
    for folder in folders:
        if _identity(session, f"{folder}/{MARK}") != stream:
            write_text(session, f"{folder}/{MARK}", json.dumps({"id": stream}))


def table_folder(session: SparkSession, table: str) -> str | None:
    """Return the folder of a table that Spark keeps as files; None if there is no such table."""
    if not session.catalog.tableExists(table):
        return None
    rows = session.sql(f"DESCRIBE TABLE EXTENDED {table}").collect()
    about = {row["col_name"]: row["data_type"] for row in rows}
    is_files = about.get("Provider", "").lower() in FILE_FORMATS
    return about.get("Location") if is_files else None


def _identity(session: SparkSession, path: str) -> str | None:
    text = read_text(session, path)
    return None if text is None else str(json.loads(text)["id"])


def _has_results(session: SparkSession, folder: str) -> bool:
    return any(name.startswith(PREFIXES) for name in list_names(session, folder) or ())
