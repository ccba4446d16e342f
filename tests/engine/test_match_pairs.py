"""Pairs of trends: which side a column shows, ties, schemas, and input of every shape."""

import random

import pyarrow as pa
import pytest

from tests.engine.streams import in_any_order, rows_of, run, table_of


def test_columns_come_in_the_order_of_return():
    found = rows_of("A+ a AND B b RETURN b.time, a.time, sum(a[].x) AS total", "a1(x=2) b2(x=7)")
    assert found == [{"b_time": 2, "a_time": [1], "total": 2}]
    assert list(found[0]) == ["b_time", "a_time", "total"]


def test_default_columns_and_times_of_both_sides():
    found = rows_of("SEQ(A a, C c) AND B b", "b1 a2 c3")
    assert found[0]["first_time"] == 1
    assert found[0]["last_time"] == 3
    assert {name: found[0][name] for name in ("a_time", "c_time", "b_time")} == {
        "a_time": 2,
        "c_time": 3,
        "b_time": 1,
    }


def test_a_type_of_one_side_is_not_taken_for_a_variable_of_the_other():
    """Side 1 knows `B` as a type of two events, side 2 as the name of its own event."""
    found = rows_of("SEQ(B b1, B b2) AND B WITHIN 9", "b1 b2")
    assert sorted((row["b1_time"], row["b2_time"], row["B_time"]) for row in found) == [
        (1, 2, 1),
        (1, 2, 2),
    ]


def test_a_name_of_return_is_that_of_the_first_side_that_knows_it():
    found = rows_of("SEQ(B b1, B b2) AND B RETURN B.time", "b1 b2")
    assert found == [{"B_time": [1, 2]}] * 2


def test_a_trend_is_its_events():
    """Both alternatives give the same sequence; the first one is shown."""
    found = rows_of("(A a OR A c) AND B b RETURN a.time, c.time, b.time", "a1 b2")
    assert found == [{"a_time": 1, "c_time": None, "b_time": 2}]


class TestTrendsOfBothSides:
    def test_the_lower_one_is_on_the_left(self):
        found = rows_of("A a AND A b RETURN a.time, b.time", "a2 a1 a3")
        assert sorted(tuple(row.values()) for row in found) == [(1, 2), (1, 3), (2, 3)]

    def test_where_only_one_is_of_both_it_may_be_on_either_side(self):
        found = rows_of("A a AND A b WHERE b.x > 1 RETURN a.x, b.x", "a1(x=1) a2(x=2) a3(x=3)")
        assert sorted(tuple(row.values()) for row in found) == [(1, 2), (1, 3), (2, 3)]

    def test_ties_are_broken_by_the_values_of_the_events(self):
        stream = table_of("a1(x=3) a1(x=null) a1(x=1)")
        for _ in range(6):
            order = random.sample(range(3), 3)
            found = rows_of("A a AND A b RETURN a.x, b.x", stream.take(order))
            pairs = {tuple(row.values()) for row in found}
            assert pairs == {(None, 1), (None, 3), (1, 3)}

    @pytest.mark.parametrize(
        "kind",
        [
            pa.dictionary(pa.int32(), pa.string()),
            pa.bool_(),
            pa.list_(pa.int64()),
            pa.decimal128(9, 2),
            pa.binary(),
        ],
    )
    def test_ties_of_every_kind_of_column(self, kind):
        values = {pa.bool_(): [False, True], pa.list_(pa.int64()): [[1], [1, 2]]}.get(kind)
        low, high = values or (["a", "b"] if "dict" in str(kind) else [b"a", b"b"])
        if pa.types.is_decimal(kind):
            low, high = 1, 2
        column = pa.array([high, None, low, low], kind)
        stream = table_of("a1(n=1) a1(n=2) a1(n=3) a1(n=4)").append_column("v", column)
        stream = stream.select(["time", "type", "v", "n"])
        found = rows_of("A a AND A b RETURN a.n, b.n", stream)
        assert {tuple(row.values()) for row in found} == {
            (2, 3), (2, 4), (2, 1), (3, 4), (3, 1), (4, 1),
        }  # fmt: skip


def test_non_overlapping_pairs_do_not_depend_on_arrival():
    stream = table_of("a1(x=1) a1(x=2) b1(x=3) b2(x=4) a2(x=5) b4(x=6) a4(x=7)")
    query = "A a AND B b RETURN a.x, b.x OUTPUT NON OVERLAPPING"
    expected = in_any_order([{"a_x": 1, "b_x": 3}, {"a_x": 5, "b_x": 4}, {"a_x": 7, "b_x": 6}])
    for _ in range(6):
        order = random.sample(range(stream.num_rows), stream.num_rows)
        assert in_any_order(rows_of(query, stream.take(order))) == expected


def test_no_type_column():
    stream = table_of("a1(x=1) a2(x=2)").drop_columns(["type"])
    found = rows_of("E a AND E b WHERE a.x = 1 RETURN a.x, b.x", stream, type=None)
    assert found == [{"a_x": 1, "b_x": 2}]


def test_no_events_keep_the_schema():
    empty = table_of("a1(x=1)").slice(0, 0)
    result = run("A+ a AND B b WITHIN 9", empty)
    assert result.num_rows == 0
    assert result.schema.field("a_x").type == pa.list_(pa.int64())
    assert result.schema.names[-2:] == ["first_time", "last_time"]


def test_cost_follows_the_pairs_and_not_the_cross_product():
    """4000 trends on each side, each with one partner: a cross product has 16 million pairs."""
    times = range(0, 80_000, 10)
    stream = pa.table({"time": list(times), "type": ["A", "B"] * (len(times) // 2)})
    assert run("A a AND B b WITHIN 11", stream).num_rows == len(times) - 1
