"""Numbers in one match: nothing wraps, overflows on the way, or depends on order (section 8)."""

import math
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from tests.engine.streams import rows_of

INF, NAN = math.inf, math.nan
LIMIT = 2**63
WHOLE = "SEQ(A+ a[], B b) WHERE a.LEN = {} RETURN {}"


def blocks_of(values: list[Any], *, b: Any = 0) -> pa.Table:
    """A's with these values one a time unit, and a B after them."""
    size = len(values)
    column = pa.array([*values, b], from_pandas=False)
    return pa.table({"time": range(size + 1), "type": [*"A" * size, "B"], "x": column})


def value_of(expression: str, values: list[Any]) -> Any:
    """What an expression over all A's is."""
    (row,) = rows_of(WHOLE.format(len(values), f"{expression} AS v"), blocks_of(values))
    return row["v"]


def lengths_that_satisfy(where: str, values: list[Any], *, b: Any = 0) -> list[int]:
    """How many A's the matches have that satisfy a condition; next events are taken."""
    query = f"SEQ(A+ a[], B b) SEMANTICS skip-till-next-match WHERE {where} RETURN a.LEN AS n"
    return sorted(row["n"] for row in rows_of(query, blocks_of(values, b=b)))


class TestSums:
    @pytest.mark.parametrize(
        ("values", "total"),
        [
            ([LIMIT - 1, -1, 1], LIMIT - 1),
            ([2**62, 2**62, -(2**62), 5], 2**62 + 5),
            ([-LIMIT, -LIMIT, LIMIT - 1, LIMIT - 1, 2], 0),
        ],
    )
    def test_they_are_exact_whatever_they_pass_through(self, values, total):
        assert value_of("sum(a[].x)", values) == total

    @pytest.mark.parametrize("values", [[2**62, 2**62], [-LIMIT, -1], [LIMIT - 1] * 4])
    def test_beyond_64_bits_they_are_an_error(self, values):
        with pytest.raises(cepheid.DataError, match=r"'SUM\(a\[\].x\)' leaves the range") as caught:
            value_of("sum(a[].x)", values)
        assert "make the column a double" in str(caught.value)

    @pytest.mark.parametrize("where", ["sum(a[].x) > b.x", "sum(a[..i-1].x) * 2 < b.x - 1"])
    def test_where_names_the_comparison(self, where):
        name = where.split()[0].replace("sum", "SUM")
        with pytest.raises(cepheid.DataError) as caught:
            lengths_that_satisfy(where, [2**62, 2**62, 1])
        assert f"'{name}" in str(caught.value)
        assert "leaves the range of 64-bit integers" in str(caught.value)

    def test_only_what_is_read_counts(self):
        """The sum of both is never asked for: the run ends before."""
        assert lengths_that_satisfy("sum(a[..i-1].x) < a[i].x", [2**62, 2**62, 2**62]) == [1] * 3

    def test_floats_leave_their_range_only_as_a_result(self):
        assert value_of("sum(a[].x)", [1.6e308, 1.6e308]) == INF
        assert value_of("sum(a[].x)", [2.0**1023, 2.0**1023, -(2.0**1023), 8.0]) == 2.0**1023
        assert value_of("sum(a[].x)", [1e308, -INF, 1e308]) == -INF


