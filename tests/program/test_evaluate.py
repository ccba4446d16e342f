"""Local predicates: which events satisfy a condition."""

import datetime
import decimal
import math

import pyarrow as pa
import pytest

import cepheid

SMALLEST, LARGEST = -(2**63), 2**63 - 1


def holds(condition, values, kind=None):
    """Return the places of the values of `x` that satisfy a condition; `i` is the place."""
    table = pa.table({"i": pa.array(range(len(values)), pa.int64()), "x": pa.array(values, kind)})
    query = cepheid.query(f"PATTERN A WHERE {condition} RETURN A.i")
    return sorted(query.run(table, time="i")["A_i"].to_pylist())


class TestComparisons:
    @pytest.mark.parametrize(
        ("operator", "expected"),
        [
            ("=", [1]),
            ("==", [1]),
            ("!=", [0, 2]),
            ("<>", [0, 2]),
            ("<", [0]),
            ("<=", [0, 1]),
            (">", [2]),
            (">=", [1, 2]),
        ],
    )
    @pytest.mark.parametrize(
        ("values", "literal"),
        [
            ([1, 2, 3, None], "2"),
            ([1.5, 2.5, 3.5, None], "2.5"),
            (["a", "b", "c", None], "'b'"),
            ([*(datetime.date(2024, 1, each) for each in (1, 2, 3)), None], "'2024-01-02'"),
        ],
        ids=["integer", "float", "string", "date"],
    )
    def test_operators(self, operator, expected, values, literal):
        assert holds(f"A.x {operator} {literal}", values) == expected

    @pytest.mark.parametrize("operator", ["=", "!=", "<", ">="])
    @pytest.mark.parametrize(
        ("values", "kind"),
        [
            ([1, None], None),
            (["a", None], None),
            ([None, None], pa.null()),
            ([0, 1], pa.timestamp("us")),
            ([0, 1], pa.timestamp("s", "UTC")),
            ([0, 1], pa.date32()),
        ],
        ids=str,
    )
    def test_nothing_compares_with_null(self, operator, values, kind):
        assert holds(f"A.x {operator} NULL", values, kind) == []
        assert holds(f"NOT A.x {operator} NULL", values, kind) == []

    def test_logic(self):
        values = [0, 1, 2, 3, None]
        assert holds("A.x > 0 AND A.x < 3", values) == [1, 2]
        assert holds("A.x = 0 OR A.x > 2", values) == [0, 3]
        assert holds("NOT (A.x = 0 OR A.x > 2)", values) == [1, 2]
        assert holds("NOT A.x = 0", values) == [1, 2, 3]
        assert holds("TRUE", values) == [0, 1, 2, 3, 4]
        assert holds("FALSE OR A.x = 1", values) == [1]
        assert holds("1 < 2 AND A.x = 1", values) == [1]
        assert holds("1 > 2", values) == []

    def test_booleans(self):
        values = [True, False, None]
        assert holds("A.x", values) == [0]
        assert holds("NOT A.x", values) == [1]
        assert holds("A.x = FALSE", values) == [1]
        assert holds("A.x != TRUE", values) == [1]

    def test_not_a_number(self):
        values = [math.nan, 1.0, math.inf]
        assert holds("A.x = A.x", values) == [1, 2]
        assert holds("A.x > 0", values) == [1, 2]

    def test_two_columns(self):
        assert holds("A.x > A.i", [1, 1, 1, None]) == [0]
        assert holds("A.x > A.i", [0.5, 0.5, 2.5, None]) == [0, 2]


class TestArithmetic:
    @pytest.mark.parametrize(
        ("condition", "values", "expected"),
        [
            ("A.x + 1 = 3", [1, 2, None], [1]),
            ("A.x - 1 = 1", [1, 2, None], [1]),
            ("2 * A.x = 4", [1, 2, None], [1]),
            ("A.x / 2 = 1.5", [3, 2, None], [0]),
            ("-A.x = 2", [-2, 2, None], [0]),
            ("A.x % 3 = 1", [4, -4, 3, None], [0]),
            ("A.x % 3 = -1", [4, -4, 3, None], [1]),
            ("A.x % -3 = 1", [4, -4, 3, None], [0]),
            ("A.x % 2.5 = 0.5", [3, 3.0, 5], [0, 1]),
            ("10 % A.x = 1", [3, 0, None], [0]),
            ("A.x % 2 = 1", [math.inf, 3.0], [1]),
            ("(A.x + 1) * 2 - 6 / 3 = 4", [2, 3], [0]),
            ("80% * A.x = 8", [10, 8], [0]),
        ],
    )
    def test_operators(self, condition, values, expected):
        assert holds(condition, values) == expected

    @pytest.mark.parametrize("condition", ["A.x / 0 = 1", "A.x % 0 = 1", "1 / 0 = 1", "1 % 0 = 1",
        "A.x / 0 != 1", "A.x % 0.0 != 1", "A.x / (A.x - A.x) >= 0"])  # fmt: skip
    def test_by_zero_is_null(self, condition):
        assert holds(condition, [1, 0, -1]) == []


