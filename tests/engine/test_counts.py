"""Counts never wrap, saturate silently or lose small terms."""

import math

import pyarrow as pa
import pytest

import cepheid
from tests.engine.streams import rows_of, run


def stream_of(*parts):
    """Events of the types given as ("A", 3) or as a type alone, one a time unit."""
    types = [each for part in parts for each in ([part[0]] * part[1] if len(part) > 1 else [part])]
    return pa.table({"time": list(range(len(types))), "type": types, "k": ["x"] * len(types)})


def fixed(length):
    return f"SEQ({', '.join(['A'] * length)})"


class TestBigint:
    @pytest.mark.parametrize(
        ("events", "length"),
        [(60, 30), (62, 31), (66, 33), (66, 30), (400, 7), (2**16 + 1, 4), (100_000, 1)],
    )
    def test_below_the_limit_counts_are_exact(self, events, length):
        """A fixed sequence of n events out of N: N choose n."""
        expected = math.comb(events, length)
        assert expected < 2**63
        rows = rows_of(f"{fixed(length)} RETURN COUNT(*) AS n", stream_of(("A", events)))
        assert rows == [{"n": expected}]

    @pytest.mark.parametrize(("events", "length"), [(67, 33), (300, 12), (400, 60), (3_000, 60)])
    def test_above_the_limit_is_an_error(self, events, length):
        assert math.comb(events, length) >= 2**63
        with pytest.raises(cepheid.DataError, match="exceeds BIGINT") as caught:
            run(f"{fixed(length)} RETURN COUNT(*)", stream_of(("A", events)))
        assert "the whole input" in str(caught.value)
        assert "LOG2(COUNT(*)) or EXACT COUNT(*)" in str(caught.value)

    def test_the_error_names_window_and_group(self):
        query = f"{fixed(12)} WITHIN 500 SLIDE 500 RETURN COUNT(*) GROUP BY k"
        place = "window_start = 0, window_end = 500, k = x"
        with pytest.raises(cepheid.DataError, match=place):
            run(query, stream_of(("A", 300)))

    def test_the_error_names_the_moment(self):
        query = f"{fixed(12)} WITHIN 500 RETURN COUNT(*) GROUP BY k"
        with pytest.raises(cepheid.DataError, match=r"time = \d+, k = x"):
            run(query, stream_of(("A", 300)))

    def test_the_sum_of_partitions_can_exceed_it(self):
        stream = stream_of(("A", 132))
        both = stream.set_column(2, "k", pa.array(["x", "y"] * 66))
        assert 2 * math.comb(66, 33) > 2**63 - 1 > math.comb(66, 33)
        with pytest.raises(cepheid.DataError, match="exceeds BIGINT"):
            run(f"{fixed(33)} WHERE [k] RETURN COUNT(*)", both)

    @pytest.mark.parametrize("groups", [("x",), ("x", "y")], ids=["2^62", "2^63"])
    def test_powers_at_the_limit(self, groups):
        """A{62} over 62 steps of two concurrent events has 2^62 trends; two such groups 2^63."""
        events = [(step, k) for k in groups for step in range(62) for _ in range(2)]
        times, ks = zip(*events, strict=True)
        table = pa.table({"time": times, "type": ["A"] * len(times), "k": ks})
        query = "A{62} WHERE [k] SEMANTICS contiguous RETURN COUNT(*) AS n"
        if len(groups) == 1:
            assert rows_of(query, table) == [{"n": 2**62}]
        else:
            with pytest.raises(cepheid.DataError, match="exceeds BIGINT"):
                run(query, table)

    def test_contiguous_ties(self):
        """Two concurrent events a step: contiguous A+ grows like 2^n, and is BIGINT by its text."""
        times = [step for step in range(64) for _ in range(2)]
        table = pa.table({"time": times, "type": ["A"] * len(times)})
        with pytest.raises(cepheid.DataError, match="exceeds BIGINT"):
            run("A+ SEMANTICS contiguous RETURN COUNT(*)", table)


class TestDouble:
    def test_infinity_beside_a_finite_logarithm(self):
        query = "A+ RETURN COUNT(*) AS n, LOG2(COUNT(*)) AS bits"
        (row,) = rows_of(query, stream_of(("A", 1500)))
        assert row["n"] == math.inf
        assert row["bits"] == pytest.approx(1500, abs=1e-9)

    @pytest.mark.parametrize("size", [10, 52, 53])
    def test_exact_up_to_2_to_the_53(self, size):
        rows = rows_of("A+ RETURN COUNT(*) AS n", stream_of(("A", size)))
        assert rows == [{"n": float(2**size - 1)}]

    @pytest.mark.parametrize("size", [54, 63, 64, 255, 256, 257, 512, 1000, 1023])
    def test_close_up_to_the_largest_double(self, size):
        (row,) = rows_of("A+ RETURN COUNT(*) AS n, LOG2(COUNT(*)) AS bits", stream_of(("A", size)))
        assert row["n"] == pytest.approx(2.0**size, rel=1e-14)
        assert row["bits"] == pytest.approx(size, rel=1e-14)

    def test_small_counts_are_not_flushed_beside_large_ones(self):
        """a b c, then many a: the one trend stays one, whatever the a's count to."""
        query = "SEQ(A+, B, C) RETURN COUNT(*) AS n, LOG2(COUNT(*)) AS bits"
        rows = rows_of(query, stream_of("A", "B", "C", ("A", 3000)))
        assert rows == [{"n": 1.0, "bits": 0.0}]

    def test_small_counts_grow_on_after_large_ones(self):
        query = "SEQ(A+, B, C) RETURN COUNT(*) AS n"
        rows = rows_of(query, stream_of("A", "B", ("A", 3000), ("C", 7)))
        assert rows == [{"n": 7.0}]

    def test_logarithm_of_no_trend_is_null(self):
        rows = rows_of("SEQ(A+, B) WITHIN 5 RETURN LOG2(COUNT(*)) AS bits", stream_of("B"))
        assert rows == [{"time": 0, "bits": None}]

    def test_logarithm_where_bigint_would_overflow(self):
        rows = rows_of(f"{fixed(60)} RETURN LOG2(COUNT(*)) AS bits", stream_of(("A", 400)))
        assert rows[0]["bits"] == pytest.approx(math.log2(math.comb(400, 60)), rel=1e-12)

    @pytest.mark.parametrize("window", ["", "WITHIN 5000 SLIDE 5000", "WITHIN 5000"])
    def test_every_kind_of_window_keeps_large_counts(self, window):
        rows = rows_of(f"A+ {window} RETURN LOG2(COUNT(*)) AS bits", stream_of(("A", 1200)))
        assert rows[-1]["bits"] == pytest.approx(1200, abs=1e-9)
