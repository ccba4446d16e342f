"""Times of every type and unit; windows measure them alike."""

import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

import cepheid
from tests.engine.streams import rows_of, run

SECONDS = [0, 9, 10, 25]
TYPES = ["A", "B", "B", "B"]
START = datetime.datetime(2024, 2, 28, 23, 59, 50)
MOMENTS = [START + datetime.timedelta(seconds=each) for each in SECONDS]


def table(times):
    return pa.table({"time": times, "type": TYPES, "n": SECONDS})


TIMES = {
    str(kind): pa.array(MOMENTS, kind)
    for kind in [
        *(pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")),
        pa.timestamp("us", "UTC"),
        pa.timestamp("ms", "America/New_York"),
    ]
}
every_type = pytest.mark.parametrize("kind", TIMES)


class TestTimestamps:
    @every_type
    def test_within_is_less_than(self, kind):
        query = "SEQ(A, B) WITHIN 10 seconds RETURN B.n"
        assert rows_of(query, table(TIMES[kind])) == [{"B_n": 9}]

    @every_type
    def test_results_keep_the_type(self, kind):
        times = TIMES[kind]
        result = run("SEQ(A, B) WITHIN 10 seconds", table(times))
        for name in ("A_time", "B_time", "first_time", "last_time"):
            assert result.schema.field(name).type == times.type
        assert result["first_time"].to_pylist() == [times[0].as_py()]

    @every_type
    def test_windows_are_aligned_to_the_epoch(self, kind):
        """23:59:50 to 00:00:00 and 00:00:00 to 00:00:10 are windows; A and B at 9 share one."""
        result = run(
            "SEQ(A, B) WITHIN 10 seconds SLIDE 10 seconds RETURN COUNT(*)", table(TIMES[kind])
        )
        (row,) = result.to_pylist()
        assert result.schema.field("window_start").type == TIMES[kind].type
        ticks = result["window_start"].cast(TIMES[kind].type).cast(pa.int64())
        assert ticks[0].as_py() == TIMES[kind].cast(pa.int64())[0].as_py()
        assert row["window_end"] - row["window_start"] == datetime.timedelta(seconds=10)
        assert row["count"] == 1

    def test_a_bare_number_is_an_error(self):
        with pytest.raises(cepheid.BindingError, match="unit"):
            run("SEQ(A, B) WITHIN 10", table(TIMES["timestamp[us]"]))

    def test_nanoseconds_count(self):
        times = pa.array([0, 1, 2, 3], pa.timestamp("ns"))
        assert rows_of("SEQ(A, B) WITHIN 2 ns RETURN B.n", table(times)) == [{"B_n": 9}]


class TestDates:
    DAYS = [datetime.date(2024, 2, each) for each in (27, 28, 29)] + [datetime.date(2024, 3, 1)]

    @pytest.mark.parametrize("kind", [pa.date32(), pa.date64()], ids=str)
    def test_days(self, kind):
        times = pa.array(self.DAYS, kind)
        assert len(rows_of("SEQ(A, B) WITHIN 3 days", table(times))) == 2
        result = run("SEQ(A, B) WITHIN 2 days SLIDE 1 day RETURN COUNT(*)", table(times))
        assert result.to_pylist() == [
            {
                "window_start": datetime.datetime(2024, 2, 27),
                "window_end": datetime.datetime(2024, 2, 29),
                "count": 1,
            }
        ]
        moments = run("SEQ(A, B) WITHIN 3 days RETURN COUNT(*) AS n", table(times))
        assert moments.schema.field("time").type == kind
        assert [row["n"] for row in moments.to_pylist()] == [1, 2, 0]


class TestIntegers:
    @pytest.mark.parametrize("kind", [pa.int64(), pa.int16(), pa.uint64(), pa.uint8()], ids=str)
    @pytest.mark.parametrize(
        ("window", "unit", "matches"),
        [
            ("10", "s", 1),
            ("10 seconds", "s", 1),
            ("11 seconds", "s", 2),
            ("25 ms", "ms", 2),
            ("25 us", "us", 2),
            ("25 ns", "ns", 2),
            ("1 second", "ms", 3),
            ("10", "ns", 1),
            ("11 hours", "h", 2),
            ("1 day", "h", 2),
            ("10 minutes", "min", 1),
        ],
    )
    def test_units(self, kind, window, unit, matches):
        times = pa.array(SECONDS, kind)
        found = rows_of(f"SEQ(A, B) WITHIN {window}", table(times), time_unit=unit)
        assert len(found) == matches

    @pytest.mark.parametrize(
        ("times", "window", "unit", "matches"),
        [
            pytest.param([0.0, 0.1, 0.2, 0.3], "0.3", "s", 2, id="0.3 is not below 0.3"),
            pytest.param([0.0, 0.1, 0.2, 0.3], "300 ms", "s", 2, id="lengths of time"),
            pytest.param([0.5, 1, 1.5, 2], "1.5", "ms", 2, id="units"),
            pytest.param([0.5, 1, 1.5, 2], "1.5 us", "us", 2, id="microseconds"),
            pytest.param([0.25, 0.5, 1, 2], "1 hour", "h", 2, id="hours"),
            pytest.param([1.7e9 + 0.1, 1.7e9 + 0.4, 1.7e9 + 0.6, 1.8e9], "0.5", "s", 1, id="today"),
            pytest.param([1.7e12, 1.7e12 + 9, 1.7e12 + 10, 1.7e12 + 11], "10", "ms", 1, id="ms"),
            pytest.param([-0.3, -0.2, 0.0, 0.1], "0.3", "s", 1, id="below 0"),
        ],
    )
    def test_floats_are_the_decimals_they_are_written_as(self, times, window, unit, matches):
        query = f"SEQ(A, B) WITHIN {window}"
        assert len(rows_of(query, table(times), time_unit=unit)) == matches
        decimals = pa.array([Decimal(str(each)) for each in times], pa.decimal128(18, 4))
        assert len(rows_of(query, table(decimals), time_unit=unit)) == matches

    @pytest.mark.parametrize(
        ("time", "message"),
        [
            (float("nan"), "has nan in row 1, which is no time"),
            (float("-inf"), "has -inf in row 1, which is no time"),
            (1 / 3, r"0\.333\d* in row 1 .* more than 6 digits.*\n.*round the column to 6"),
            (0.1 + 0.2, "0.30000000000000004 in row 1 .* more than 6 digits"),
            (2.0**33 + 2.0**-19, r"more than 3 digits.*\n.*round the column to 3"),
            (2.0**42, r"too large for a time that is a float.*\n.*2\^42"),
        ],
    )
    def test_floats_that_are_no_times(self, time, message):
        with pytest.raises(cepheid.DataError, match=message):
            run("SEQ(A, B)", table([0.0, time, 1.0, 2.0]))

    def test_short_floats(self):
        times = pa.array([0.1, 0.2, 0.3, 0.4], pa.float32())
        assert len(rows_of("SEQ(A, B) WITHIN 0.2", table(times))) == 1
        assert len(rows_of("SEQ(A, B) WITHIN 0.3", table(times))) == 2

    def test_decimals_keep_their_scale(self):
        times = pa.array([Decimal("1.50"), Decimal("2.25"), Decimal("3"), Decimal("4.75")],
                         pa.decimal128(10, 2))  # fmt: skip
        found = run("SEQ(A, B+) WITHIN 2 SLIDE 1 RETURN COUNT(*) AS n", table(times))
        assert found.schema.field("window_start").type == pa.decimal128(19, 2)
        assert found.to_pylist() == [
            {"window_start": Decimal("1.00"), "window_end": Decimal("3.00"), "n": 1.0}
        ]

    @pytest.mark.parametrize("kind", [pa.decimal128(38, 2), pa.decimal256(50, 2)], ids=str)
    def test_decimals_that_do_not_fit_64_bits(self, kind):
        times = pa.array([Decimal(0), Decimal(10) ** 17, Decimal(1), Decimal(2)], kind)
        with pytest.raises(cepheid.DataError, match="does not fit 64 bits"):
            run("SEQ(A, B)", table(times))

    def test_a_length_of_time_beside_the_column(self):
        for times in ([0.0, 0.25, 0.5, 2.0], [Decimal("0.00"), Decimal("0.25"), Decimal("0.50"),
                                               Decimal("2.00")]):  # fmt: skip
            query = "SEQ(A a, B b) WHERE b.time - a.time < 500 ms RETURN b.n"
            assert rows_of(query, table(times)) == [{"b_n": 9}]

    def test_results_are_events_of_other_queries(self):
        inner = "PATTERN SEQ(A a, B b) WITHIN 2 SLIDE 1 RETURN COUNT(*) AS n INTO Pair"
        outer = "PATTERN SEQ(Pair p, B b) RETURN p.time AS p, b.time AS b"
        for times in (pa.array([Decimal(each) for each in ("0.5", "1.5", "2.5", "9.5")],
                               pa.decimal128(9, 1)), pa.array([0.5, 1.5, 2.5, 9.5])):  # fmt: skip
            work = cepheid.workload({"inner": inner, "outer": outer})
            found = work.run(table(times), time="time", type="type")["outer"].to_pylist()
            # The last tick before the window ends: 2.0 - 0.1, or 2.0 - 0.000001.
            step = Decimal("0.1") if pa.types.is_decimal(times.type) else 0.000001
            assert {row["p"] for row in found} == {2 - step}

    def test_an_unknown_unit(self):
        with pytest.raises(cepheid.ConfigError, match=r"'fortnight'.*\n.*s, min, h or d"):
            run("SEQ(A, B)", table(SECONDS), time_unit="fortnight")

    @pytest.mark.parametrize(
        ("query", "times"),
        [
            pytest.param("SEQ(A, B)", [-(2**63), 0, 1, 2], id="no-window"),
            pytest.param("SEQ(A, B) WITHIN 9", [-(2**63) + 5, 0, 1, 2], id="begin"),
            pytest.param(
                "SEQ(A, B) WITHIN 9 RETURN COUNT(*)", [-(2**63) + 5, 0, 1, 2], id="moment"
            ),
            pytest.param(
                "SEQ(A, B) WITHIN 9 SLIDE 3 RETURN COUNT(*)", [0, 1, 2, 2**63 - 5], id="end"
            ),
        ],
    )
    def test_times_at_the_limits_do_not_wrap(self, query, times):
        with pytest.raises(cepheid.DataError, match="too close to the limit of 64 bits"):
            run(query, table(times))

    def test_times_up_to_the_limits(self):
        times = [-(2**63) + 10, 2**63 - 3, 2**63 - 2, 2**63 - 1]
        assert len(rows_of("SEQ(A, B)", table(times))) == 3
        assert rows_of("SEQ(A, B) WITHIN 9", table(times)) == []

    def test_unsigned_times_beyond_64_bits(self):
        times = pa.array([0, 1, 2, 2**64 - 1], pa.uint64())
        with pytest.raises(cepheid.DataError, match="'time' does not fit 64 bits"):
            run("SEQ(A, B)", table(times))


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kolkata", "UTC", None])
def test_a_literal_without_zone_is_in_that_of_the_column(zone):
    """On the day on which New York's clocks go forward, and where they stand in the column."""
    clock = None if zone is None else ZoneInfo(zone)
    early = datetime.datetime(2024, 3, 10, 6, 58, tzinfo=clock)
    hours = [early, early + datetime.timedelta(minutes=2)]
    events = pa.table({"ts": pa.array(hours, pa.timestamp("us", zone)), "kind": ["A", "A"]})
    for condition in ("a.ts >= '2024-03-10 06:59'", "a.ts >= TIMESTAMP '2024-03-10 06:59:00'"):
        query = cepheid.query(f"PATTERN A a WHERE {condition} RETURN a.ts")
        assert query.run(events, time="ts", type="kind")["a_ts"].to_pylist() == hours[1:]
    pair = cepheid.query("PATTERN SEQ(A a, A b) WHERE a.ts < '2024-03-10 06:59' AND a.ts < b.ts")
    assert pair.run(events, time="ts", type="kind").num_rows == 1
