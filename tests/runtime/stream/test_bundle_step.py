"""Several queries in one step of a stream: one copy of the events, limits, late events."""

import pyarrow as pa
import pytest

import cepheid
from cepheid.plan.run_options import RunOptions
from cepheid.runtime.event_schema import ColumnRoles, event_schema
from cepheid.runtime.sharing.policy import Sharing
from cepheid.runtime.stream.bundle_step import (
    StreamBundle,
    StreamedQuery,
    bundle_step,
    stream_bundle,
)
from cepheid.runtime.stream.carried import Carried
from cepheid.runtime.stream.step import step

EVENTS = pa.table({"time": list(range(100, 200)), "type": ["A", "B"] * 50, "k": [1, 1, 2, 2] * 25})
TEXTS = [
    f"PATTERN SEQ(A, B+) WHERE [k] WITHIN {length} SLIDE 10 RETURN k, COUNT(*) AS n GROUP BY k"
    for length in (10, 20, 40)
]


def bundle_of(texts: list[str]) -> StreamBundle:
    schema = event_schema(EVENTS.schema, ColumnRoles(time="time", type="type"))
    queries = [
        StreamedQuery(f"q{at}", cepheid.query(text, name=f"q{at}").program(RunOptions(), schema))
        for at, text in enumerate(texts)
    ]
    return stream_bundle(queries, Sharing())


def test_events_are_kept_once_and_only_as_long_as_somebody_needs_them() -> None:
    bundle = bundle_of(TEXTS)
    ((numbers, _),) = bundle.sets
    assert numbers == (0, 1, 2)
    done = bundle_step(bundle, Carried(), EVENTS, 150)
    alone = [step(each, Carried(), EVENTS, 150) for each in bundle.programs]
    assert [done.results[f"q{at}"] for at in range(3)] == [each.result for each in alone]
    assert done.carried.size == max(each.carried.size for each in alone)
    assert done.wake == min(each.wake for each in alone if each.wake is not None)
    last = bundle_step(bundle, done.carried, None, 1000)
    assert not last.carried.chunks
    assert last.wake is None


def test_a_limit_of_the_state() -> None:
    with pytest.raises(cepheid.StateLimitError, match="the limit is 100"):
        bundle_step(bundle_of(TEXTS), Carried(), EVENTS, 150, state_limit=100)


def test_late_events_are_told() -> None:
    bundle = bundle_of(TEXTS)
    done = bundle_step(bundle, Carried(), EVENTS.slice(60), 190, late_before=190)
    assert done.late.num_rows == 30
    again = bundle_step(bundle, done.carried, EVENTS.slice(0, 5), 195, late_before=195)
    assert again.late == EVENTS.slice(0, 5)


def test_without_queries_nothing_is_kept() -> None:
    nobody = StreamBundle(())
    done = bundle_step(nobody, Carried(), EVENTS, 150)
    assert (done.carried.horizon, done.carried.chunks, done.results) == (150, (), {})


def test_only_the_events_of_windows_that_close_are_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    from cepheid.runtime.stream import closed_windows as module

    sizes: list[int] = []
    prepare = module.prepare_set

    def counted(*arguments: object) -> object:
        sizes.append(arguments[2])  # type: ignore[arg-type]
        return prepare(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "prepare_set", counted)
    bundle = bundle_of([TEXTS[0], TEXTS[0].replace("WITHIN 10 SLIDE 10", "WITHIN 90 SLIDE 90")])
    carried = bundle_step(bundle, Carried(), EVENTS, 150).carried
    carried = bundle_step(bundle, carried, None, 160).carried
    bundle_step(bundle, carried, None, 165)
    bundle_step(bundle, carried, None, 180)
    assert sizes == [50, 10, 80]
