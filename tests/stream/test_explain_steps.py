"""What EXPLAIN says of the steps of a stream is what they do."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.stream.explain_steps import HOT, PARTITIONS, explain_steps
from cepheid.stream.local_cache import LocalCache
from tests.properties.cached_steps import Store
from tests.stream.script import SCHEMA, program_of, step_alone

WINDOW, STEP, DELAY = 40_000, 300, 10
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


def run_again(text: str, keys: int, folder: Path, *, often: float = 0.02, step: int = STEP) -> int:
    """Return how many events the last step of a stream runs again that has a full window.

    A key is touched as often as B is.
    """
    program, dice, at = program_of(text), np.random.default_rng(3), 0
    store, cache = Store(), LocalCache(folder)
    while at < WINDOW + 3 * step:
        size = step if at >= WINDOW else WINDOW // 4
        rare = np.where(dice.random(size) < 0.1, "C", "A")
        kinds = np.where(dice.random(size) < often, "B", rare)
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
        before = store.load(cache)
        done = step_alone(program, before, events, at - DELAY)
        store.save(before, done.state, cache)
    return done.work.replayed


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize(("topic", "keys"), [(PARTITIONS, 50_000), (HOT, 1)])
def test_says_what_is_run_again(text: str, topic: str, keys: int, tmp_path: Path) -> None:
    (record,) = [each for each in explain_steps(program_of(text)) if each.topic == topic]
    again = run_again(text, keys, tmp_path)
    assert again < WINDOW / 4 if record.is_incremental else again > WINDOW / 2


@pytest.mark.parametrize(
    "text", [each for each in QUERIES if "RETURN" in each and "SLIDE" not in each]
)
def test_many_partitions_that_are_touched(text: str, tmp_path: Path) -> None:
    """Of a thousand partitions most have new events, and few events each."""
    (record,) = [each for each in explain_steps(program_of(text)) if each.topic == HOT]
    again = run_again(text, 1000, tmp_path, often=0.5, step=2000)
    assert again < WINDOW / 2 if record.is_incremental else again > WINDOW / 2


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