class TestLargeNumbers:
    def test_integers_are_exact(self):
        values = [2**53, 2**53 + 1, LARGEST - 1, LARGEST, SMALLEST]
        assert holds(f"A.x = {2**53 + 1}", values) == [1]
        assert holds(f"A.x = {LARGEST}", values) == [3]
        assert holds(f"A.x < {LARGEST}", values) == [0, 1, 2, 4]
        assert holds(f"A.x = {SMALLEST}", values) == [4]
        assert holds(f"A.x + 1 = {LARGEST}", [LARGEST - 1, 0]) == [0]
        assert holds("A.x % 2 = 1", [2**53 + 1, LARGEST]) == [0, 1]
        assert holds("A.x % -1 = 0", [SMALLEST]) == [0]

    @pytest.mark.parametrize("far", [2**63, 10**30, 10**40, 10**400])
    def test_literals_beyond_64_bits(self, far):
        assert holds(f"A.x < {far}", [LARGEST, SMALLEST]) == [0, 1]
        assert holds(f"A.x = {far}", [LARGEST, SMALLEST]) == []
        assert holds(f"A.x > -{far}", [LARGEST, 0]) == [0, 1]

    @pytest.mark.parametrize(
        "condition", ["A.x > 1.5", "A.x / 2 > 1", "A.x * 1.5 > 2", "A.x + 0.5 > 1", "A.x % 0.5 = 0"]
    )
    def test_integers_beside_floats(self, condition):
        assert holds(condition, [2**53 + 1, LARGEST]) == [0, 1]

    @pytest.mark.parametrize(
        ("condition", "value"),
        [
            ("A.x + 1 > 0", LARGEST),
            ("A.x - 1 < 0", SMALLEST),
            ("A.x * 2 > 0", 2**62),
            ("-A.x > 0", SMALLEST),
        ],
    )
    def test_an_overflow_is_an_error(self, condition, value):
        with pytest.raises(cepheid.DataError, match="cannot be computed: overflow") as caught:
            holds(condition, [1, value])
        assert condition in str(caught.value)

    def test_unsigned(self):
        values = [1, 2**63, 2**64 - 1, None]
        assert holds("A.x > 5", values, pa.uint64()) == [1, 2]
        assert holds(f"A.x = {2**64 - 1}", values, pa.uint64()) == [2]
        assert holds("A.x = -1", values, pa.uint64()) == []
        assert holds(f"A.x + 1 = {2**64}", values, pa.uint64()) == [2]
        assert holds("A.x > 1.5", values, pa.uint64()) == [1, 2]

    def test_small_integers_do_not_wrap(self):
        assert holds("A.x * 100 > 1000", [100, 1], pa.int8()) == [0]

    @pytest.mark.parametrize(
        ("condition", "expected"),
        [
            ("A.x > 9007199254740993.5", [2]),
            ("A.x >= 9007199254740992.5", [1, 2]),
            ("A.x < 9007199254740993.5", [0, 1]),
            ("9007199254740992.1 >= A.x", [0]),
            ("A.x = 9007199254740993.0", [1]),
            ("A.x = 9007199254740993.5", []),
            ("A.x != 9007199254740993.5", [0, 1, 2]),
            ("NOT A.x > 9007199254740993.5", [0, 1]),
            ("A.x < 1e30", [0, 1, 2]),
            ("A.x = 1e30", []),
            ("A.x > -1e30", [0, 1, 2]),
        ],
    )
    def test_integers_next_to_a_fraction(self, condition, expected):
        values = [2**53, 2**53 + 1, 2**53 + 2, None]
        assert holds(condition, values, pa.int64()) == expected

    @pytest.mark.parametrize("kind", [pa.decimal128(22, 2), pa.decimal128(38, 18)], ids=str)
    @pytest.mark.parametrize(
        ("condition", "expected"),
        [
            ("A.x < 12345678901234567890.11", [0]),
            ("A.x = 12345678901234567890.11", [1]),
            ("A.x > 12345678901234567890.105", [1]),
            ("A.x * 1.5 - A.x * 0.5 = 12345678901234567890.10", [0]),
            ("A.x - 12345678901234567890 = 0.1", [0]),
            ("A.x - 12345678901234567890 >= A.x - 12345678901234567889.99", []),
            ("A.x % 1 = 0.11", [1]),
            ("A.x % 0 = 0", []),
            ("-A.x <= -12345678901234567890.11", [1]),
            ("A.x < 1e300", [0, 1]),
            ("A.x > -1e300", [0, 1]),
            ("A.x = 1e-300", []),
        ],
    )
    def test_decimals_keep_their_digits(self, kind, condition, expected):
        last = decimal.Decimal("12345678901234567890.11")
        values = [decimal.Decimal("12345678901234567890.10"), last, None]
        assert holds(condition, values, kind) == expected

    def test_decimals(self):
        values = [decimal.Decimal("1.10"), decimal.Decimal("2.20"), None]
        assert holds("A.x = 1.10", values, pa.decimal128(38, 2)) == [0]
        assert holds("A.x + 1 > 3", values, pa.decimal128(9, 2)) == [1]


