"""Constants, lists and columns without values in results, on Spark: batches and streams."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import cepheid
from tests.engine.test_shown_values import (
    EVENTS,
    PARAMETERS,
    PICKED,
    ROLES,
    TYPED_PARAMETERS,
    WITH_CONSTANTS,
    WITH_TYPED,
)
from tests.spark.stream.streams import (
    few_partitions,
    read_stream,
    run_until_idle,
    united,
    write_files,
)

pytestmark = pytest.mark.spark

TABLE = EVENTS.drop_columns(["h"])  # Spark has no half floats
QUERIES = {
    **{name: cepheid.query(text, name=name, parameters=PARAMETERS)
       for name, text in WITH_CONSTANTS.items()},
    **{name: cepheid.query(text, name=name, parameters=TYPED_PARAMETERS)
       for name, text in WITH_TYPED.items()},
    "picked": cepheid.query(PICKED, name="picked"),
}  # fmt: skip
ON_A_STREAM = ("matches", "windows", "moments", "picked")  # each costs seconds


def as_texts(rows: Any) -> list[str]:
    return sorted(str(sorted(row.items())) for row in rows)


def expected(name: str) -> list[str]:
    return as_texts(QUERIES[name].run(TABLE, **ROLES).to_pylist())


def test_batch(spark: SparkSession) -> None:
    frame = spark.createDataFrame(TABLE)
    for name, query in QUERIES.items():
        rows = [row.asDict() for row in query.run(frame, **ROLES).collect()]
        assert as_texts(rows) == expected(name), name
    together = cepheid.workload(list(QUERIES.values())).run(frame, **ROLES)
    for name, result in together.items():
        assert as_texts(row.asDict() for row in result.collect()) == expected(name), name


def test_null_is_void(spark: SparkSession) -> None:
    result = QUERIES["matches"].run(spark.createDataFrame(TABLE), **ROLES)
    assert dict(result.dtypes)["nothing"] == "void"
    assert dict(result.dtypes)["text"] == "string"


def test_stream(spark: SparkSession, tmp_path: Path) -> None:
    """Parquet cannot hold columns without a type: there, `n` is a number that is NULL."""
    at = TABLE.schema.get_field_index("n")
    table = TABLE.set_column(at, "n", pa.nulls(TABLE.num_rows, pa.int64()))
    rows = table.to_pylist()
    end = rows[0] | {"time": 100, "type": "Z"}
    write_files(tmp_path / "in", [rows[:2], rows[2:], [end]], table.schema)
    with few_partitions(spark):
        stream = read_stream(spark, tmp_path / "in")
        results = {name: QUERIES[name].run(stream, **ROLES, watermark=1) for name in ON_A_STREAM}
        found = run_until_idle(united(results), tmp_path)
    for name in ON_A_STREAM:
        assert as_texts(found.of(name)) == expected(name), name
