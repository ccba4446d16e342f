"""Whether queries are folded together or each by itself, and how much that takes to find out."""

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.fold import Facts
from cepheid.engine.shared.policy import Policy
from cepheid.engine.shared.run_set import prepare_set
from cepheid.engine.shared.set_costs import SetMeasures
from cepheid.engine.shared.shared_folds import BURSTS_TOGETHER, PANES_TOGETHER, SharedSet
from cepheid.kernels.position.fold_slots import LANE_STEPS, PANES, measure_windows
from cepheid.plan.run_options import RunOptions
from cepheid.program.sharing.share_work import share_work
from tests.properties.run_by_folds import run_by_folds

COLUMNS = pa.schema(
    [("time", pa.int64()), ("type", pa.string()), ("k", pa.int64()), ("x", pa.int64())]
)
SCHEMA = event_schema(COLUMNS, ColumnRoles(time="time", type="type"))


def decision(texts, events):
    """Return the fold of the first group, and the facts it was chosen by."""
    folds = RankedFolds([])
    given = cepheid.events(events, time="time", type="type")
    run_by_folds(cepheid.workload(list(texts)), given, folds)
    group = folds.record.groups[0]
    return group.ran, group.facts


def sums(window, *, count=2):
    return [
        f"PATTERN SEQ({first}, T+ b) WHERE [k] {window} RETURN SUM(b.x) AS n"
        for first in "ABCDEFGH"[:count]
    ]


def stream(types, partitions, *, every=1, together=1):
    """Return events of partitions in turn; `together` events of one come in a row."""
    numbers = range(len(types))
    keys = [each // together % partitions for each in numbers]
    columns = {"time": [each * every for each in numbers], "type": types, "k": keys}
    return pa.table(columns | {"x": [each % 7 for each in numbers]})


@pytest.fixture
def group():
    programs = {
        f"q{number}": cepheid.query(text, name=f"q{number}").program(RunOptions(), SCHEMA)
        for number, text in enumerate(sums("WITHIN 60 SLIDE 2"), start=1)
    }
    (program,) = share_work(programs).sets
    return SharedSet(program, Policy.DYNAMIC)


def test_near_ties_are_folded_one_by_one(group):
    near = Facts({"alone": 309, "least together": 50, "together": 789, "in panes": 300})
    for fold in (BURSTS_TOGETHER, PANES_TOGETHER):
        assert fold.waste(group, near) == (
            "each by itself costs 309 µs, by costs, and 300 µs are not clearly less"
        )
    clear = Facts({"alone": 345, "least together": 44, "together": 234, "in panes": 208})
    assert PANES_TOGETHER.waste(group, clear) is None


def test_the_least_is_enough_to_know(group):
    """What a fold takes is not measured if less than it takes is too much."""
    for least, why in (
        (110, "each by itself costs less: 100 instead of at least 110 µs"),
        (96, ""),
    ):
        found = BURSTS_TOGETHER.waste(group, Facts({"alone": 100, "least together": least}))
        assert found is not None
        assert found.startswith(why)


def test_short_partitions_in_many_windows_are_folded_one_by_one():
    """As the rides of HAMLET's figure 1: a row of each for all windows that it is in."""
    events = stream(["A", "B", *"TTTTTTTT"] * 2000, 2000, together=10)
    ran, facts = decision(sums("WITHIN 9000 SLIDE 300"), events)
    assert ran == "each by itself"
    assert facts["alone"] < facts["together"]


def test_many_partitions_are_folded_together():
    """Every query by itself begins anew with every partition."""
    types = [each for number in range(7000) for each in ("ABCDEFGH"[number % 8], "T", "T")]
    ran, facts = decision(sums("WITHIN 5000 SLIDE 5000"), stream(types, 1009))
    assert ran == "bursts of a set"
    assert facts["least together"] <= facts["together"]


@pytest.mark.parametrize("window", ["", "WITHIN 60 SLIDE 20", "WITHIN 600 SLIDE 20"])
@pytest.mark.parametrize("partitions", [1, 7, 500])
@pytest.mark.parametrize("count", [2, 8])
def test_the_least_is_no_more_than_what_is_estimated(window, partitions, count):
    types = [each for number in range(900) for each in ("ABCDEFGH"[number % 8], "T", "T")]
    _, facts = decision(sums(window, count=count), stream(types, partitions))
    if "together" in facts:
        least = [facts["together"], *([facts["in panes"]] if "in panes" in facts else [])]
        assert facts["least together"] <= 1.01 * min(least)


def test_windows_are_measured_in_some_of_many_small_partitions(group):
    """Eight stretches of them tell what all do: how many windows are open, and how many panes."""
    types = ["A", "B", "T", "T", *"ABCD", *"T" * 12]
    events = stream(types * 4000, 4000, together=20)
    columns = dict(zip(events.column_names, events.columns, strict=True))
    task = prepare_set(group.program, columns, events.num_rows, 1).task
    work = np.zeros(PANES + 1, np.int64)
    measure_windows(task.events, 60, 2, 2, work)
    steps = task.events.step_offsets.size - 1
    assert SetMeasures(task).windows == [
        pytest.approx((work[LANE_STEPS] / steps, work[PANES]), rel=0.01)
    ]


def rising(first, window):
    return f"PATTERN SEQ({first}, T+ b) WHERE [k] AND b.x < NEXT(b).x {window} RETURN SUM(b.x) AS n"


@pytest.mark.parametrize(
    ("partitions", "window", "expected"),
    [
        (1, "WITHIN 63 SLIDE 1", "lanes of a set"),
        (1, "WITHIN 250 SLIDE 1", "lanes of a set"),
        (50, "WITHIN 500 SLIDE 2", "each by itself"),
        (50, "WITHIN 500 SLIDE 20", "lanes of a set"),
    ],
)
def test_lanes_of_many_windows(partitions, window, expected):
    """A lane has a number for every window, also where a partition has few events in them."""
    types = [each for number in range(300) for each in ("AB"[number % 2], "T", "T")]
    events = stream(types, partitions, together=3)
    texts = [rising(first, window) for first in "AB"]
    folds = RankedFolds([])
    given = cepheid.events(events, time="time", type="type")
    found = run_by_folds(cepheid.workload(texts), given, folds)
    assert folds.record.groups[0].ran == expected
    for text, table in zip(texts, found.values(), strict=True):
        alone = cepheid.query(text).run(events, time="time", type="type")
        assert table.num_rows > 0
        assert table.equals(alone)
