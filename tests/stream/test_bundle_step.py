"""Several queries in one step of a stream: one copy of the events, limits, late events."""

import random
from dataclasses import replace

import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.shared.policy import Sharing
from cepheid.plan.run_options import RunOptions
from cepheid.stream.stream_bundle import StreamBundle, StreamedQuery, stream_bundle
from cepheid.stream.stream_state import StreamState
from cepheid.stream.stream_step import step
from tests.stream.script import result_of, step_alone

EVENTS = pa.table({"time": list(range(100, 200)), "type": ["A", "B"] * 50, "k": [1, 1, 2, 2] * 25})
TEXTS = [
    f"PATTERN SEQ(A, B+) WHERE [k] WITHIN {length} SLIDE 10 RETURN k, COUNT(*) AS n GROUP BY k"
    for length in (10, 20, 40)
]


def bundle_of(texts: list[str], events: pa.Table = EVENTS) -> StreamBundle:
    schema = event_schema(events.schema, ColumnRoles(time="time", type="type"))
    queries = [
        StreamedQuery(f"q{at}", cepheid.query(text, name=f"q{at}").program(RunOptions(), schema))
        for at, text in enumerate(texts)
    ]
    return stream_bundle(queries, Sharing())


def test_events_are_kept_once_and_only_as_long_as_somebody_needs_them() -> None:
    bundle = bundle_of(TEXTS)
    ((numbers, _),) = bundle.sets
    assert numbers == (0, 1, 2)
    done = step(bundle, StreamState(), EVENTS, 150)
    alone = [step_alone(each, StreamState(), EVENTS, 150) for each in bundle.programs]
    assert [done.results[f"q{at}"] for at in range(3)] == [result_of(each) for each in alone]
    assert done.state.size == max(each.state.size for each in alone)
    assert done.next_timer == min(each.next_timer for each in alone if each.next_timer is not None)
    last = step(bundle, done.state, None, 1000)
    assert not last.state.chunks
    assert last.next_timer is None


def test_the_end_closes_every_window_and_keeps_nothing() -> None:
    bundle = bundle_of([*TEXTS, "PATTERN SEQ(A a, B b, !A) WHERE [k] WITHIN 30 RETURN a.time"])
    done = step(bundle, StreamState(), EVENTS, 150)
    assert done.waiting == 50
    last = step(bundle, done.state, None, None, ends=True)
    for each in bundle.queries:
        whole = result_of(step_alone(each.program, StreamState(), EVENTS, 10_000))
        parts = [part.results[each.name] for part in (done, last) if each.name in part.results]
        found = pa.concat_tables(parts).to_pylist()
        assert sorted(map(str, found)) == sorted(map(str, whole.to_pylist())), each.name
    assert not last.state.chunks
    assert (last.next_timer, last.waiting) == (None, -50)


def test_a_limit_of_the_state() -> None:
    with pytest.raises(cepheid.StateLimitError, match="the limit is 100"):
        step(bundle_of(TEXTS), StreamState(), EVENTS, 150, state_limit=100)


def test_late_events_are_told() -> None:
    bundle = bundle_of(TEXTS)
    done = step(bundle, StreamState(), EVENTS.slice(60), 190, late_before=190)
    assert done.late.num_rows == 30
    again = step(bundle, done.state, EVENTS.slice(0, 5), 195, late_before=195)
    assert again.late == EVENTS.slice(0, 5)


def test_without_queries_nothing_is_kept() -> None:
    nobody = StreamBundle(())
    done = step(nobody, StreamState(), EVENTS, 150)
    assert (done.state.horizon, done.state.chunks, done.results) == (150, (), {})


def test_only_the_events_of_windows_that_close_are_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    from cepheid.stream import closed_windows as module

    sizes: list[int] = []
    prepare = module.prepare_set

    def counted(*arguments: object) -> object:
        sizes.append(arguments[2])  # type: ignore[arg-type]
        return prepare(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "prepare_set", counted)
    bundle = bundle_of([TEXTS[0], TEXTS[0].replace("WITHIN 10 SLIDE 10", "WITHIN 90 SLIDE 90")])
    state = step(bundle, StreamState(), EVENTS, 150).state
    state = step(bundle, state, None, 160).state
    step(bundle, state, None, 165)
    step(bundle, state, None, 180)
    assert sizes == [50, 10, 80]


