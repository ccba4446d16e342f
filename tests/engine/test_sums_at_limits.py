"""SUM and AVG of infinite values, of values that cancel, and of values beyond 64 bits."""

import math

import pyarrow as pa
import pytest

import cepheid

METHODS = {
    "": "{pattern} RETURN {columns}",
    "panes": "{pattern} WITHIN 100 SLIDE 1 RETURN {columns}",
    "recent": "{pattern} WITHIN 1000 RETURN {columns}",
    "neighbours": "{pattern} WHERE A.t < NEXT(A).t RETURN {columns}",
    "enumerated": "{pattern} WHERE A[1].t >= 0 RETURN {columns}",
    "contiguous": "{pattern} SEMANTICS contiguous RETURN {columns}",
}


def last_row(text, values, **options):
    """Return the last row for A's with these values."""
    column = values if isinstance(values, pa.Array) else pa.array(values)
    events = pa.table({"t": range(len(values)), "type": ["A"] * len(values), "x": column})
    rows = cepheid.query(f"PATTERN {text}").run(events, time="t", type="type", **options)
    full = [row for row in rows.to_pylist() if row.get("window_start", 0) == 0]
    return full[-1]


class TestInfiniteValues:
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize(
        ("values", "total"),
        [
            ([math.inf, math.nan], math.nan),
            ([math.nan, 1.0, math.inf], math.nan),
            ([math.inf, math.inf, math.inf, -math.inf], math.nan),
            ([math.inf, 1e300, math.inf, -1e300], math.inf),
            ([-math.inf, 1.0, 2.0], -math.inf),
            ([math.inf] * 60 + [math.nan], math.nan),
            ([math.nan] + [1.0] * 60 + [math.inf], math.nan),
        ],
    )
    def test_they_add_up_as_in_ieee_754(self, method, values, total):
        pattern = "A+" if len(values) < 10 or method != "enumerated" else "A{1,2}"
        text = METHODS[method].format(
            pattern=pattern, columns="SUM(A.x) AS total, AVG(A.x) AS mean"
        )
        row = last_row(text, values)
        assert [row["total"], row["mean"]] == pytest.approx([total] * 2, nan_ok=True)

    def test_of_single_events(self):
        row = last_row("A RETURN SUM(A.x) AS total", [math.inf, math.inf, math.nan])
        assert math.isnan(row["total"])


class TestCancellingIntegers:
    LARGE = 2**53

    def test_a_sum_and_an_average_of_single_events(self):
        row = last_row("A RETURN SUM(A.x) AS total, AVG(A.x) AS mean", [self.LARGE, 1, -self.LARGE])
        assert row == {"total": 1, "mean": 1 / 3}

    @pytest.mark.parametrize("method", METHODS)
    def test_a_double_of_trends(self, method):
        text = METHODS[method].format(pattern="A+", columns="SUM(A.x) AS total, AVG(A.x) AS mean")
        row = last_row(text, [self.LARGE, 1, -self.LARGE])
        # The event in the middle is in 4 trends; contiguous ones have 10 events, others 12.
        total, mean = (4, 4 / 12) if method != "contiguous" else (4, 4 / 10)
        assert (row["total"], row["mean"]) == (total, mean)

    def test_sizes_beyond_64_bits(self):
        values = [2**62, 2**62, 2**62, 3, -(2**62), -(2**62), -(2**62)]
        row = last_row("A+ RETURN SUM(A.x) AS total, AVG(A.x) AS mean", values)
        assert row == {"total": 3.0 * 64, "mean": 3 / 7}

    def test_a_sum_next_to_a_large_double(self):
        values = [2**63 - 1] * 8 + [-(2**63)] * 6 + [12345]
        row = last_row("A RETURN AVG(A.x) AS mean", values)
        assert row["mean"] == (8 * (2**63 - 1) - 6 * 2**63 + 12345) / 15


class TestBigSums:
    """Sums whose sizes add up to more than a double and a low word tell."""

    WINDOWS = ("", "WITHIN 10000 SLIDE 10000", "WITHIN 10000", "SEMANTICS skip-till-next-match")

    def events(self, more=0):
        count = 1100
        types = [name for name in "ABC" for _ in range(count)]
        x = [(-1) ** place * 2**62 for place in range(3 * count)]
        x[0] += more
        return pa.table({"t": range(len(types)), "type": types, "x": x})

    @pytest.mark.parametrize("window", WINDOWS)
    def test_what_cancels_is_no_overflow(self, window):
        text = f"PATTERN SEQ(A, B, C) {window} RETURN SUM(A.x) AS total, COUNT(*) AS n"
        rows = cepheid.query(text).run(self.events(), time="t", type="type").to_pylist()
        first = [row for row in rows if row.get("window_start", 0) == 0]
        assert first[-1]["total"] == 0

    def test_every_digit_is_right(self):
        text = "PATTERN SEQ(A, B, C) RETURN SUM(A.x) AS total, SUM(B.x) AS other"
        rows = cepheid.query(text).run(self.events(more=-7), time="t", type="type").to_pylist()
        assert rows == [{"total": -7 * 1100**2, "other": 0}]

    def test_neighbours_and_ties(self):
        events = self.events(more=3)
        text = "PATTERN SEQ(A, B, C) WHERE A.t < NEXT(B).t RETURN SUM(A.x) AS total"
        assert cepheid.query(text).run(events, time="t", type="type").to_pylist() == [
            {"total": 3 * 1100**2}
        ]
        tied = events.set_column(0, "t", pa.array([each // 1100 for each in range(3300)]))
        text = "PATTERN SEQ(A, B, C) RETURN SUM(A.x) AS total"
        assert cepheid.query(text).run(tied, time="t", type="type").to_pylist() == [
            {"total": 3 * 1100**2}
        ]

    def test_what_does_not_cancel_is_one(self):
        text = "PATTERN SEQ(A, B, C) RETURN SUM(A.x) AS total"
        with pytest.raises(cepheid.DataError, match="'total' exceeds BIGINT"):
            cepheid.query(text).run(self.events(more=-(2**62)), time="t", type="type")
