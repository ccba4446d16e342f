"""The methods that A-Seq and COGRA compare count what the definitions say, on small streams."""

import numpy as np
import pyarrow as pa
import pytest

from benchmarks.papers.a_seq import contenders as a_seq
from benchmarks.papers.a_seq.stream import MILLISECONDS_PER_EVENT, TICKERS, Sequence
from benchmarks.papers.baselines.grained_counts import (
    ANY,
    CONTIGUOUS,
    NEXT,
    pattern_grained,
    type_grained,
)
from benchmarks.papers.baselines.trend_slices import END, KLEENE, START
from benchmarks.papers.cogra import activity, contenders, stock, uber
from benchmarks.papers.cogra.task import Task
from tests.oracle import ask

COMPLETE = {
    "GRETA": contenders.greta,
    "A-Seq, flattened": contenders.flattened,
    "type-grained": contenders.by_type,
    "two steps": contenders.two_steps,
}
NOT_ANY = {
    "event-grained": contenders.by_event,
    "type-grained": contenders.by_type,
    "two steps": contenders.two_steps,
}


def rows_of(answer: pa.Table) -> list[tuple[float, ...]]:
    return sorted(tuple(row.values()) for row in answer.to_pylist())


def expected(task: Task, events: pa.Table) -> list[tuple[float, ...]]:
    rows = ask(task.query, events.to_pylist())
    return sorted((row["window_start"], row[task.shape.group], row["count"]) for row in rows)


class TestSequences:
    """A-Seq's prefix counters, and two steps."""

    @staticmethod
    def few_tickers(sequence: Sequence, seed: int) -> pa.Table:
        """Draw among the tickers of the query and QQQ, so that there is something to count."""
        codes = np.random.default_rng(seed).integers(0, 5, sequence.events, np.int8)
        return pa.table(
            {
                "time": np.arange(sequence.events) * MILLISECONDS_PER_EVENT,
                "type": pa.DictionaryArray.from_arrays(codes, pa.array(TICKERS)),
            }
        )

    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize("window", [3, 16, 40])
    @pytest.mark.parametrize(
        ("length", "without_qqq"), [(2, False), (3, False), (4, False), (2, True), (3, True)]
    )
    def test_against_the_oracle(self, length, without_qqq, window, seed):
        sequence = Sequence(60, window, length, without_qqq)
        events = self.few_tickers(sequence, seed)
        rows = ask(sequence.query, events.to_pylist())
        wanted = [(row["time"], row["count"]) for row in rows]
        assert wanted
        for make in (a_seq.published, a_seq.two_steps):
            assert rows_of(make(sequence)(events).matches) == wanted, make.__name__

    @pytest.mark.parametrize("without_qqq", [False, True])
    def test_against_the_engine(self, without_qqq):
        sequence = Sequence(5000, 1000, 3, without_qqq)
        events = sequence.table()
        wanted = rows_of(a_seq.engine(sequence)(events).matches)
        assert sum(count for _, count in wanted) > 10_000
        for make in (a_seq.published, a_seq.two_steps):
            assert rows_of(make(sequence)(events).matches) == wanted, make.__name__

    def test_counters_are_the_active_start_events(self):
        sequence = Sequence(5000, 1000)
        starts = sequence.table()["type"].to_pylist().count(TICKERS[0])
        most = a_seq.published(sequence)(sequence.table()).built
        assert 10 < most < starts / 4

    def test_the_number_of_matches_is_predicted(self):
        sequence = Sequence(20_000, 400)
        assert a_seq.two_steps(sequence)(sequence.table()).built == pytest.approx(
            sequence.matches, rel=0.15
        )


