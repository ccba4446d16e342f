"""Rows, their order and their types are the same, whichever way events come in."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow as pa
import pyarrow.parquet
import pytest

import cepheid

COUNT = 300
EVENTS = pa.table(
    {
        "at": pa.array([place * 500_000 for place in range(COUNT)], pa.timestamp("us", "UTC")),
        "kind": ["ABC"[place * 7 % 3] for place in range(COUNT)],
        "user": [["zoe", "ann", "kim"][place * 5 % 11 % 3] for place in range(COUNT)],
        "site": pa.array([place * place % 4 * 10**12 for place in range(COUNT)]),
        "x": pa.array([place * 13 % 17 for place in range(COUNT)], pa.int32()),
        "y": [None if place % 9 == 0 else place % 8 / 4 for place in range(COUNT)],
    }
)
MATCHES = pa.schema([("user", pa.string()), ("xs", pa.list_(pa.int32())), ("y", pa.float64())])
WINDOW = [("window_start", pa.timestamp("us", "UTC")), ("window_end", pa.timestamp("us", "UTC"))]
QUERIES = {
    "PATTERN SEQ(A+ a, B b) WHERE [user] WITHIN 6 seconds "
    "RETURN b.user AS user, a.x AS xs, b.y AS y": (MATCHES),
    "PATTERN SEQ(A a, !C c, B b) WHERE [user, site] AND a.x < b.x WITHIN 1 minute "
    "RETURN a.site, b.x - a.x AS rise": pa.schema([("a_site", pa.int64()), ("rise", pa.int64())]),
    "PATTERN SEQ(A a, B b) WITHIN 4 seconds SLIDE 2 seconds GROUP BY user, site "
    "RETURN user, COUNT(*) AS n, SUM(a.x) AS total, MAX(b.y) AS most": pa.schema(
        [
            *WINDOW,
            ("site", pa.int64()),
            *[("user", pa.string()), ("n", pa.int64()), ("total", pa.int64())],
            ("most", pa.float64()),
        ]
    ),
    "PATTERN A+ a WHERE [site] AND a.x < NEXT(a).x WITHIN 9 seconds GROUP BY user "
    "RETURN COUNT(*) AS n, MIN(a.x) AS least": pa.schema(
        [
            ("time", pa.timestamp("us", "UTC")),
            *[("user", pa.string()), ("n", pa.float64()), ("least", pa.int32())],
        ]
    ),
    "PATTERN SEQ(A a, B+ b) GROUP BY user RETURN LOG2(COUNT(*)) AS bits, EXACT COUNT(*) AS n": (
        pa.schema([("user", pa.string()), ("bits", pa.float64()), ("n", pa.string())])
    ),
}
Door = Callable[[cepheid.Query, Path], pa.Table]


def run(query: cepheid.Query, events: Any) -> Any:
    return query.run(events, time="at", type="kind")


def in_chunks(query: cepheid.Query, folder: Path) -> pa.Table:
    chunks = [EVENTS.slice(begin, 37) for begin in range(0, COUNT, 37)]
    return run(query, pa.concat_tables(reversed(chunks)))


def from_pandas(query: cepheid.Query, folder: Path) -> pa.Table:
    frame = run(query, EVENTS.to_pandas())
    assert isinstance(frame, pandas.DataFrame)
    return pa.Table.from_pandas(frame, preserve_index=False)


def from_polars(query: cepheid.Query, folder: Path) -> pa.Table:
    frame = run(query, polars.from_arrow(EVENTS))
    assert isinstance(frame, polars.DataFrame)
    return frame.to_arrow()


def from_files(query: cepheid.Query, folder: Path) -> pa.Table:
    half = COUNT // 2
    pyarrow.parquet.write_table(EVENTS.slice(half), folder / "1.parquet", row_group_size=40)
    pyarrow.parquet.write_table(EVENTS.slice(0, half), folder / "2.parquet")
    return run(query, str(folder))


def from_a_workload(query: cepheid.Query, folder: Path) -> pa.Table:
    others = [cepheid.query(text, name=f"other {place}") for place, text in enumerate(QUERIES)]
    workload = cepheid.workload([query.called("this"), *others])
    return workload.run(EVENTS, time="at", type="kind")["this"]


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize("door", [in_chunks, from_pandas, from_polars, from_files, from_a_workload])
def test_same_rows_of_the_same_types(door: Door, text: str, tmp_path: Path) -> None:
    query = cepheid.query(text)
    expected = run(query, EVENTS)
    assert expected.num_rows >= 3
    assert expected.schema == QUERIES[text]
    found = door(query, tmp_path)
    assert found.to_pylist() == expected.to_pylist()
    assert found.cast(expected.schema).schema == expected.schema
    if door is not from_polars:  # whose texts and lists are Arrow's large ones
        assert found.schema.types == expected.schema.types


def test_matches_by_partition_and_last_event() -> None:
    query = cepheid.query("PATTERN SEQ(A a, B b) WHERE [site] WITHIN 9 s RETURN a.site, b.at")
    rows = [tuple(row.values()) for row in run(query, EVENTS).to_pylist()]
    assert rows == sorted(rows)


def test_aggregates_by_group_and_window() -> None:
    query = cepheid.query("PATTERN A WITHIN 9 s SLIDE 3 s GROUP BY user RETURN COUNT(*) AS n")
    rows = [(row["user"], row["window_start"]) for row in run(query, EVENTS).to_pylist()]
    assert rows == sorted(rows)


def test_aggregates_by_group_and_time() -> None:
    query = cepheid.query("PATTERN A WITHIN 9 s GROUP BY user RETURN COUNT(*) AS n")
    rows = [(row["user"], row["time"]) for row in run(query, EVENTS).to_pylist()]
    assert rows == sorted(rows)
