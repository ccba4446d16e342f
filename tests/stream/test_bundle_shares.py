"""Steps of a bundle share lanes, segments and the scan; results are those of each query alone."""

import logging
import random

import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.shared.policy import Policy, Sharing
from cepheid.stream.stream_bundle import StreamedQuery, stream_bundle
from cepheid.stream.stream_state import StreamState
from cepheid.stream.stream_step import step
from tests.engine.shared_cases import (
    ALONE,
    CHAINS,
    LANES,
    MATCHES,
    RECENT,
    ROLES,
    SETS,
    TEXTS,
    events_of,
    programs_of,
)

EVENTS = events_of()


def queries_of(texts: list[str], since: int | None = None) -> list[StreamedQuery]:
    programs = programs_of(texts, EVENTS)
    return [StreamedQuery(t, each, since=since) for t, each in zip(texts, programs, strict=True)]


def rows_of_steps(
    queries: list[StreamedQuery], cuts: list[int], events: pa.Table = EVENTS
) -> dict[str, list[str]]:
    """Rows of all steps; events come in the order of time, but for those between two cuts."""
    bundle = stream_bundle(queries, Sharing(Policy.DYNAMIC))
    found: dict[str, list[str]] = {each.name: [] for each in queries}
    state, begin = StreamState(), 0
    for cut in [*cuts, events.num_rows, events.num_rows + 1000]:
        arrived = events.slice(begin, cut - begin) if begin < events.num_rows else None
        done = step(bundle, state, arrived, cut)
        state, begin = done.state, cut
        for name, table in done.results.items():
            found[name] += map(str, table.to_pylist())
    return found


@pytest.mark.parametrize("seed", range(5))
def test_however_it_is_cut(seed: int) -> None:
    dice = random.Random(seed)
    cuts = sorted(dice.sample(range(1, 300), dice.randrange(1, 8)))
    found = rows_of_steps(queries_of(TEXTS), cuts)
    for text, rows in found.items():
        alone = cepheid.query(text).run(EVENTS, **ROLES).to_pylist()
        assert sorted(rows) == sorted(map(str, alone)), text


def test_what_is_shared(caplog: pytest.LogCaptureFixture) -> None:
    bundle = stream_bundle(queries_of(TEXTS), Sharing())
    assert [len(numbers) for numbers, _ in bundle.sets] == [len(SETS)]
    assert [len(numbers) for numbers, _ in bundle.lanes] == [len(LANES)]
    assert [len(numbers) for numbers, _ in bundle.chains] == [len(CHAINS)]
    assert [each.name for each in bundle.alone] == ALONE
    with caplog.at_level(logging.DEBUG, "cepheid"):
        state = step(bundle, StreamState(), EVENTS.slice(0, 150), 150).state
        step(bundle, state, EVENTS.slice(150), 300)
    folds = f"events are ordered once for {len(CHAINS) + len(ALONE)} folds"
    said = [each.getMessage() for each in caplog.records if each.levelno == logging.DEBUG]
    # Events with NULL in k are not kept, and the longest of their windows reaches 20 back.
    assert said == [f"147 {folds}", f"167 {folds}"]


def test_queries_that_came_later_see_nothing_of_before() -> None:
    texts = [*LANES, *MATCHES, *RECENT]
    newer = [
        StreamedQuery(f"new {each.name}", each.program, since=100) for each in queries_of(texts)
    ]
    found = rows_of_steps([*queries_of(texts), *newer], [60, 140, 150, 220])
    for text in texts:
        assert sorted(found[text]) == sorted(
            map(str, cepheid.query(text).run(EVENTS, **ROLES).to_pylist())
        )
        late = cepheid.query(text).run(EVENTS.slice(100), **ROLES).to_pylist()
        begun = [each for each in late if each.get("window_start", 100) >= 100]
        assert sorted(found[f"new {text}"]) == sorted(map(str, begun))


def test_lanes_that_become_too_large_are_folded_one_by_one() -> None:
    count = 300
    events = pa.table(
        {
            "time": list(range(count)),
            "type": ["A", *["B"] * (count - 1)],
            "k": [1] * count,
            "x": list(range(count)),
        }
    )
    texts = [each.replace("WITHIN 40 SLIDE 20", "WITHIN 300 SLIDE 300") for each in LANES]
    queries = queries_of(texts)
    assert stream_bundle(queries, Sharing()).lanes
    found = rows_of_steps(queries, [10, 200], events)
    for text in texts:
        alone = cepheid.query(text).run(events, **ROLES).to_pylist()
        assert sorted(found[text]) == sorted(map(str, alone))
