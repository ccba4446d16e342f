"""No result wraps, saturates silently or turns into NaN by itself (semantics, section 8)."""

import math
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from tests.engine.streams import rows_of, run

WINDOWS = ["", "WITHIN 9999 SLIDE 9999", "WITHIN 9999"]
INF, NAN = math.inf, math.nan
LARGEST = 2**63 - 1


def stream_of(types: Sequence[str], values: Sequence[Any] = (), **columns: Any) -> pa.Table:
    """Events one a time unit; `x` is the value, 1 if not given."""
    size = len(types)
    return pa.table(
        {"time": range(size), "type": types, "x": values or [1] * size}
        | {name: [each] * size for name, each in columns.items()}
    )


def last_row(query: str, table: pa.Table) -> dict[str, Any]:
    """The row of the whole stream: the only one, or the one at the last moment."""
    return rows_of(query, table)[-1]


def eight_types(each: int) -> pa.Table:
    """`each` events of every type of A … H: SEQ of them has each^8 trends."""
    return stream_of([kind for kind in "ABCDEFGH" for _ in range(each)], k="x")


SEQUENCE = "SEQ(A, B, C, D, E, F, G, H)"


class TestBigint:
    @pytest.mark.parametrize("window", WINDOWS)
    @pytest.mark.parametrize("where", ["", "WHERE A.x <= NEXT(B).x"])
    def test_exact_up_to_the_limit(self, window, where):
        row = last_row(f"{SEQUENCE} {where} {window} RETURN COUNT(*) AS n", eight_types(200))
        assert row["n"] == 200**8

    @pytest.mark.parametrize("each", [235, 256, 300])
    def test_an_overflow_is_an_error_even_if_64_bits_are_0(self, each):
        assert each**8 > LARGEST
        with pytest.raises(cepheid.DataError, match="exceeds BIGINT") as caught:
            run(f"{SEQUENCE} RETURN COUNT(*)", eight_types(each))
        assert "EXACT" in str(caught.value)
        assert "LOG2" in str(caught.value)

    def test_the_same_count_as_text_and_as_logarithm(self):
        query = f"{SEQUENCE} RETURN EXACT COUNT(*) AS n, LOG2(COUNT(*)) AS bits"
        assert rows_of(query, eight_types(256)) == [{"n": str(2**64), "bits": 64.0}]

    def test_the_error_names_window_and_group(self):
        table = eight_types(300)
        query = f"{SEQUENCE} WITHIN 5000 SLIDE 5000 RETURN COUNT(*) GROUP BY k"
        with pytest.raises(cepheid.DataError, match="window_start = 0, window_end = 5000, k = x"):
            run(query, table)
        with pytest.raises(cepheid.DataError, match=r"time = \d+, k = x"):
            run(f"{SEQUENCE} WITHIN 5000 RETURN COUNT(*) GROUP BY k", table)

    @pytest.mark.parametrize("counted", ["COUNT(A)", "COUNT(A.x)", "SUM(A.x)"])
    def test_other_columns_overflow_too(self, counted):
        place = "window_start = 0, window_end = 5000, k = x"
        query = f"{SEQUENCE} WITHIN 5000 SLIDE 5000 RETURN {counted} AS total GROUP BY k"
        with pytest.raises(cepheid.DataError, match=place):
            run(query, eight_types(256))

    @pytest.mark.parametrize("window", WINDOWS[:2])
    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            ([LARGEST], LARGEST),
            ([-(2**63)], -(2**63)),
            ([LARGEST, -5], LARGEST - 5),
            ([-(2**63), LARGEST], -1),
            ([2**62, 2**62, -(2**62), -(2**62), 3], 3),
            ([2**62, 2**62, 2**62, 2**62, 1 - 2**62, 1 - 2**62, 1 - 2**62, 2 - 2**62], 5),
            ([2**53 + 1, 2**53 + 1], 2**54 + 2),
        ],
    )
    def test_sums_are_exact_whatever_they_pass_through(self, window, values, expected):
        row = last_row(f"A {window} RETURN SUM(A.x) AS n", stream_of("A" * len(values), values))
        assert row["n"] == expected

    @pytest.mark.parametrize(
        "values", [[LARGEST, 1], [-(2**63), -1], [2**62, 2**62], [2**62] * 4, [-(2**62)] * 5]
    )
    def test_sums_beyond_the_limit_are_an_error(self, values):
        with pytest.raises(cepheid.DataError, match="exceeds BIGINT"):
            run("A RETURN SUM(A.x) AS n", stream_of("A" * len(values), values))

    def test_minimum_and_maximum_of_the_largest_integers(self):
        values = [-(2**63), 0, LARGEST]
        query = "A+ RETURN MIN(A.x) AS least, MAX(A.x) AS most"
        assert rows_of(query, stream_of("AAA", values)) == [{"least": values[0], "most": LARGEST}]
        assert rows_of(query, stream_of("A", [LARGEST])) == [{"least": LARGEST, "most": LARGEST}]
        assert rows_of(query, stream_of("A", values[:1])) == [{"least": values[0]} | {
            "most": values[0]}]  # fmt: skip