LARGE = pa.table(
    {
        "time": [101, 102, 103, 104, 111, 112, 113],
        "type": ["A", "B", "C", "B", "A", "C", "B"],
        "k": [1] * 7,
        "x": [1, 2**62, 1, 2**62, 1, 1, 5],
    }
)
WINDOW = "WITHIN 10 SLIDE 10 RETURN"
FAILING = {
    "in a set": [
        f"PATTERN SEQ(A, B b) {WINDOW} SUM(b.x) AS total",
        f"PATTERN SEQ(C, B b) {WINDOW} SUM(b.x) AS total",
        f"PATTERN SEQ(B b, C) {WINDOW} SUM(b.x) AS total",
    ],
    "one event in a set": [
        f"PATTERN SEQ(A, B b) WHERE b.x * 4 > 0 {WINDOW} SUM(b.x) AS total",
        f"PATTERN SEQ(C, B b) {WINDOW} SUM(b.x) AS total",
        f"PATTERN SEQ(B b, C) {WINDOW} SUM(b.x) AS total",
    ],
    "with a common beginning": [
        "PATTERN SEQ(A, B b) WITHIN 10 RETURN SUM(b.x) AS total",
        "PATTERN SEQ(A, C, B b) WITHIN 10 RETURN SUM(b.x) AS total",
        "PATTERN SEQ(A, B b, C) WITHIN 10 RETURN SUM(b.x) AS total",
    ],
    "by itself": [
        "PATTERN SEQ(A a, B b) WHERE a.x + 2 * b.x > 0 WITHIN 5 RETURN a.x AS a, b.x AS b",
        f"PATTERN SEQ(C, B b) {WINDOW} SUM(b.x) AS total",
        f"PATTERN SEQ(B b, C) {WINDOW} SUM(b.x) AS total",
    ],
}


@pytest.mark.parametrize("texts", FAILING.values(), ids=FAILING)
class TestFailing:
    """q0 leaves 64 bits in the first window, and the others do not."""

    def test_the_error_names_the_query(self, texts: list[str]) -> None:
        with pytest.raises(
            cepheid.DataError, match=r"query 'q0': .*(BIGINT|64-bit|overflow)"
        ) as caught:
            step(bundle_of(texts, LARGE), StreamState(), LARGE, 150)
        assert caught.value.query == "q0"

    def test_the_others_run_on(self, texts: list[str]) -> None:
        bundle, state = bundle_of(texts, LARGE), StreamState()
        found: dict[str, list[dict[str, object]]] = {}
        failed: list[dict[str, str]] = []
        for until in (111, 150):
            arrived = LARGE if until == 111 else None
            done = step(bundle, state, arrived, until, isolates=True)
            state = StreamState.from_bytes(done.state.to_bytes())
            failed.append(done.failed)
            for name, table in done.results.items():
                found[name] = found.get(name, []) + table.to_pylist()
        assert list(failed[0]) == ["q0"]
        assert failed[0]["q0"].startswith("query 'q0': ")
        for number in (1, 2):
            program = bundle.programs[number]
            expected = result_of(step_alone(program, StreamState(), LARGE, 150)).to_pylist()
            assert found[f"q{number}"] == expected
        assert not failed[1], "what it could not take is over"
        assert [list(row.values())[-1] for row in found["q0"]] == [5]


@pytest.mark.parametrize("partially", [False, True])
def test_windows_that_began_before_a_query_came(partially: bool) -> None:
    """A query that is in no set does not report them either."""
    text = "PATTERN SEQ(A a, B b+) WHERE b.time < NEXT(b).time WITHIN 20 SLIDE 10 RETURN COUNT(*)"
    (late,) = bundle_of([text]).queries
    bundle = stream_bundle([replace(late, since=155, partially=partially)], Sharing())
    assert not bundle.sets
    done = step(bundle, StreamState(), EVENTS, 1000)
    begins = done.results["q0"].column(0).to_pylist()
    assert begins == [160, 170, 180, 190]


def test_five_hundred_queries() -> None:
    """All of them in one step per batch, with one copy of the events."""
    texts = [
        f"PATTERN SEQ({first}, B+ b) WHERE [k] AND b.x > {least} WITHIN {10 * windows} SLIDE 10 "
        "RETURN k, COUNT(*) AS n GROUP BY k"
        for first in ("A", "C")
        for least in range(10)
        for windows in range(1, 26)
    ]
    assert len(texts) == 500
    dice = random.Random(2)
    events = pa.table(
        {
            "time": range(300),
            "type": dice.choices("ABBC", k=300),
            "k": dice.choices(range(3), k=300),
            "x": dice.choices(range(11), k=300),
        }
    )
    bundle, state = bundle_of(texts, events), StreamState()
    ((numbers, _),) = bundle.sets
    assert len(numbers) == 500
    found: dict[str, list[object]] = {}
    for batch in range(6):
        arrived = events.slice(50 * batch, 50)
        done = step(bundle, state, arrived, 10_000 if batch == 5 else 50 * batch)
        state = StreamState.from_bytes(done.state.to_bytes())
        for name, table in done.results.items():
            found[name] = found.get(name, []) + table.to_pylist()
    named = [cepheid.query(text, name=f"q{at}") for at, text in enumerate(texts)]
    whole = cepheid.workload(named).run(events, time="time", type="type")
    for name, table in whole.items():
        assert sorted(map(str, found.get(name, []))) == sorted(map(str, table.to_pylist())), name