class TestAverages:
    def test_six_timestamps_in_nanoseconds(self):
        values = [1_700_000_000_000_000_000 + each for each in range(0, 6144, 1024)]
        assert value_of("avg(a[].x)", values) == sum(values) // 6

    @pytest.mark.parametrize(
        "values",
        [[2**62, 2**62], [-LIMIT] * 3, [LIMIT - 1, -LIMIT], [2**53, 1], [2**54 + 1, 2**54 + 2]],
    )
    def test_they_are_rounded_once(self, values):
        assert value_of("avg(a[].x)", values) == sum(values) / len(values)

    def test_the_largest_floats(self):
        assert value_of("avg(a[].x)", [1.6e308, 1.6e308]) == 1.6e308
        assert value_of("avg(a[].x)", [-1.6e308] * 5) == pytest.approx(-1.6e308, rel=1e-15)

    def test_in_where_and_running(self):
        large = [2**62, 2**62, 2**62]
        assert lengths_that_satisfy("avg(a[].x) > b.x", large, b=7) == [1, 2, 3]
        assert lengths_that_satisfy("avg(a[..i-1].x) > b.x", large, b=7) == [1, 2, 3]
        assert lengths_that_satisfy("avg(a[..i-1].x) >= a[i].x", large) == [1, 2, 3]
        assert lengths_that_satisfy("avg(a[..i-1].x) < 1e308", [1.6e308] * 3) == [1] * 3


class TestExtremes:
    @pytest.mark.parametrize("values", [[NAN, 1.0, 2.0], [1.0, NAN, 2.0], [2.0, 1.0, NAN]])
    def test_nan_is_the_largest_value_wherever_it_stands(self, values):
        assert value_of("min(a[].x)", values) == 1.0
        assert math.isnan(value_of("max(a[].x)", values))

    def test_nan_alone(self):
        assert math.isnan(value_of("min(a[].x)", [NAN, NAN]))

    @pytest.mark.parametrize("values", [[NAN, 1.0, 2.0], [1.0, NAN, 2.0]])
    def test_in_where(self, values):
        assert 3 in lengths_that_satisfy("min(a[].x) < 1.5", values)
        assert 3 in lengths_that_satisfy("max(a[].x) != 2.0", values)
        assert 3 in lengths_that_satisfy("min(a[..i-1].x) != 7.0", values)


class TestArithmetic:
    @pytest.mark.parametrize("query", ["A a WHERE -a.x < 3", "A a RETURN -a.x AS m",
                                       "SEQ(A a, B b) WHERE -a.x < b.x"])  # fmt: skip
    def test_minus_of_the_smallest_integer(self, query):
        with pytest.raises(cepheid.DataError, match=r"64-bit|overflow"):
            rows_of(query, blocks_of([-LIMIT]))

    @pytest.mark.parametrize(
        ("expression", "value"),
        [
            ("a.x * 1 + b.x", LIMIT - 1),
            ("a.x % -9223372036854775808 + b.x", LIMIT - 1),
            ("-a.x + b.x", 1 - LIMIT),
            ("-a.x - 1 + b.x", -LIMIT),
            ("(-a.x - 1) % -1 + b.x", 0),
            ("(-a.x - 1) % 10 + b.x", -8),
            ("3 % (-a.x - 1) + b.x", 3),
        ],
    )
    def test_what_just_fits(self, expression, value):
        query = f"SEQ(A a, B b) RETURN {expression} AS v"
        assert rows_of(query, blocks_of([LIMIT - 1])) == [{"v": value}]

    @pytest.mark.parametrize(
        ("left", "right"),
        [(3037000499, 3037000499), (2**62, -2), (2**31, 2**32 - 1), (-(2**31), 2**32)],
    )
    def test_products_up_to_the_limit(self, left, right):
        query = "SEQ(A a, B b) RETURN a.x * b.x AS v"
        assert rows_of(query, blocks_of([left], b=right)) == [{"v": left * right}]
        with pytest.raises(cepheid.DataError, match=r"'a.x \* b.x' leaves the range"):
            rows_of(query, blocks_of([left], b=right * 4))