class TestDouble:
    @pytest.mark.parametrize("window", WINDOWS)
    @pytest.mark.parametrize("where", ["", "WHERE A.x <= NEXT(A).x"])
    def test_logarithm_and_digits_where_the_count_is_infinite(self, window, where):
        query = f"""A+ {where} {window}
            RETURN COUNT(*) AS n, LOG2(COUNT(*)) AS bits, EXACT COUNT(*) AS digits, COUNT(A) AS a
        """
        row = last_row(query, stream_of("A" * 1100))
        assert row["n"] == INF
        assert row["a"] == INF
        assert row["bits"] == pytest.approx(1100, rel=1e-12)
        assert row["digits"] == str(2**1100 - 1)

    @pytest.mark.parametrize("window", WINDOWS)
    @pytest.mark.parametrize("where", ["", "WHERE A.f <= NEXT(A).f"])
    def test_averages_of_counts_beyond_2_to_the_1024(self, window, where):
        """Every event of A+ is in 2^(n-1) trends, so the average is that of the events."""
        values = [each % 7 - 2 for each in range(1300)]
        table = stream_of("A" * 1300, values, f=1.0)
        query = f"A+ {where} {window} RETURN AVG(A.x) AS mean, SUM(A.x) AS total, MIN(A.x) AS least"
        row = last_row(query, table)
        assert row["mean"] == pytest.approx(sum(values) / 1300, rel=1e-11)
        assert row["total"] == INF
        assert row["least"] == -2

    @pytest.mark.parametrize("sign", [1, -1])
    def test_sums_become_infinite_with_their_sign(self, sign):
        row = last_row("A+ RETURN SUM(A.x) AS total", stream_of("A" * 1300, [sign] * 1300))
        assert row["total"] == sign * INF

    def test_what_cancels_out_is_no_nan(self):
        values = [1, -1] * 650
        row = last_row(
            "A+ RETURN AVG(A.x) AS mean, SUM(A.x) AS total", stream_of("A" * 1300, values)
        )
        assert abs(row["mean"]) < 1e-9
        assert not math.isnan(row["total"])

    def test_averages_of_the_largest_numbers(self):
        table = stream_of("AAA", [1.5e308, 1.6e308, 1.7e308])
        row = last_row("A+ RETURN AVG(A.x) AS mean, SUM(A.x) AS total", table)
        assert row == {"mean": pytest.approx(1.6e308, rel=1e-12), "total": INF}

    def test_the_smallest_numbers_are_kept(self):
        table = stream_of("AAA", [5e-324, 5e-324, 1e-300])
        row = last_row("SEQ(A a, A b, A c) RETURN SUM(a.x) AS s, AVG(c.x) AS m", table)
        assert row == {"s": 5e-324, "m": 1e-300}

    def test_hundreds_of_digits_in_every_window(self):
        table = stream_of("A" * 900)
        rows = rows_of("A+ WITHIN 450 SLIDE 225 RETURN EXACT COUNT(*) AS n", table)
        assert [row["n"] for row in rows] == [
            str(2**size - 1) for size in (225, 450, 450, 450, 225)
        ]

    def test_hundreds_of_digits_add_up_over_partitions(self):
        table = stream_of("A" * 800).append_column("k", pa.array([0, 1] * 400))
        rows = rows_of("A+ WHERE [k] RETURN EXACT COUNT(*) AS n", table)
        assert rows == [{"n": str(2 * (2**400 - 1))}]

    def test_having_compares_what_the_columns_hide(self):
        table = stream_of("A" * 1100)
        query = "A+ RETURN LOG2(COUNT(*)) AS bits HAVING {}"
        for kept in ("COUNT(*) > 5", "bits > 1099", "AVG(A.x) = 1", "NOT COUNT(A) < 7"):
            assert len(rows_of(query.format(kept), table)) == 1
        for dropped in ("COUNT(*) < 5", "bits > 1101", "AVG(A.x) > 1"):
            assert rows_of(query.format(dropped), table) == []