def tiny(name: str, window: int, seed: int) -> tuple[pa.Table, object]:
    random = np.random.default_rng(seed)
    events = 40
    time = np.arange(events)
    columns = {"time": time, "window": time // window}
    if name == "activity":
        columns |= {
            "type": dictionary(np.zeros(events, np.int8), ["Activity"]),
            "patient": random.integers(1, 4, events),
            "rate": random.integers(40, 130, events),
            "class": dictionary(random.integers(0, 2, events, np.int8), ["active", "passive"]),
        }
        return pa.table(columns), activity.SHAPE
    if name == "uber":
        columns |= {
            "type": dictionary(random.integers(0, 3, events, np.int8), uber.TYPES),
            "district": random.integers(0, 3, events),
        }
        return pa.table(columns), uber.SHAPE
    columns |= {
        "type": dictionary(np.zeros(events, np.int8), ["Stock"]),
        "sector": random.integers(0, 2, events),
        "company": random.integers(0, 3, events),
        "price": random.integers(0, 10, events),
        "ceiling": random.integers(0, 10, events),
    }
    return pa.table(columns), stock.SHAPE


def dictionary(codes, names) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(codes, pa.array(names))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["activity", "uber", "stock"])
class TestTrends:
    """The methods of COGRA's figures."""

    @pytest.mark.parametrize("window", [15, 40])
    def test_skip_till_any(self, name, window, seed):
        events, shape = tiny(name, window, seed)
        task = Task(shape, ANY, window)
        wanted = expected(task, events)
        for method, make in COMPLETE.items():
            assert rows_of(make(task)(events).matches) == wanted, method

    @pytest.mark.parametrize("window", [15, 40])
    @pytest.mark.parametrize("strategy", [NEXT, CONTIGUOUS])
    def test_other_strategies(self, name, strategy, window, seed):
        events, shape = tiny(name, window, seed)
        task = Task(shape, strategy, window)
        wanted = expected(task, events)
        for method, make in NOT_ANY.items():
            assert rows_of(make(task)(events).matches) == wanted, method


class TestPatternGrained:
    """COGRA's algorithm 3."""

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("name", ["uber", "stock"])
    def test_contiguity_is_that_of_the_definition(self, name, seed):
        events, shape = tiny(name, 40, seed)
        task = Task(shape, CONTIGUOUS, 40)
        assert rows_of(contenders.by_pattern(task)(events).matches) == expected(task, events)

    @pytest.mark.parametrize("seed", range(8))
    def test_skip_till_next_has_its_own_definition(self, seed):
        events, shape = tiny("uber", 40, seed)
        task = Task(shape, NEXT, 40)
        found = rows_of(contenders.by_pattern(task)(events).matches)
        assert found == rows_of(contenders.with_one_predecessor(task)(events).matches)
        assert found == trends_after_the_last(events)

    def test_it_is_not_definition_2_6(self):
        """On s1 s2 a3 f4 there are two trends, and algorithm 3 finds one."""
        fires = np.array([START, START, KLEENE, END], np.uint8)
        offsets = np.array([0, 4])
        assert pattern_grained(fires, offsets, True, False).tolist() == [1.0]
        assert type_grained(fires, offsets, True, NEXT).tolist() == [2.0]

    def test_table_8(self):
        """Of A+ alone algorithm 3 is right: a1 a2 a3 have 1 + 2 + 3 trends."""
        fires = np.array([KLEENE] * 3, np.uint8)
        assert pattern_grained(fires, np.array([0, 3]), False, False).tolist() == [6.0]


def trends_after_the_last(events: pa.Table) -> list[tuple[float, ...]]:
    """List the trends in which every event follows the last matched one, as algorithm 3 has it."""
    counts: dict[int, float] = {}
    ending: dict[int, list[tuple[str, ...]]] = {}
    for row in events.to_pylist():
        kind, key = row["type"], row["district"]
        last = ending.get(key, [])
        follows = {"Trip": ("Pickup", "Trip"), "Dropoff": ("Trip",)}.get(kind, ())
        grown = [(*each, kind) for each in last if each[-1] in follows]
        if kind == "Pickup":
            grown = [("Pickup",)]
        if grown:
            ending[key] = grown
            if kind == "Dropoff":
                counts[key] = counts.get(key, 0.0) + len(grown)
    return sorted((0, key, count) for key, count in counts.items())


@pytest.mark.parametrize("seed", range(4))
def test_adjacent_predicate(seed):
    events, shape = tiny("stock", 40, seed)
    task = Task(shape, ANY, 40, compares=True)
    wanted = expected(task, events)
    assert wanted
    for make in (contenders.greta, contenders.two_steps):
        assert rows_of(make(task)(events).matches) == wanted, make.__name__


class TestStreams:
    def test_companies_have_equally_many_events(self):
        events = stock.transactions(3000, 3000, 300)
        assert np.bincount(events["company"].to_numpy()).tolist() == [10] * 300

    @pytest.mark.parametrize("selectivity", [0.1, 0.5, 0.9])
    def test_selectivity(self, selectivity):
        events = stock.transactions(4000, 4000, 1, selectivity)
        ceiling, price = events["ceiling"].to_numpy(), events["price"].to_numpy()
        assert np.mean(ceiling[:2000] > price[2000:]) == pytest.approx(selectivity, abs=0.04)

    def test_dropoffs_do_not_grow_with_the_rate(self):
        counts = [
            uber._one_window(NEXT, thousands, 1.0)[0]["type"].to_pylist().count("Dropoff")
            for thousands in (10, 100)
        ]
        assert all(3 < count < 25 for count in counts)
