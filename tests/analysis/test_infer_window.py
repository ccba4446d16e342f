"""WITHIN and SLIDE in ticks of the time column (semantics, section 5)."""

import pytest

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import NeighbourBound, WindowUnit
from cepheid.analysis.schema import EventSchema
from tests.analysis.schemas import bind

SECOND = 1_000_000


def window_of(text, **options):
    return bind(f"PATTERN Trade RETURN COUNT(*) WITHIN {text}", **options).window


@pytest.mark.parametrize(
    ("text", "ticks"),
    [
        ("1 us", 1), ("1 microseconds", 1), ("10 ms", 10_000), ("1 millisecond", 1000),
        ("10s", 10 * SECOND), ("1 sec", SECOND), ("2 secs", 2 * SECOND), ("1 second", SECOND),
        ("1 m", 60 * SECOND), ("5 min", 300 * SECOND), ("2 mins", 120 * SECOND),
        ("1 minute", 60 * SECOND), ("12 hours", 43_200 * SECOND), ("1 h", 3600 * SECOND),
        ("1 hr", 3600 * SECOND), ("1 day", 86_400 * SECOND), ("2 d", 172_800 * SECOND),
        ("1 week", 604_800 * SECOND), ("1.5 minutes", 90 * SECOND), ("0.1 s", 100_000),
        ("0.3 s", 300_000), ("1500 ns", 2), ("1 HOURS", 3600 * SECOND),
        ("1h 30min", 5400 * SECOND), ("1 min 0.5 s", 60_500_000),
    ],
)  # fmt: skip
def test_units_on_timestamps(text, ticks):
    window = window_of(text)
    assert (window.length, window.slide, window.unit) == (ticks, None, WindowUnit.TIME)


@pytest.mark.parametrize(
    ("text", "ticks"),
    [("1000", 1000), ("10 s", 10), ("2 min", 120), ("1 hour", 3600), ("500 ms", 1), ("1.5", 2)],
)
def test_integers_count_seconds_and_round_a_window_up(text, ticks):
    assert window_of(text, time="integer").length == ticks


def test_the_resolution_of_an_integer_column_can_be_declared():
    schema = EventSchema({"t": AttributeType.INTEGER}, time="t", ticks_per_second=1000)
    query = bind("PATTERN A WITHIN 1.5 s", schema=schema)
    assert query.window.length == 1500
    assert bind("PATTERN A WITHIN 1500", schema=schema).window.length == 1500


def test_slide():
    window = window_of("10 minutes SLIDE 30 seconds")
    assert (window.length, window.slide) == (600 * SECOND, 30 * SECOND)
    assert window_of("1 s SLIDE 0.1 s").slide == SECOND // 10
    assert window_of("5 s SLIDE 5 s").slide == 5 * SECOND
    assert window_of("9 SLIDE 3", time="integer").slide == 3


def test_counts_of_events():
    window = window_of("500 EVENTS SLIDE 1 event")
    assert (window.length, window.slide, window.unit) == (500, 1, WindowUnit.EVENTS)


def test_the_window_keeps_its_text():
    assert window_of("10 Minutes SLIDE 30 s").text == "WITHIN 10 minutes SLIDE 30 s"


@pytest.mark.parametrize(
    ("text", "value", "ticks", "unit"),
    [
        (":w", "10 minutes", 600 * SECOND, WindowUnit.TIME),
        (":w", "1.5s", SECOND * 3 // 2, WindowUnit.TIME),
        (":w minutes", 10, 600 * SECOND, WindowUnit.TIME),
        (":w minutes", "10", 600 * SECOND, WindowUnit.TIME),
        (":w minutes", 0.1, 6 * SECOND, WindowUnit.TIME),
        (":w EVENTS", 500, 500, WindowUnit.EVENTS),
        (":w", "500 Events", 500, WindowUnit.EVENTS),
    ],
)
def test_a_parameter_stands_for_the_amount_or_for_amount_and_unit(text, value, ticks, unit):
    window = window_of(text, parameters={"w": value})
    assert (window.length, window.unit) == (ticks, unit)


def test_between():
    query = bind(
        "PATTERN SEQ(Trade a, Quote b) WITHIN 5 s BETWEEN a, b WITHIN 1 s BETWEEN a, Quote"
    )
    assert query.window is None
    assert query.neighbour_bounds == (
        NeighbourBound(5 * SECOND, "a", "b"),
        NeighbourBound(SECOND, "a", "b"),
    )
