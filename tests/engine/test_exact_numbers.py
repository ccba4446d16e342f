"""Numbers keep their digits where they are compared, and NaN equals nothing but as a key."""

import math
from decimal import Decimal

import pyarrow as pa
import pytest

import cepheid

ROLES = {"time": "time", "type": "type"}
LARGE = [Decimal(f"12345678901234567890.{each}") for each in (10, 11)]


def rows(query, types="AB", parameters=None, **columns):
    names = list(types)
    table = pa.table({"time": list(range(len(names))), "type": names, **columns})
    made = cepheid.query(f"PATTERN {query}", parameters=parameters)
    return made.run(table, time="time", type="type").to_pylist()


def holds(condition, types="AB", **columns):
    return len(rows(f"SEQ(A a, B b) WHERE {condition} RETURN a.time", types, **columns))


class TestDecimals:
    KIND = pa.decimal128(38, 2)

    @pytest.mark.parametrize(
        ("condition", "expected"),
        [
            ("a.d < b.d", 1),
            ("a.d = b.d", 0),
            ("a.d + 0.01 = b.d", 1),
            ("a.d * (1 - 0.5) < b.d * 0.5", 1),
            ("b.d - a.d = 0.01", 1),
            ("0.01 >= b.d - a.d", 1),
            ("-a.d + 2 * b.d - b.d < 0.011", 1),
            ("NOT a.d - b.d <= -0.01", 0),
            ("a.d + 1 - (b.d - 1) != 1.99", 0),
            ("a.d = 12345678901234567890.10", 1),
            ("(a.d = 12345678901234567890.11 OR b.d = 12345678901234567890.1)", 0),
            ("(a.d < 12345678901234567890.105 AND b.d > 12345678901234567890.105)", 1),
            ("(a.d > b.d OR b.d > 12345678901234567890.105)", 1),
        ],
    )
    def test_across_events(self, condition, expected):
        assert holds(condition, d=pa.array(LARGE, self.KIND)) == expected

    def test_integers_next_to_decimals(self):
        """2^53 + 1 is no double."""
        d = pa.array([Decimal(2**53), Decimal(f"{2**53}.5")], self.KIND)
        assert holds("a.d < b.x AND b.d < b.x", d=d, x=[0, 2**53 + 1]) == 1
        assert holds("a.x < b.d", d=d, x=[2**53, 0]) == 1

    def test_integers_that_would_leave_64_bits(self):
        d = pa.array([Decimal("1.5"), Decimal("2.5")], self.KIND)
        assert holds("a.d + b.d < b.x + b.x", d=d, x=[-(2**63), 3]) == 1
        assert holds("a.d + b.d < b.x + b.x", d=d, x=[0, 2**63 - 1]) == 1

    def test_smallest_and_largest(self):
        d = pa.array([*LARGE, LARGE[1]], self.KIND)
        query = "SEQ(A+ a, B b) WHERE a.LEN = 2 AND max(a[].d) = b.d AND a[1].d < b.d"
        found = rows(f"{query} RETURN min(a[].d) AS low, max(a[].d) AS high", "AAB", d=d)
        assert found == [{"low": LARGE[0], "high": LARGE[1]}]

    @pytest.mark.parametrize(
        "kind",
        [pa.decimal128(9, 2), pa.decimal128(18, 4), pa.decimal64(12, 2), pa.decimal256(18, 1)],
    )
    def test_sums_have_all_digits(self, kind):
        d = pa.array([Decimal("0.1"), Decimal("0.2"), None], kind)
        table = pa.table({"time": [1, 2, 3], "type": ["X"] * 3, "d": d})
        returned = "RETURN sum(a[].d) AS s, avg(a[].d) AS m"
        for where in ("sum(a[].d) = 0.3", "avg(a[].d) = 0.15", "sum(a[].d) - 0.3 = 0"):
            query = cepheid.query(f"PATTERN X{{3}} a WHERE {where} {returned}")
            assert query.run(table, **ROLES).to_pylist() == [{"s": Decimal("0.3"), "m": 0.15}]
        for text, total in (("X a", Decimal("0.3")), ("X{2} a", Decimal("0.6")), ("X+ a", 1.2)):
            query = cepheid.query(f"PATTERN {text} RETURN SUM(a.d) AS s, AVG(a.d) AS m")
            row = query.run(table, **ROLES).to_pylist()[0]
            assert row == {"s": total, "m": 0.15}
            assert type(row["s"]) is type(total)
        query = cepheid.query("PATTERN X a RETURN SUM(a.d) AS s HAVING SUM(a.d) = 0.3 AND s < 0.31")
        assert query.run(table, **ROLES).num_rows == 1

    def test_sums_beyond_64_bits_are_an_error(self):
        d = pa.array([Decimal("9" * 18)] * 10, pa.decimal128(18, 0))
        table = pa.table({"time": range(10), "type": ["X"] * 10, "d": d})
        with pytest.raises(cepheid.DataError, match="exceeds BIGINT"):
            cepheid.query("PATTERN X a RETURN SUM(a.d)").run(table, **ROLES)
        with pytest.raises(cepheid.DataError, match="leaves the range of 64-bit integers"):
            cepheid.query("PATTERN X{10} a RETURN sum(a[].d)").run(table, **ROLES)

    def test_a_program_is_that_of_the_digits(self):
        """The same query on columns of other decimals is another program."""
        query = cepheid.query("PATTERN X a RETURN SUM(a.d) AS s")
        for kind, total in ((9, Decimal("0.5")), (38, 0.5)):
            d = pa.array([Decimal("0.5")], pa.decimal128(kind, 1))
            table = pa.table({"time": [1], "type": ["X"], "d": d})
            assert query.run(table, **ROLES).to_pylist() == [{"s": total}]

    def test_results_are_decimals(self):
        d = pa.array([Decimal("0.10"), Decimal("0.20")], pa.decimal128(9, 2))
        columns = "a.d * 3 AS m, -b.d AS n, a.d % 0.03 AS r, a.d + b.d AS s, a.d / 2 AS h"
        (row,) = rows(f"SEQ(A a, B b) RETURN {columns}", d=d)
        assert [row[each] for each in "mnr"] == [Decimal("0.30"), Decimal("-0.20"), Decimal("0.01")]
        assert (row["s"], row["h"]) == (Decimal("0.30"), 0.05)

    def test_types_of_results_do_not_depend_on_the_data(self):
        table = pa.table({"time": [1], "type": ["X"], "d": pa.array([None], pa.decimal128(9, 2))})
        query = cepheid.query("PATTERN SEQ(A a, B b) RETURN a.d * 1.5 AS m, a.d - b.d AS s")
        schema = query.run(table, time="time", type="type").schema
        assert schema.types == [pa.decimal128(11, 3), pa.decimal128(10, 2)]

    def test_more_digits_than_there_are(self):
        d = pa.array([Decimal("9" * 38)] * 2, pa.decimal128(38, 0))
        with pytest.raises(cepheid.DataError, match="precision"):
            holds("a.d * a.d * a.d > b.d", d=d)

    def test_parameters(self):
        d = pa.array(LARGE, self.KIND)
        query = "SEQ(A a, B b) WHERE b.d = :price RETURN b.d"
        assert rows(query, d=d, parameters={"price": LARGE[1]}) == [{"b_d": LARGE[1]}]
        assert rows(query, d=d, parameters={"price": LARGE[0]}) == []

    def test_groups_and_having(self):
        d = pa.array([LARGE[0], LARGE[0], LARGE[1], LARGE[1]], self.KIND)
        query = "SEQ(A a, B b) RETURN d, COUNT(*) AS n GROUP BY d"
        having = "HAVING MAX(a.d) > 12345678901234567890.105"
        assert rows(f"{query} {having}", "ABAB", d=d) == [{"d": LARGE[1], "n": 1}]