class TestTimes:
    @pytest.mark.parametrize("first", [0, LIMIT - 20])
    @pytest.mark.parametrize(("distance", "is_found"), [(2, False), (9, False), (10, True)])
    def test_an_end_negation(self, first, distance, is_found):
        table = pa.table({"time": [first, first + distance], "type": ["A", "B"]})
        found = rows_of("SEQ(A a, !B b) WITHIN 10", table)
        assert bool(found) is is_found

    def test_a_window_that_ends_beyond_64_bits(self):
        table = pa.table({"time": [LIMIT - 4, LIMIT - 2], "type": ["A", "B"]})
        assert rows_of("SEQ(A a, !B b) WITHIN 10", table) == []
        assert len(rows_of("SEQ(A a, !C c) WITHIN 10", table)) == 1
        assert [row["n"] for row in rows_of("ANY(A, B) v WITHIN 10 RETURN COUNT(*) AS n", table)
               ] == [1, 2]  # fmt: skip

    def test_a_last_moment_has_no_later_one(self):
        table = pa.table({"time": [LIMIT - 5, LIMIT - 1], "type": ["A", "A"]})
        counts = rows_of("A+ a WHERE a[1].time <= a.time WITHIN 5 RETURN COUNT(*) AS n", table)
        assert [row["n"] for row in counts] == [1, 3]
        with pytest.raises(cepheid.DataError, match="too close to the limit of 64 bits"):
            rows_of("SEQ(A a, !B b) WITHIN 5", table)

    def test_what_cannot_be_shown_is_refused(self):
        table = pa.table({"time": [5, LIMIT - 5], "type": ["A", "A"]})
        with pytest.raises(cepheid.DataError, match="too close to the limit of 64 bits"):
            rows_of("A WITHIN 10 SLIDE 5 RETURN COUNT(*) AS n", table)


class TestNullColumns:
    """A column of Arrow's null type has NULL in every event."""

    TABLE = pa.table({"time": [1, 2, 3], "type": [*"AAB"], "x": [1, 2, 3], "n": pa.nulls(3)})

    @pytest.mark.parametrize(
        "where",
        [
            *("sum(a[].n) > 3", "NOT sum(a[].n) > 3", "avg(a[].n) = b.x", "max(a[].n) = 'text'"),
            *("a.n = a.n", "b.n < b.x", "b.n", "NOT b.n", "b.n + 1 > 0", "-b.n < 1", "b.n % 2 = 0"),
            *("b.n = 'text'", "(b.n = 'text' OR a.n = b.x)", "b.n = TRUE", "a.n / b.n > 0"),
        ],
    )
    def test_a_comparison_never_holds(self, where):
        assert rows_of(f"SEQ(A+ a[], B b) WHERE {where}", self.TABLE) == []

    @pytest.mark.parametrize("where", ["avg(a[..i-1].n) > 3", "sum(a[..i-1].n) < a[i].x"])
    def test_a_running_aggregate_stops_the_second(self, where):
        rows = rows_of(f"SEQ(A+ a[], B b) WHERE {where} RETURN a.x", self.TABLE)
        assert sorted(row["a_x"] for row in rows) == [[1], [2]]

    def test_every_column_is_returned(self):
        query = """SEQ(A+ a[], B b) WHERE a.LEN = 2 RETURN sum(a[].n) AS s, avg(a[].n) AS v,
            min(a[].n) AS m, count(a[].n) AS c, a[1].n AS f, -b.n AS o, b.n + 1 AS p, b.n"""
        names = ("s", "v", "m", "f", "o", "p", "b_n")
        assert rows_of(query, self.TABLE) == [{"c": 0, **dict.fromkeys(names)}]

    @pytest.mark.parametrize("window", ["", "WITHIN 9 SLIDE 9", "WITHIN 9"])
    def test_trends_have_a_sum_too(self, window):
        query = f"A+ {window} RETURN SUM(A.n) AS s, AVG(A.n) AS v, MAX(A.n) AS m, COUNT(A.n) AS c"
        row = rows_of(query, self.TABLE)[-1]
        assert [row[each] for each in "svmc"] == [None, None, None, 0]

    def test_no_event_has_a_partition(self, caplog):
        assert rows_of("SEQ(A a, B b) WHERE [n]", self.TABLE) == []
        assert "3 events" in caplog.text
