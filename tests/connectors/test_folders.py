"""Directories that are partitioned the Hive way: what folders are called are columns."""

import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cepheid
from cepheid.connectors.read_local import EventFiles, read_arrow_schema, read_local

QUERY = "PATTERN SEQ(A a, B b) WHERE [user] AND a.day = DATE '2024-01-31' RETURN a.ts, b.hour"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    first, second = pa.table({"ts": [1], "kind": ["A"]}), pa.table({"ts": [2], "kind": ["B"]})
    folders = {
        "day=2024-01-31/hour=7/user=a%20b": first,
        "day=2024-02-01/hour=8/user=a%20b": second,
        "day=2024-02-01/hour=9/user=__HIVE_DEFAULT_PARTITION__": second,
    }
    for name, table in folders.items():
        (tmp_path / "events" / name).mkdir(parents=True)
        pq.write_table(table, tmp_path / "events" / name / "part-0.parquet")
    (tmp_path / "events" / "_temporary").mkdir()
    return tmp_path / "events"


def test_columns(folder: Path) -> None:
    rows = read_local([str(folder)]).to_pylist()
    assert rows[0] == {
        "ts": 1, "kind": "A", "day": datetime.date(2024, 1, 31), "hour": 7, "user": "a b",
    }  # fmt: skip
    assert rows[2]["user"] is None
    schema = read_arrow_schema(str(folder))
    assert schema.field("day").type == pa.date32()
    assert schema.field("hour").type == pa.int64()
    assert EventFiles([str(folder)]).schema.names == ["ts", "kind", "day", "hour", "user"]


def test_a_query(folder: Path) -> None:
    result = cepheid.query(QUERY).run(str(folder), time="ts", type="kind")
    assert result.to_pylist() == [{"a_ts": 1, "b_hour": 8}]


def test_files_of_text(tmp_path: Path) -> None:
    (tmp_path / "user=7").mkdir()
    (tmp_path / "user=7" / "events.csv").write_text("ts,kind\n1,A\n")
    assert read_local([str(tmp_path)]).to_pylist() == [{"ts": 1, "kind": "A", "user": 7}]
