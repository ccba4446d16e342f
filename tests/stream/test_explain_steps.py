"""What EXPLAIN says of the steps of a stream is what they do."""

import json

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.stream.explain_steps import HOT, PARTITIONS, explain_steps
from cepheid.stream.stream_state import StreamState
from tests.stream.script import SCHEMA, program_of, step_alone

WINDOW, STEP, DELAY = 30_000, 300, 10
NEXT = "SEMANTICS skip-till-next-match"
COUNT = "RETURN k, COUNT(*) AS n GROUP BY k"
QUERIES = (
    f"SEQ(A a, B b) WHERE [k] WITHIN {WINDOW}",
    f"SEQ(A a, B b) {NEXT} WHERE [k] WITHIN {WINDOW}",
    f"SEQ(A a, B b) {NEXT} WHERE [k] AND a.x < b.x WITHIN {WINDOW}",
    f"SEQ(A a, B b, !C c) {NEXT} WHERE [k] WITHIN {WINDOW}",
    f"SEQ(A a, B b) WHERE [k] WITHIN {WINDOW} {COUNT}",
    f"SEQ(A a, B b) WHERE [k] WITHIN {WINDOW} RETURN COUNT(*) AS n",
    f"SEQ(!C c, A a, B b) WHERE [k] WITHIN {WINDOW} {COUNT}",
    f"A+ a SEMANTICS contiguous WHERE [k] AND a[i].x < a[i-1].x WITHIN {WINDOW} {COUNT}",
    f"SEQ(A a, B b) WHERE [k] WITHIN {WINDOW} SLIDE 5000 {COUNT}",
    f"SEQ(A a, B b) WHERE [k] WITHIN {WINDOW} OUTPUT NON OVERLAPPING",
    f"SEQ(A a, B b, !C c) WHERE [k] WITHIN {WINDOW} OUTPUT NON OVERLAPPING",
    f"SEQ(A a, B b) WHERE [k] WITHIN {WINDOW} EVENTS",
    f"SEQ(A a, B b) SEMANTICS latest-wins WHERE [k] WITHIN {WINDOW}",
    f"SEQ(A a, B b) {NEXT} WHERE [k] WITHIN {WINDOW} OUTPUT FIRST",
)


def run_again(text: str, keys: int) -> int:
    """Return how many events the last step of a stream runs again that has a full window."""
    program, state, dice, at = program_of(text), StreamState(), np.random.default_rng(3), 0
    while at < WINDOW + 3 * STEP:
        size = STEP if at >= WINDOW else WINDOW // 4
        kinds = np.where(dice.random(size) < 0.01, "B", np.where(dice.random(size) < 0.1, "C", "A"))
        events = pa.table(
            {
                "time": np.arange(at, at + size),
                "type": kinds,
                "seq": np.zeros(size, np.int64),
                "k": dice.integers(0, keys, size),
                "x": dice.integers(0, 1000, size),
                "note": pa.nulls(size, pa.string()),
            }
        ).cast(SCHEMA)
        at += size
        done = step_alone(program, state, events, at - DELAY)
        state = done.state
    return done.work.replayed


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize(("topic", "keys"), [(PARTITIONS, 50_000), (HOT, 1)])
def test_says_what_is_run_again(text: str, topic: str, keys: int) -> None:
    (record,) = [each for each in explain_steps(program_of(text)) if each.topic == topic]
    again = run_again(text, keys)
    assert again < WINDOW / 4 if record.is_incremental else again > WINDOW / 2


def test_text_and_json() -> None:
    query = cepheid.query(f"PATTERN SEQ(A a, B b) {NEXT} WHERE [k] WITHIN 100")
    assert (
        "Steps of a stream\n"
        "  partitions            those in which new events, or windows that end, can make a result"
        " final\n                        because no other has a result\n"
        "  one with many events  events since the oldest run that is alive began\n"
    ) in query.explain()
    steps = json.loads(query.explain(format="json"))["steps"]
    assert [each["is_incremental"] for each in steps] == [True, True]


def test_refused_on_streams() -> None:
    (record,) = explain_steps(program_of("SEQ(A a, B b) RETURN COUNT(*) AS n"))
    assert record.topic == "refused"
    assert "a stream has no end" in record.reason
