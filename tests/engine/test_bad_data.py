"""Events that cannot be run on: what is wrong, where, and how to mend it."""

import pandas as pd
import pyarrow as pa
import pytest

import cepheid
from tests.engine.streams import run

TABLE = pa.table({"time": [1, 2], "type": ["A", "B"], "seq": [1, 2]})


def with_column(name, values, kind=None):
    return TABLE.set_column(TABLE.column_names.index(name), name, pa.array(values, kind))


@pytest.mark.parametrize(
    ("role", "options"),
    [
        pytest.param("time", {"time": "tine"}, id="time"),
        pytest.param("type", {"type": "typ"}, id="type"),
        pytest.param("order", {"order": ["sec"]}, id="order"),
    ],
)
def test_a_missing_column_gets_the_nearest_name(role, options):
    with pytest.raises(cepheid.DataError) as caught:
        run("SEQ(A, B)", TABLE, **options)
    (given,) = options.values()
    nearest = {"time": "time", "type": "type", "order": "seq"}[role]
    missing = given if isinstance(given, str) else given[0]
    assert f"no column '{missing}' ({role})" in str(caught.value)
    assert f"did you mean '{nearest}'? the columns are: time, type, seq" in str(caught.value)


def test_a_missing_column_without_a_near_name():
    with pytest.raises(cepheid.DataError, match="hint: the columns are: time, type, seq"):
        run("SEQ(A, B)", TABLE, time="zzz")


@pytest.mark.parametrize(
    ("values", "kind", "message"),
    [
        (["1", "2"], pa.string(), "holds string, which is not a time.*\n.*parse the text first"),
        ([1, 2], pa.decimal128(20, 19), "which is not a time.*\n.*up to 18 digits after"),
        ([True, False], pa.bool_(), "holds bool, which is not a time"),
        ([1, 2], pa.duration("s"), r"holds duration\[s\], which is not a time"),
    ],
    ids=["text", "digits", "boolean", "duration"],
)
def test_a_time_column_of_another_type(values, kind, message):
    with pytest.raises(cepheid.DataError, match=message):
        run("SEQ(A, B)", with_column("time", values, kind))


def test_null_in_the_time_column_names_the_first_row():
    times = pa.chunked_array([[1], [None], [None, 4]], pa.int64())
    table = pa.table({"time": times, "type": ["A", "C", "C", "B"]})
    with pytest.raises(cepheid.DataError, match=r"'time' has a NULL in row 1\n.*2 of 4 rows"):
        run("SEQ(A, B)", table)


def test_null_in_the_order_column():
    with pytest.raises(cepheid.DataError, match="the order column 'seq' has a NULL in row 1"):
        run("SEQ(A, B)", with_column("seq", [1, None]), order=["seq"])


@pytest.mark.parametrize("values", [[[1], [2]], [{"x": 1}, {"x": 2}]], ids=["list", "struct"])
def test_columns_without_equality_or_order(values):
    table = TABLE.append_column("k", pa.array(values))
    with pytest.raises(cepheid.DataError, match=r"the order column 'k' holds .* no order"):
        run("SEQ(A, B)", table, order=["k"])
    with pytest.raises(cepheid.DataError, match="cannot be partitioned by 'k'"):
        run("SEQ(A, B) WHERE [k]", table)


def test_an_integer_type_column():
    with pytest.raises(cepheid.DataError, match="'type' holds int64, but event types are names"):
        run("SEQ(A, B)", with_column("type", [1, 2]))


class TestNames:
    def test_two_columns_of_one_name(self):
        arrays = [pa.array([1, 2]), pa.array(["A", "B"]), pa.array([1, 2])]
        table = pa.Table.from_arrays(arrays, names=["time", "type", "time"])
        with pytest.raises(cepheid.DataError, match="two columns of the events are called 'time'"):
            run("SEQ(A, B)", table)

    def test_two_columns_of_one_name_in_pandas(self):
        frame = pd.DataFrame([[1, "A", "A"], [2, "B", "B"]], columns=["time", "type", "type"])
        with pytest.raises(cepheid.DataError, match="two columns of the events are called 'type'"):
            run("SEQ(A, B)", frame)

    def test_pandas_column_with_values_of_several_kinds(self):
        frame = pd.DataFrame({"time": [1, 2], "type": ["A", "B"], "x": [1, "one"]})
        with pytest.raises(cepheid.DataError, match=r"several kinds: .*column x"):
            run("SEQ(A, B)", frame)

    @pytest.mark.parametrize(
        ("query", "name"),
        [
            ("SEQ(A first, B last)", "first_time"),
            ("SEQ(A, B) WITHIN 9 RETURN COUNT(*) AS time", "time"),
            ("SEQ(A, B) WITHIN 9 RETURN COUNT(*) AS seq", "seq"),
            ("SEQ(A, B) WITHIN 9 SLIDE 3 RETURN COUNT(*) AS window_end", "window_end"),
        ],
    )
    def test_result_columns_of_one_name(self, query, name):
        with pytest.raises(cepheid.BindingError, match=f"two columns .* called '{name}'"):
            run(query, TABLE, order=["seq"])

    @pytest.mark.parametrize("group", ["seq", "time", "seq, time"])
    def test_a_group_by_the_order_key_is_one_column(self, group):
        query = f"B WITHIN 9 RETURN COUNT(*) AS n GROUP BY {group}"
        result = run(query, TABLE, order=["seq"])
        assert sorted(result.column_names) == ["n", "seq", "time"]
        assert result.select(["time", "seq", "n"]).to_pylist() == [{"time": 2, "seq": 2, "n": 1}]


def test_arithmetic_with_a_constant_beyond_64_bits():
    with pytest.raises(cepheid.DataError, match="does not fit 64 bits"):
        run("SEQ(A a, B b) WHERE a.x + 10000000000000000000 > b.x", "a1(x=1) b2(x=2)")


def test_whole_numbers_beyond_64_bits_of_several_events():
    x = [2**64 - 1, 2**63 + 1]
    table = pa.table({"ts": [1, 2], "kind": ["A", "A"], "x": pa.array(x, pa.uint64())})
    query = cepheid.query("PATTERN SEQ(A a, A b) WHERE a.x > b.x RETURN a.x, b.x")
    assert query.run(table, time="ts", type="kind").num_rows == 1
    query = cepheid.query("PATTERN SEQ(A+ a) WHERE sum(a[].x) > 0")
    with pytest.raises(cepheid.DataError, match="hint: compute with doubles"):
        query.run(table, time="ts", type="kind")


@pytest.mark.parametrize("function", ["sum", "avg"])
def test_unsigned_numbers_that_are_added_up(function):
    events = TABLE.append_column("u", pa.array([2**63 + 5, 1], pa.uint64()))
    with pytest.raises(cepheid.DataError, match="'u' has a number beyond 64 bits") as caught:
        run(f"SEQ(A+ a, B b) RETURN {function}(a[].u) AS value", events)
    assert "sum(CAST(a[].x AS DOUBLE))" in str(caught.value)
    text = f"SEQ(A+ a, B b) RETURN {function}(CAST(a[].u AS DOUBLE)) AS value"
    found = run(text, events)
    assert found.to_pylist() == [{"value": 2.0**63}]
