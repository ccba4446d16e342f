"""Queries of all kinds on one stream give what they give on a table of the same events."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import cepheid
from cepheid.spark.frames.compressed_frame import SparkCompressedMatches
from tests.properties.comparison import as_multiset
from tests.spark.stream.streams import (
    Row,
    few_partitions,
    read_stream,
    run_to_end,
    united,
    write_files,
)

pytestmark = pytest.mark.spark

SCHEMA = pa.schema(
    [("type", pa.string()), ("time", pa.int64()), ("k", pa.int64()), ("x", pa.float64())]
)
ROLES = {"time": "time", "type": "type"}
DELAY = 3
QUERIES = {
    "matches": "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 6 RETURN a.time, b.time",
    "end negation": "PATTERN SEQ(A a, !C) WHERE [k] WITHIN 5 RETURN a.time",
    "partial": "PATTERN SEQ(A a, B b, C c) WHERE [k] WITHIN 4 OUTPUT PARTIAL",
    "non overlapping": "PATTERN SEQ(A a, C c) WITHIN 9 RETURN a.time, c.time "
    "OUTPUT NON OVERLAPPING",
    "latest wins": "PATTERN SEQ(A a, B b, C c) WHERE [k] SEMANTICS latest-wins WITHIN 20 "
    "RETURN a.time, b.time, c.time",
    "every type": "PATTERN SEQ(A a, ANY x, C c) WHERE [k] WITHIN 9 RETURN a.time, x.type, c.time",
    "longest": "PATTERN SEQ(A+ a, C c) WHERE [k] WITHIN 9 RETURN a.time, c.time "
    "OUTPUT LONGEST SKIP PAST LAST EVENT",
    "last": "PATTERN SEQ(A a, C c) WITHIN 9 RETURN a.time, c.time OUTPUT LAST",
    "compressed": "PATTERN SEQ(A+ a, B b) WHERE [k] WITHIN 6 RETURN a.time, b.time "
    "OUTPUT COMPRESSED",
    "counted": "PATTERN SEQ(A a, C c) WHERE [k] WITHIN 4 EVENTS RETURN a.time, c.time",
    "sliding": "PATTERN SEQ(A+ a, B b) WHERE [k] WITHIN 6 SLIDE 3 RETURN COUNT(*) AS n, "
    "SUM(a.x) AS s, MIN(a.x) AS low, MAX(b.x) AS high",
    "groups": "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 6 SLIDE 3 RETURN k, COUNT(*) AS n GROUP BY k",
    "recent": "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 6 RETURN COUNT(*) AS n",
}


def events() -> list[Row]:
    return [
        {"type": "ABC"[at * at % 3 if at % 5 else 2], "time": 100 + at, "k": at % 4, "x": at / 2}
        for at in range(40)
    ]


def expected(text: str, rows: list[Row]) -> Any:
    found = cepheid.query(text).run(pa.Table.from_pylist(rows, SCHEMA), **ROLES)
    table = found if isinstance(found, pa.Table) else found.expand()
    return as_multiset(table.to_pylist())


def test_all_kinds_in_order_of_the_watermark(spark: SparkSession, tmp_path: Path) -> None:
    """Events come out of order; one is too late; the last one only moves the watermark."""
    rows = events()
    late = {"type": "A", "time": 103, "k": 1, "x": 1.0}
    end = {"type": "other", "time": 10_000, "k": 0, "x": 0.0}
    batches = [rows[:14][::-1], [*rows[16:28], *rows[14:16]], [*rows[28:], late], [end]]
    write_files(tmp_path / "in", batches, SCHEMA)
    frames = {}
    with few_partitions(spark):
        stream = read_stream(spark, tmp_path / "in")
        for name, text in QUERIES.items():
            query = cepheid.query(text, name=name)
            result = query.run(stream, **ROLES, watermark=DELAY, buckets=3)
            is_compressed = isinstance(result, SparkCompressedMatches)
            frames[name] = result.expand() if is_compressed else result
        found = run_to_end(united(frames), tmp_path)
    for name, text in QUERIES.items():
        assert as_multiset(found.of(name)) == expected(text, rows), name
        assert found.of(name), name
    assert sum(found.observed("matches", "late")) == 1
    assert sum(found.observed("end negation", "late")) == 1
    assert found.observed("non overlapping", "results")[0] == 0, "nothing is settled at first"
    # What the window has passed is not kept.
    assert max(found.observed("matches", "state_bytes")) > 0
