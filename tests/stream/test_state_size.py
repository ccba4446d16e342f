"""State follows the window, not the stream."""

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.stream.kept_events import MOST_CHUNKS
from cepheid.stream.stream_state import StreamState
from tests.stream.script import SCHEMA, program_of, step_alone

QUERIES = [
    "SEQ(A a, B b) WHERE [k] WITHIN 20",
    "SEQ(A a, !C, B b) WHERE a.x < b.x AND [k] WITHIN 20",
    "SEQ(A a, B b, !C) WHERE [k] WITHIN 20",
    "SEQ(A a, B b) SEMANTICS contiguous WHERE [k] WITHIN 20 OUTPUT PARTIAL",
    "SEQ(A a, B b) WHERE [k] WITHIN 20 OUTPUT NON OVERLAPPING",
    "SEQ(!C, A a, B b, !C) WHERE [k] WITHIN 20 OUTPUT NON OVERLAPPING",
    "SEQ(A a, B b) WHERE [k] WITHIN 8 EVENTS",
    "SEQ(A a, B b) WHERE [k] AND strict_contiguity WITHIN 8 EVENTS",
    "SEQ(A a, B b) AND SEQ(B c, C d) WHERE [k] WITHIN 20",
    "SEQ(A a, B b) WHERE [k] WITHIN 20 SLIDE 5 RETURN COUNT(*) AS n",
    "SEQ(A a, B b) WHERE a.x < b.x AND [k] WITHIN 20 SLIDE 5 RETURN COUNT(*) AS n",
    "SEQ(A a, B b) WHERE [k] WITHIN 20 RETURN COUNT(*) AS n",
    "SEQ(A a, B b) OUTPUT NON OVERLAPPING",
]
STEPS, EVENTS = 60, 15


def arrivals(number: int) -> pa.Table:
    """Events of ten ticks, in any order."""
    random = np.random.default_rng(number)
    return pa.table(
        {
            "time": 10 * number + random.integers(0, 10, EVENTS),
            "type": np.array(["A", "B", "C", "D"])[random.integers(0, 4, EVENTS)],
            "seq": np.arange(EVENTS),
            "k": random.integers(0, 3, EVENTS),
            "x": random.integers(0, 5, EVENTS),
            "note": ["text"] * EVENTS,
        }
    ).cast(SCHEMA)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("text", QUERIES)
def test_state_stays_bounded(text: str, ordered: bool) -> None:
    program, state, sizes = program_of(text), StreamState(), []
    for number in range(STEPS):
        state = step_alone(program, state, arrivals(number), 10 * number, ordered=ordered).state
        assert len(state.chunks) <= MOST_CHUNKS + 2
        sizes.append(len(state.to_bytes()))
    third = STEPS // 3
    assert max(sizes[2 * third :]) <= 1.3 * max(sizes[third : 2 * third])


def test_only_columns_that_the_query_reads_are_kept() -> None:
    program = program_of("SEQ(A a, B b) WITHIN 20 RETURN a.time")
    state = step_alone(program, StreamState(), arrivals(0), 5).state
    assert {name for each in state.chunks for name in each.table.column_names} == {"time", "type"}
    assert not {"C", "D"} & {
        each for chunk in state.chunks for each in chunk.table.column("type").to_pylist()
    }


def test_a_limit() -> None:
    program, state = program_of("SEQ(A a, B b)", name="endless"), StreamState()
    for number in range(5):
        state = step_alone(program, state, arrivals(number), 10 * number, state_limit=5000).state
    many = pa.concat_tables([arrivals(number) for number in range(5, STEPS)])
    with pytest.raises(cepheid.StateLimitError) as raised:
        step_alone(program, state, many, 50, state_limit=5000)
    message = str(raised.value)
    assert "'endless' keeps" in message
    assert "the limit is 5,000" in message
    assert "shorten WITHIN" in message


def test_a_step_without_events_leaves_everything_as_it_is() -> None:
    program = program_of(QUERIES[0])
    state = step_alone(program, StreamState(), arrivals(0), 5).state
    assert step_alone(program, state, None, 5).state.to_bytes() == state.to_bytes()