class TestUndefined:
    @pytest.mark.parametrize("window", WINDOWS)
    @pytest.mark.parametrize("where", ["", "WHERE A.time < NEXT(A).time"])
    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            ([1.0, INF, 2.0], (INF, INF, 1.0, INF)),
            ([1.0, -INF, 2.0], (-INF, -INF, -INF, 2.0)),
            ([INF, -INF, None], (NAN, NAN, -INF, INF)),
            ([NAN, 2.0, 1.0], (NAN, NAN, 1.0, NAN)),
            ([NAN, NAN, None], (NAN, NAN, NAN, NAN)),
            ([None, None, None], (None, None, None, None)),
        ],
    )
    def test_attributes_that_are_not_finite(self, window, where, values, expected):
        query = f"A+ {where} {window} RETURN SUM(A.x), AVG(A.x), MIN(A.x), MAX(A.x), COUNT(*) AS n"
        table = stream_of("AAA", values)
        table = table.set_column(2, "x", pa.array(values, pa.float64(), from_pandas=False))
        row = last_row(query, table)
        *found, count = list(row.values())[-5:]
        assert count == 7
        assert list(map(repr, found)) == list(map(repr, expected))

    def test_they_spoil_only_the_trends_they_are_in(self):
        values = [1.0, NAN, 2.0, INF]
        table = stream_of("ABAB", values)
        query = "SEQ(A a, B b) RETURN SUM(a.x) AS a, MIN(b.x) AS b"
        assert rows_of(query, table) == [{"a": 4.0, "b": INF}]
        blocked = "SEQ(A a, B b) WHERE b.x < 9 OR b.x > 9 RETURN SUM(b.x) AS b, COUNT(*) AS n"
        assert rows_of(blocked, table) == [{"b": INF, "n": 2}]

    def test_an_infinite_value_in_many_trends(self):
        values = [INF, *[1.0] * 1299]
        row = last_row(
            "A+ RETURN AVG(A.x) AS mean, MIN(A.x) AS least", stream_of("A" * 1300, values)
        )
        assert row == {"mean": INF, "least": 1.0}

    def test_other_types_have_a_smallest_value_too(self):
        table = pa.table(
            {
                "time": [1, 2, 3],
                "type": ["A"] * 3,
                "flag": [True, False, None],
                "text": ["b", "ä", None],
            }
        )
        query = "A+ RETURN MIN(A.flag) AS f, MAX(A.flag) AS t, MIN(A.text) AS b, MAX(A.text) AS a"
        assert rows_of(query, table) == [{"f": False, "t": True, "b": "b", "a": "ä"}]
