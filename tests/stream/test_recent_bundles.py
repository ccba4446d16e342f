"""Queries with WITHIN alone that begin alike, in steps of one stream: what is new, once."""

import random
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.shared.policy import Sharing
from cepheid.stream.stream_bundle import StreamedQuery, stream_bundle
from cepheid.stream.stream_state import StreamState
from cepheid.stream.stream_step import step
from tests.engine.shared_cases import ROLES, events_of, programs_of
from tests.stream.script import result_of, step_alone

EVENTS = events_of(400, seed=8)
BEGIN, WINDOW = "PATTERN SEQ(A a, B b+", "WHERE [k] WITHIN 9 RETURN"
TEXTS = [
    f"{BEGIN}, C) {WINDOW} k, SUM(b.x) AS total, AVG(b.x) AS mean GROUP BY k",
    f"{BEGIN}, A z) {WINDOW} k, AVG(b.x) AS mean GROUP BY k",
    f"{BEGIN}, (C OR A)+) {WINDOW} k, SUM(b.x) AS total GROUP BY k",
    f"{BEGIN}) {WINDOW} MIN(b.x) AS least, COUNT(*) AS n",
    f"{BEGIN}, C c?) {WINDOW} COUNT(*) AS n, MIN(b.x) AS least",
]


def queries_of(texts: list[str], events: pa.Table) -> list[StreamedQuery]:
    programs = programs_of(texts, events)
    return [StreamedQuery(t, each) for t, each in zip(texts, programs, strict=True)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("ordered", [False, True])
def test_steps_equal_those_of_each_alone(seed: int, ordered: bool) -> None:
    dice = random.Random(seed)
    bundle = stream_bundle(queries_of(TEXTS, EVENTS), Sharing())
    cuts = sorted(dice.sample(range(1, EVENTS.num_rows), 6))
    state, own, begin, rows = StreamState(), [StreamState() for _ in TEXTS], 0, 0
    for cut in [*cuts, EVENTS.num_rows]:
        # Events wait for a while, unless the stream is in order.
        until, arrived = cut if ordered else cut - 5, EVENTS.slice(begin, cut - begin)
        done = step(bundle, state, arrived, until, ordered=ordered)
        state, begin = StreamState.from_bytes(done.state.to_bytes()), cut
        for number, query in enumerate(bundle.queries):
            alone = step_alone(query.program, own[number], arrived, until, ordered=ordered)
            own[number] = alone.state
            expected = result_of(alone) if alone.results else None
            assert done.results.get(query.name) == expected, query.name
            rows += result_of(alone).num_rows
    assert rows > 300


def test_a_step_that_ends_within_a_tick() -> None:
    """An order column tells the events of a tick apart: moments of that tick come in two steps."""
    rows = [("A", 1, 1), ("B", 5, 1), ("C", 5, 2), ("B", 5, 3), ("C", 5, 4), ("A", 5, 5)]
    events = pa.table(
        {
            "type": [each for each, _, _ in rows],
            "time": [each for _, each, _ in rows],
            "seq": [each for _, _, each in rows],
            "x": [1, 10, 0, 20, 0, 0],
        }
    )
    texts = [f"PATTERN SEQ(A, B b+, {e}) WITHIN 9 RETURN SUM(b.x) AS n" for e in ("C", "A")]
    roles = {**ROLES, "order": ("seq",)}
    bundle = stream_bundle(
        [
            StreamedQuery(text, program)
            for text, program in zip(texts, programs_of(texts, events, ("seq",)), strict=True)
        ],
        Sharing(),
    )
    found: dict[str, list[dict[str, Any]]] = {text: [] for text in texts}
    state = StreamState()
    for place in range(events.num_rows):
        done = step(bundle, state, events.slice(place, 1), None, ordered=True)
        state = done.state
        for name, table in done.results.items():
            found[name] += table.to_pylist()
    for text in texts:
        assert found[text] == cepheid.query(text).run(events, **roles).to_pylist()
    assert [each["n"] for each in found[texts[0]]] == [10, 10 + (10 + 20 + 30)]


def test_a_step_without_ends_has_no_results() -> None:
    bundle = stream_bundle(queries_of(TEXTS[:2], EVENTS), Sharing())
    only_begins = EVENTS.slice(0, 2).set_column(1, "type", pa.array(["B", "B"]))
    done = step(bundle, StreamState(), only_begins, 100)
    assert not done.results
    assert done.next_timer is None


def test_who_shares_segments() -> None:
    """Sequences that are counted do, and those whose events are, too."""
    count = "PATTERN SEQ(A, B, {}) WHERE [k] WITHIN 9 RETURN k, COUNT({}) AS n GROUP BY k"
    texts = [count.format(last, what) for what in ("*", "B") for last in "CA"]
    bundle = stream_bundle(queries_of(texts, EVENTS), Sharing())
    assert [numbers for numbers, _ in bundle.chains] == [(0, 1, 2, 3)]
    assert bundle.alone == []