class TestTimes:
    VALUES = (
        datetime.datetime(2024, 1, 1),
        datetime.datetime(2024, 1, 1, 12, 30, 0, 500_000),
        datetime.datetime(2024, 1, 2),
        None,
    )
    KINDS = (
        *(pa.timestamp(unit) for unit in ("ms", "us", "ns")),
        *(pa.timestamp(unit, zone) for unit in ("ms", "ns") for zone in ("UTC", "+00:00")),
    )
    ELSEWHERE = tuple(pa.timestamp(unit, "Asia/Tokyo") for unit in ("ms", "us", "ns"))

    @pytest.mark.parametrize("kind", KINDS, ids=str)
    @pytest.mark.parametrize(
        ("condition", "expected"),
        [
            ("A.x > '2024-01-01'", [1, 2]),
            ("'2024-01-02' > A.x", [0, 1]),
            ("A.x = '2024-01-01 12:30:00.5'", [1]),
            ("A.x = '2024-01-01T12:30:00.500+00:00'", [1]),
            ("A.x = '2024-01-01T14:30:00.500+02:00'", [1]),
            ("A.x >= '2024-01-01T12:30:00.500000001'", [2]),
            ("A.x < '2024-01-01T12:30:00.500000001'", [0, 1]),
        ],
    )
    def test_text_next_to_columns_without_a_zone_and_in_utc(self, kind, condition, expected):
        assert holds(condition, self.VALUES, kind) == expected

    @pytest.mark.parametrize("kind", ELSEWHERE, ids=str)
    @pytest.mark.parametrize(
        ("condition", "expected"),
        [
            ("A.x > '2024-01-01 09:00'", [1, 2]),
            ("'2024-01-02 09:00' > A.x", [0, 1]),
            ("A.x = '2024-01-01 21:30:00.5'", [1]),
            ("A.x = '2024-01-01T12:30:00.500+00:00'", [1]),
            ("A.x >= '2024-01-01T21:30:00.500000001'", [2]),
            ("A.x > '2024-01-01T12:30:00.500'", [1, 2]),
        ],
    )
    def test_text_without_a_zone_is_in_that_of_the_column(self, kind, condition, expected):
        assert holds(condition, self.VALUES, kind) == expected

    @pytest.mark.parametrize("kind", [pa.date32(), pa.date64()], ids=str)
    @pytest.mark.parametrize(
        ("condition", "expected"),
        [
            ("A.x = '2024-01-02'", [1]),
            ("A.x > '2024-01-01T12:00:00'", [1]),
            ("A.x = '2024-01-01T00:00:00+02:00'", []),
        ],
    )
    def test_dates(self, kind, condition, expected):
        days = [datetime.date(2024, 1, 1), datetime.date(2024, 1, 2), None]
        assert holds(condition, days, kind) == expected
