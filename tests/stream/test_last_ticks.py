"""Streams that end near the last tick of 64 bits: a result is reported or refused, never lost."""

import pytest

import cepheid
from tests.properties.comparison import SCHEMA
from tests.properties.queries import Case
from tests.properties.stream_steps import Batch, Row, drive, program_of, rows_of

LIMIT = 2**63


def ended(text: str, times: dict[int, str], *, ordered: bool) -> list[Row]:
    """What a stream reports that ends after its events."""
    events = [{"type": each, "time": at, "seq": 0, "k": 1, "x": 0} for at, each in times.items()]
    program = program_of(Case(f"PATTERN {text}", events, ()), SCHEMA)
    batches = [Batch(events[:1], None), Batch(events[1:], None), Batch([], None, ends=True)]
    return rows_of(program, drive(program, batches, ordered=ordered))


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("output", ["", " OUTPUT NON OVERLAPPING", " OUTPUT PARTIAL"])
def test_a_window_that_cannot_end_is_refused(output: str, ordered: bool) -> None:
    text = f"SEQ(A a, !C c) WITHIN 10{output}"
    with pytest.raises(cepheid.DataError, match="too close to the limit of 64 bits"):
        ended(text, {LIMIT - 4: "A", LIMIT - 2: "B"}, ordered=ordered)
    near = ended(text, {LIMIT - 20: "A", LIMIT - 18: "B"}, ordered=ordered)
    assert len(near) == (output != " OUTPUT PARTIAL")


def test_an_event_at_the_last_tick() -> None:
    times = {LIMIT - 3: "A", LIMIT - 1: "B"}
    for text in ("SEQ(A a, B b) WITHIN 10", "SEQ(A a, B b) WITHIN 10 RETURN COUNT(*) AS n"):
        assert len(ended(text, times, ordered=True)) == 1
        with pytest.raises(cepheid.DataError, match="too close to the limit of 64 bits"):
            ended(text, times, ordered=False)
