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
