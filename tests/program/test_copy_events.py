"""Copies of events that belong to several partitions."""

import math

import pyarrow as pa
import pytest

import cepheid
from cepheid.analysis.key_copies import KeyCopies
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.program.copy_events import with_copies, without_copies
from cepheid.program.lower import lower

ROLES = {"time": "time", "type": "type"}
TEXT = "PATTERN SEQ(P a, P b) WHERE a.id = b.parent RETURN a.time, b.time"
KEY = "P.id = P.parent"


def events(ids: pa.Array, parents: pa.Array) -> pa.Table:
    count = len(ids)
    columns = {"time": range(count), "type": ["P"] * count, "id": ids, "parent": parents}
    return pa.table(columns)


def copies_of(table: pa.Table, text: str = TEXT) -> KeyCopies:
    schema = event_schema(table.schema, ColumnRoles(time="time", type="type"))
    found = lower(cepheid.query(text).plan(schema)).copies
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("own", "other"),
    [
        (pa.int64(), pa.int64()),
        (pa.int32(), pa.int64()),
        (pa.uint64(), pa.int8()),
        (pa.string(), pa.large_string()),
        (pa.dictionary(pa.int8(), pa.string()), pa.string_view()),
        (pa.date32(), pa.date64()),
        (pa.float32(), pa.float64()),
    ],
    ids=str,
)
def test_columns_of_several_types(own: pa.DataType, other: pa.DataType) -> None:
    whole = [1, 2, 3], [None, 1, 2]
    values = [[None if each is None else str(each) for each in side] for side in whole]
    are_texts = any(map(pa.types.is_string, (own, getattr(own, "value_type", own))))
    ids, parents = values if are_texts else whole
    if pa.types.is_date(own):
        ids, parents = (pa.array(each, pa.int32()).cast(pa.date32()) for each in whole)
    table = events(pa.array(ids).cast(own), pa.array(parents).cast(other))
    found = cepheid.query(TEXT).run(table, **ROLES).to_pylist()
    assert found == [{"a_time": 0, "b_time": 1}, {"a_time": 1, "b_time": 2}]


def test_large_unsigned_integers_stay_apart() -> None:
    table = events(pa.array([2**63 + 1, 2**63], pa.uint64()), pa.array([0, -1]))
    copies = copies_of(table)
    assert with_copies(table, copies).num_rows == 4


def test_the_same_value_in_both_keys_is_one_copy() -> None:
    table = events(pa.array([1.0, math.nan, 0.0]), pa.array([1.0, math.nan, -0.0]))
    copies = copies_of(table)
    assert with_copies(table, copies)["time"].to_pylist() == [0, 1, 2]


def test_events_of_no_partition_stay_where_they_count() -> None:
    table = events(pa.array([1, None]), pa.array([2, None]))
    copies = copies_of(table)
    assert with_copies(table, copies)[KEY].to_pylist() == [1, 2]
    assert with_copies(table, copies, keeps_all=True)[KEY].to_pylist() == [1, 2, None]


def test_of_all_copies_that_fit_one_is_told() -> None:
    table = events(pa.array([1, 2]), pa.array([3, 2]))
    copied = with_copies(table, copies_of(table))
    told = without_copies(copied, copies_of(table), lambda each: each["time"].to_numpy() >= 0)
    assert told["time"].to_pylist() == [0, 1]
    assert KEY not in told.column_names


def test_without_types() -> None:
    table = pa.table({"time": [1, 2, 3], "id": [1, 2, 3], "parent": [None, 1, 1]})
    query = cepheid.query("PATTERN SEQ(P a, P b) WHERE a.id = b.parent RETURN a.time, b.time")
    assert query.run(table, time="time").num_rows == 2


def test_explain_says_where_events_go() -> None:
    explained = " ".join(cepheid.query(TEXT).explain().split())
    assert "an event goes to the key of every variable it can be bound to" in explained
    two_joins = "PATTERN SEQ(P a, P b, P c) WHERE a.id = b.parent AND b.id = c.parent"
    assert "one partition" in cepheid.query(two_joins).explain()


def test_a_picture_has_events_in_every_partition() -> None:
    table = events(pa.array([1, 2, 3]), pa.array([None, 1, 2]))
    page = cepheid.plot(cepheid.query(TEXT), table, **ROLES).svg()
    assert all(f">{key}</text>" in page for key in ("1", "2", "3"))
