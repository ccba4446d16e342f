"""Windows of one tick: before a first step there are more of them than 64-bit integers."""

import pytest

from tests.properties.comparison import SCHEMA
from tests.properties.queries import Case
from tests.properties.stream_steps import Batch, drive, program_of, rows_of


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("slide", [1, 2])
def test_all_windows_are_reported(slide: int, ordered: bool) -> None:
    text = f"PATTERN A a WITHIN {slide} SLIDE {slide} RETURN COUNT(*) AS n"
    events = [{"type": "A", "time": time, "seq": 0, "k": 1, "x": 0} for time in (0, 0, 3, 5)]
    program = program_of(Case(text, events, ()), SCHEMA)
    steps = drive(program, [Batch(events, None), Batch([], 1000)], ordered=ordered)
    found = [(row["window_start"], row["n"]) for row in rows_of(program, steps)]
    assert sorted(found) == ([(0, 2), (3, 1), (5, 1)] if slide == 1 else [(0, 2), (2, 1), (4, 1)])
