"""What EXPLAIN says of the steps of a stream is what they do."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.shared.policy import Sharing
from cepheid.program.run_record import StepRecord
from cepheid.stream.explain_steps import HOT, PARTITIONS, explain_steps, explain_together
from cepheid.stream.local_cache import LocalCache
from cepheid.stream.stream_bundle import StreamedQuery, stream_bundle
from cepheid.stream.stream_step import step
from tests.properties.cached_steps import Store
from tests.stream.script import SCHEMA, program_of

WINDOW, STEP, DELAY = 40_000, 300, 10
NEXT = "SEMANTICS skip-till-next-match"
COUNT = "RETURN k, COUNT(*) AS n GROUP BY k"
QUERIES = (
    f"SEQ(A a, B b) WHERE [k] WITHIN {WINDOW}",
    f"SEQ(A a, B b) {NEXT} WHERE [k] WITHIN {WINDOW}",
    f"SEQ(A a, B b) {NEXT} WHERE [k] AND a.x < b.x WITHIN {WINDOW}",
    f"SEQ(A a, B b, !C c) {NEXT} WHERE [k] WITHIN {WINDOW}",
    f"SEQ(!C c, A a, B b) {NEXT} WHERE [k] WITHIN {WINDOW}",
    f"SEQ(A a, B b) WHERE [k] WITHIN {WINDOW} {COUNT}",
    f"SEQ(A a, B b) WHERE [k] WITHIN {WINDOW} RETURN COUNT(*) AS n",
    f"SEQ(!C c, A a, B b) WHERE [k] WITHIN {WINDOW} {COUNT}",
    f"A+ a SEMANTICS contiguous WHERE [k] AND a[i].x < a[i-1].x WITHIN {WINDOW} {COUNT}",
    f"SEQ(A a, B b) WHERE [k] WITHIN {WINDOW} SLIDE 20000 {COUNT}",
    f"SEQ(A a, B b) WHERE [k] WITHIN {WINDOW} OUTPUT NON OVERLAPPING",
    f"SEQ(A a, B b, !C c) WHERE [k] WITHIN {WINDOW} OUTPUT NON OVERLAPPING",
    f"SEQ(A a, B b) WHERE [k] WITHIN {WINDOW} EVENTS",
    f"SEQ(A a, B b) SEMANTICS latest-wins WHERE [k] WITHIN {WINDOW}",
    f"SEQ(A a, B b) {NEXT} WHERE [k] WITHIN {WINDOW} OUTPUT FIRST",
)


WORKLOADS = (
    (QUERIES[1], f"SEQ(A a, C c) {NEXT} WHERE [k] WITHIN {WINDOW}"),
    (QUERIES[1], f"SEQ(A a, B b) WHERE [k] WITHIN {WINDOW} {COUNT}"),
)
SPARSE, DENSE = (0.01, 0.1), (0.3, 0.3)  # parts of B and C among events, the others are A


def has_middle(text: str) -> bool:
    """Whether the middle of a window can be matrices."""
    return "COUNT(*)" in text and not any(each in text for each in ("!", "SLIDE"))


@dataclass(frozen=True)
class Shape:
    """How many events a window has, how many come at once, of how many keys, and their types."""

    keys: int
    window: int = WINDOW
    step: int = STEP
    parts: tuple[float, float] = SPARSE


FEW, SOME, MANY = Shape(1), Shape(1_000, 2 * WINDOW, 2_000, DENSE), Shape(50_000)


def run_again(texts: Sequence[str], shape: Shape, folder: Path) -> int:
    """Return how many events the last step of a stream runs again that has a full window."""
    queries = [
        StreamedQuery(name, program_of(text.replace(str(WINDOW), str(shape.window)), name=name))
        for name, text in zip("pq", texts, strict=False)
    ]
    bundle = stream_bundle(queries, Sharing())
    store, cache = Store(), LocalCache(folder)
    dice, at = np.random.default_rng(3), 0
    some_b, some_c = shape.parts
    while at < shape.window + 3 * shape.step:
        size = shape.step if at >= shape.window else shape.window // 4
        kinds = dice.choice(["A", "B", "C"], size, p=[1 - some_b - some_c, some_b, some_c])
        events = pa.table(
            {
                "time": np.arange(at, at + size),
                "type": kinds,
                "seq": np.zeros(size, np.int64),
                "k": dice.integers(0, shape.keys, size),
                "x": dice.integers(0, 1000, size),
                "note": pa.nulls(size, pa.string()),
            }
        ).cast(SCHEMA)
        at += size
        before = store.load(cache)
        done = step(bundle, before, events, at - DELAY)
        store.save(before, done.state, cache)
    return done.work.replayed


def is_told(records: Sequence[StepRecord], topic: str, again: int, window: int) -> bool:
    (record,) = [each for each in records if each.topic == topic]
    return (again < window / 4) is record.is_incremental


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize(("topic", "shape"), [(PARTITIONS, MANY), (HOT, FEW)])
def test_says_what_is_run_again(text: str, topic: str, shape: Shape, tmp_path: Path) -> None:
    records = explain_steps(program_of(text))
    assert is_told(records, topic, run_again([text], shape, tmp_path), shape.window)


@pytest.mark.parametrize("text", [each for each in QUERIES if not has_middle(each)])
def test_says_what_is_run_again_of_a_thousand_keys(text: str, tmp_path: Path) -> None:
    """A step touches most of them, and each has a few dozen events in the window."""
    records = explain_steps(program_of(text))
    assert is_told(records, HOT, run_again([text], SOME, tmp_path), SOME.window)


@pytest.mark.parametrize("texts", WORKLOADS)
@pytest.mark.parametrize(
    ("topic", "shape"), [(PARTITIONS, MANY), (HOT, FEW), (HOT, SOME)], ids=["many", "few", "some"]
)
def test_says_what_is_run_again_for_a_workload(
    texts: Sequence[str], topic: str, shape: Shape, tmp_path: Path
) -> None:
    records = explain_together([program_of(each) for each in texts])
    assert is_told(records, topic, run_again(texts, shape, tmp_path), shape.window)


@pytest.mark.parametrize(
    "text", [each for each in QUERIES if "RETURN" in each and "SLIDE" not in each]
)
def test_many_partitions_that_are_touched(text: str, tmp_path: Path) -> None:
    """Of a thousand partitions most have new events, and few events each."""
    (record,) = [each for each in explain_steps(program_of(text)) if each.topic == HOT]
    again = run_again([text], Shape(1_000, WINDOW, 2_000, (0.5, 0.05)), tmp_path)
    assert again < WINDOW / 2 if record.is_incremental else again > WINDOW / 2


def test_says_when_all_is_run_again_all_the_same(tmp_path: Path) -> None:
    """Where B is rare, a run waits for it as long as the window lasts."""
    rare, (text,) = Shape(1_000, SOME.window, SOME.step), [e for e in QUERIES if "b, !C" in e][:1]
    assert run_again([text], rare, tmp_path) > rare.window / 2
    (record,) = [each for each in explain_steps(program_of(text)) if each.topic == HOT]
    assert record.reason.startswith("what is blocked stays so; where a run waits as long as the w")


def test_a_workload() -> None:
    together = cepheid.workload([f"PATTERN {each}" for each in WORKLOADS[0]])
    assert (
        "Steps of one stream of all queries\n"
        "  q1, q2:\n"
        "    partitions            those in which new events, or windows that end, can make a "
        "result final\n                          because no other has a result\n"
        "    one with many events  all events of the window\n"
        "                          because runs and matrices are looked up of a query by itself\n"
    ) in together.explain()
    (steps,) = json.loads(together.explain(format="json"))["steps"]
    assert steps["queries"] == ["q1", "q2"]
    assert [each["is_incremental"] for each in steps["steps"]] == [True, False]


@pytest.mark.parametrize(
    "text",
    [
        "SEQ(A a, B b) WHERE [k] AND a.x < b.x WITHIN 100",
        "SEQ(A a, B b) WHERE lower(a.s) = b.s AND abs(a.x - b.y) < 2 WITHIN 1 hour",
        "SEQ(A+ a, B b) WHERE avg(a[].x) < b.y WITHIN 100 RETURN COUNT(*) AS n",
        "SEQ(A+ a, !C c, B b) WHERE a[i].x > a[i-1].x AND c.y = b.y WITHIN 100 SLIDE 10 "
        "RETURN SUM(a.x) AS n",
        "SEQ(A a, B b) AND SEQ(C c, D d) WHERE a.x + 1 = b.x AND d.t = c.t WITHIN 10",
    ],
)
def test_types_need_not_be_known(text: str) -> None:
    assert "Steps of a stream" in cepheid.query(f"PATTERN {text}").explain()


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
