"""A task of Spark shares what a workload in process does: the function that workers run."""

import logging

import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.bundle import Bundle, make_bundles, whole_bundle
from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.shared.policy import Policy, Sharing
from cepheid.engine.trends.partial_table import partial_schema
from cepheid.program.aggregate_output import AggregateOutput
from tests.engine.run_one import run_partially
from tests.engine.shared_cases import (
    CHAINS,
    FOLDS,
    LANES,
    ROLES,
    SETS,
    TEXTS,
    events_of,
    programs_of,
)
from tests.properties.run_by_folds import run_by_folds

pytest.importorskip("pyspark")

from cepheid.spark.batch.task_folds import TaskFolds
from cepheid.spark.shuffle.packed_events import from_packets


def folded(bundle: Bundle, events: pa.Table, partial: frozenset[int]) -> dict[int, pa.Table]:
    folds = TaskFolds(bundle, partial, events.schema, 1 << 30)
    packets: dict[int, list[bytes]] = {}
    for table in folds.results().whole(events):
        for row in table.to_pylist():
            packets.setdefault(row["query"], []).append(row["result"])
    return {number: from_packets(each) for number, each in packets.items()}


def test_all_ways_of_sharing_equal_alone(caplog: pytest.LogCaptureFixture) -> None:
    events = events_of()
    bundle = whole_bundle(programs_of(TEXTS, events), Sharing(Policy.DYNAMIC))
    others = bundle.others
    shared = (bundle.sets, others.lanes, others.chains)
    assert [len(each) for each in shared] == [1] * 3
    with caplog.at_level(logging.DEBUG, "cepheid"):
        found = folded(bundle, events, frozenset())
    said = [each.getMessage() for each in caplog.records if each.name == "cepheid"]
    assert said.count(f"300 events are ordered once for {FOLDS} folds") == 1
    # Every fold says of how many events the partition is not known.
    assert len([each for each in said if "NULL in k" in each]) == FOLDS == len(said) - 1
    caplog.clear()
    for number, text in enumerate(TEXTS):
        alone = cepheid.query(text).run(events, **ROLES)
        assert found.get(number, alone.slice(0, 0)).equals(alone), text
    assert len(caplog.records) == len(TEXTS)


def test_rows_that_other_tasks_add_to() -> None:
    events, texts = events_of(), [*SETS, *LANES]
    programs = programs_of(texts, events)
    bundle = whole_bundle(programs, Sharing(Policy.ALWAYS))
    partial = frozenset(range(1, len(texts)))
    found = folded(bundle, events, partial)
    for number in partial:
        output = programs[number].output
        assert isinstance(output, AggregateOutput)
        alone = run_partially(programs[number], events)
        assert found[number].schema == partial_schema(programs[number], output, events.schema)
        assert sizes(found[number]) == sizes(alone)
    assert found[0].equals(cepheid.query(texts[0]).run(events, **ROLES))


def sizes(table: pa.Table) -> list[str]:
    """All rows, without the low words of numbers: a count alone does not keep those it hides."""
    flat = table.flatten()
    chosen = [name for name in flat.column_names if ".low_" not in name]
    return sorted(map(str, flat.select(chosen).to_pylist()))


def test_lanes_that_become_too_large_are_folded_one_by_one() -> None:
    events = pa.table(
        {
            "time": list(range(301)),
            "type": ["A", *["B"] * 300],
            "k": [1] * 301,
            "x": list(range(301)),
        }
    )
    texts = [each.replace("WITHIN 40 SLIDE 20", "") for each in (LANES[0], LANES[2])]
    bundle = whole_bundle(programs_of(texts, events), Sharing())
    assert len(bundle.others.lanes) == 1
    found = folded(bundle, events, frozenset())
    for number, text in enumerate(texts):
        assert found[number].equals(cepheid.query(text).run(events, **ROLES))


def test_a_set_with_several_keys_is_made_anew() -> None:
    programs = programs_of([*SETS, *CHAINS], events_of(10))
    (whole,) = make_bundles(programs, lambda program, is_in_set: "", Sharing())
    assert [numbers for numbers, _ in whole.sets] == [(0, 1, 2)]
    keys_of = dict(zip(map(id, programs), "ababbbb", strict=True))
    one, other = make_bundles(programs, lambda program, _: keys_of[id(program)], Sharing())
    assert (one.places, other.places) == ((0, 2), (1, 3, 4, 5, 6))
    assert [numbers for numbers, _ in one.sets] == [(0, 1)]
    assert other.sets == ()
    assert [numbers for numbers, _ in other.others.chains] == [(1, 2, 3, 4)]


def test_panes_of_a_set_are_those_of_all_its_queries() -> None:
    """By itself the first query has panes that are twice as long."""
    texts = [
        f"PATTERN SEQ(A, B+) WHERE [k] WITHIN 4 SLIDE {slide} RETURN k, COUNT(*) AS n GROUP BY k"
        for slide in (4, 2)
    ]
    given = cepheid.events(events_of(), **ROLES)
    together = cepheid.workload(texts)
    found = run_by_folds(together, given, RankedFolds(["panes of a set"]))
    for query, table in zip(together.queries.values(), found.values(), strict=True):
        assert table.to_pylist() == query.run(given).to_pylist()