class TestIntegersAndFractions:
    @pytest.mark.parametrize(
        ("condition", "expected"),
        [
            ("a.x > 9007199254740992.5", 1),
            ("a.x + b.x > 9007199254740995.5", 1),
            ("a.x + b.x > 9007199254740996.5", 0),
            ("a.x + b.x = 9007199254740996.5", 0),
            ("a.x + b.x != 9007199254740996.5", 1),
            ("(a.x < 9007199254740993.5 AND b.x < 3.5 OR a.x = b.x)", 1),
            ("a.x + b.x < 10000000000000000000", 1),
            ("a.x + b.x = 10000000000000000000", 0),
            ("-10000000000000000000 < a.x + b.x", 1),
        ],
    )
    def test_across_events(self, condition, expected):
        assert holds(condition, x=[2**53 + 1, 3]) == expected

    def test_a_value_that_is_missing(self):
        assert holds("a.x + b.x != 2.5", x=[1, None]) == 0

    def test_a_parameter_that_is_a_float(self):
        query = "SEQ(A a, B b) WHERE a.x = :x RETURN a.x"
        x = pa.array([2**60, 1])
        assert rows(query, x=x, parameters={"x": 2.0**60}) == [{"a_x": 2**60}]


class TestNaN:
    @pytest.mark.parametrize(
        ("condition", "expected"),
        [
            ("a.y = b.y", 0),
            ("a.y != b.y", 1),
            ("NOT a.y = b.y", 1),
            ("[y]", 1),
            ("[y] AND a.y = b.y", 0),
            ("[y] AND a.y != b.y", 1),
        ],
    )
    def test_equality_and_keys(self, condition, expected):
        assert holds(condition, y=[math.nan, math.nan]) == expected
        number = holds(condition, y=[0.5, 0.5])
        assert number == (0 if "!=" in condition or "NOT" in condition else 1)

    @pytest.mark.parametrize(("between", "expected"), [(1.0, 0), (math.nan, 1), (2.0, 1)])
    def test_what_is_negated(self, between, expected):
        query = "SEQ(A a, !(N n), B b) WHERE a.y = b.y AND n.y = a.y RETURN a.y"
        assert len(rows(query, "ANB", y=[1.0, between, 1.0])) == expected

    def test_counts(self):
        query = "SEQ(A a, B+ b) WHERE a.y = b.y RETURN COUNT(*) AS n"
        assert rows(query, "ABAB", y=[math.nan, math.nan, 1.0, 1.0]) == [{"n": 1.0}]


def test_times_with_and_without_a_zone():
    moments = pa.array([0, 1], pa.timestamp("us"))
    zoned = moments.cast(pa.timestamp("us", "Europe/Paris"))
    for other in (moments, moments.cast(pa.date32(), safe=False)):
        with pytest.raises(cepheid.BindingError, match="both have a zone or neither has"):
            holds("a.naive < b.zoned", naive=other, zoned=zoned)
    assert holds("a.one < b.two", one=zoned, two=moments.cast(pa.timestamp("ns", "UTC"))) == 1


def test_an_unknown_zone():
    times = pa.array([0, 1], pa.timestamp("us", "Mars/Phobos"))
    with pytest.raises(cepheid.ConfigError, match=r"'Mars/Phobos' is not known.*\n.*offset"):
        holds("a.at < '2024-01-01'", at=times)
