"""The methods that HAMLET and A-Seq compare for several queries count what the definitions say."""

from functools import partial

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from benchmarks.papers.a_seq.stream import TICKERS
from benchmarks.papers.a_seq_shared import contenders as sequences
from benchmarks.papers.a_seq_shared.stream import Shared
from benchmarks.papers.baselines.chop_connect import chop_connect
from benchmarks.papers.baselines.graphlets import (
    ALONE,
    ALWAYS,
    DYNAMIC,
    NEVER,
    SHARED,
    TAKES_NONE,
    decide,
)
from benchmarks.papers.baselines.prefix_counters import NO_PLACE, prefix_counters
from benchmarks.papers.hamlet import contenders, diverse, streams
from benchmarks.papers.hamlet.task import MINUTE, Task, pairs
from tests.oracle import ask


def rows_of(answer: pa.Table, *columns: str) -> list[tuple[float, ...]]:
    return sorted(zip(*(answer[each].to_pylist() for each in columns), strict=True))


def dictionary(codes, names) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(codes, pa.array(names))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("window", [9, 40])
class TestTrends:
    """Queries SEQ(X, T+, Y) of HAMLET's first workload."""

    @staticmethod
    def case(window: int, seed: int) -> tuple[Task, pa.Table]:
        random = np.random.default_rng(seed)
        codes = random.choice(4, 40, p=[0.4, 0.2, 0.2, 0.2]).astype(np.int8)
        events = pa.table(
            {
                "time": np.arange(40),
                "type": dictionary(codes, ["T", "A", "B", "C"]),
                "key": random.integers(0, 2, 40),
                "value": random.integers(1, 101, 40).astype(np.float64),
            }
        )
        ends = pairs(("A", "B", "C"), 5)
        return Task("T", ends, ("key",), "key", window, streams.LIMITS), events

    @pytest.mark.parametrize(
        "make",
        [
            contenders.hamlet,
            pytest.param(partial(contenders.hamlet, policy=ALWAYS), id="always"),
            pytest.param(partial(contenders.hamlet, policy=NEVER), id="never"),
            contenders.greta,
            contenders.sharon,
            contenders.mcep,
        ],
    )
    def test_against_the_oracle(self, make, window, seed):
        task, events = self.case(window, seed)
        wanted = sorted(
            (query, row["window_start"], row["key"], row["value"])
            for query, text in enumerate(task.queries)
            for row in ask(text, events.to_pylist())
        )
        found = make(task)(events).matches
        assert wanted
        assert rows_of(found, "query", "window_start", "group", "value") == wanted

    def test_engines_agree(self, window, seed):
        task, events = self.case(window, seed)
        names = (*contenders.WAYS, contenders.ONE_BY_ONE)
        made = contenders.engines(task.queries, task.group, names)
        columns = ("query", "window_start", "group", "value", "magnitude")
        wanted = rows_of(contenders.greta(task)(events).matches, *columns)
        for name in names:
            assert rows_of(made[name](events).matches, *columns) == wanted, name


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("is_prefix", [True, False])
@pytest.mark.parametrize("window", [200, 500])
class TestSequences:
    """Queries of A-Seq with a prefix or a substring in common."""

    def test_against_the_oracle(self, window, is_prefix, seed):
        shared = Shared(60, window, 2, 2, is_prefix)
        used = sorted({name for each in shared.sequences for name in each})
        codes = np.random.default_rng(seed).integers(0, len(used), 60).astype(np.int8)
        time = np.arange(60) * 10
        events = pa.table({"time": time, "type": dictionary(codes, used)})
        wanted = sorted(
            (query, row["time"], row["value"])
            for query, text in enumerate(shared.texts)
            for row in ask(text, events.to_pylist())
        )
        assert wanted
        makers = [sequences.published, sequences.published_sharing, sequences.two_steps]
        if not is_prefix:
            makers.append(sequences.shared_construction)
        for make in makers:
            found = make(shared)(events).matches
            assert rows_of(found, "query", "time", "value") == wanted, make.__name__

    def test_against_the_engine(self, window, is_prefix, seed):
        shared = Shared(3000, 4 * window, 2 + seed, 3, is_prefix)
        events = shared.table()
        columns = ("query", "time", "value")
        wanted = rows_of(sequences.published(shared)(events).matches, *columns)
        workload = cepheid.workload(shared.texts)
        assert len(wanted) > 100
        for make in (sequences.together, sequences.one_by_one):
            assert rows_of(make(workload)(events).matches, *columns) == wanted, make.__name__
        assert rows_of(sequences.published_sharing(shared)(events).matches, *columns) == wanted


class TestChopConnect:
    def test_example_8(self):
        """SEQ(A, B, C, D, E) chopped into (A, B, C) and (D, E): figure 10 of the paper."""
        codes = np.array(["ABCDE".index(each) for each in "ABCABDCADE"])
        places = np.array([[0, 1, 2, NO_PLACE, NO_PLACE]])
        tree = sequences.tree_of(["DE"], "ABCDE")
        for window, count in ((9, 1), (90, 5)):
            found = chop_connect(codes, np.arange(1, 11), places, *tree, window)
            assert [each.tolist() for each in found] == [[0], [10], [count]]

    @pytest.mark.parametrize("seed", range(5))
    def test_parts_of_other_lengths(self, seed):
        """Two queries that have C, D in common, after one type and after two."""
        texts, window, random = ("ACDE", "ABCDF"), 30, np.random.default_rng(seed)
        codes, time = random.integers(0, 6, 90), np.cumsum(random.integers(1, 3, 90))
        places = np.full((2, 6), NO_PLACE)
        places[0, 0], places[1, :2] = 0, (0, 1)
        tree = sequences.tree_of([each[-3:] for each in texts], "ABCDEF")
        found = chop_connect(codes, time, places, *tree, window)
        wanted = []
        for query, text in enumerate(texts):
            place = np.array([text.find(each) for each in "ABCDEF"], np.int8)[codes]
            nothing = np.full(90, NO_PLACE, np.int8)
            times, counts, _ = prefix_counters(place, nothing, time, len(text), window)
            wanted += [(query, *each) for each in zip(times, counts, strict=True)]
        assert sum(count for _, _, count in wanted) > 5
        assert sorted(zip(*found, strict=True)) == sorted(wanted)


class TestDecisions:
    """The numbers of HAMLET's equations 8 to 10 decide; here with events that queries refuse."""

    SIZES, LIMITS = np.array([5, 5]), np.array([-np.inf, 50.0])

    def roles(self, burst: list[float], events: int, policy: int = DYNAMIC) -> list[int]:
        roles = np.empty(2, np.int8)
        decide(np.array(burst), self.SIZES, self.LIMITS, events, policy, roles)
        return roles.tolist()

    def test_a_calm_burst_is_shared(self):
        assert self.roles([60.0] * 8, 100) == [SHARED, SHARED]

    def test_who_takes_nothing_has_no_part(self):
        assert self.roles([10.0] * 8, 100) == [SHARED, TAKES_NONE]

    def test_who_needs_many_snapshots_is_left_out(self):
        assert self.roles([60.0, *[10.0] * 7], 100) == [SHARED, ALONE]

    def test_nobody_shares_where_nothing_was_before(self):
        assert self.roles([60.0], 1) == [ALONE, ALONE]

    def test_other_policies_do_not_decide(self):
        burst = [60.0, *[10.0] * 7]
        assert self.roles(burst, 100, ALWAYS) == [SHARED, SHARED]
        assert self.roles(burst, 100, NEVER) == [ALONE, ALONE]

    @pytest.mark.parametrize("data", [streams.TAXI, streams.SMART_HOME], ids=lambda each: each.key)
    def test_bursts_of_figure_10_are_shared_and_not(self, data):
        events = streams.bursts(data, 3000, 20_000)
        self.assert_both(Task(data.shared, pairs(data.others, 20), (data.key,), data.key, MINUTE,
                              streams.LIMITS), events)  # fmt: skip

    def test_bursts_of_figure_8_are_shared_and_not(self):
        events = streams.ridesharing(4000, 2000, 10, 25)
        ends = pairs(streams.RIDE_TYPES, 20)
        self.assert_both(
            Task("Travel", ends, ("district",), "district", MINUTE, streams.LIMITS), events
        )

    @staticmethod
    def assert_both(task: Task, events: pa.Table) -> None:
        assert min(contenders.hamlets_decisions(task, events)) > 0
        assert sum(contenders.our_decisions(task, events)) > 50


class TestStreams:
    def test_queries_of_the_second_workload_differ(self):
        texts = diverse.queries(100)
        assert len(set(texts)) == 100
        assert {text.split("RETURN")[1].split("(")[0] for text in texts} == {
            f" company, {each.split('(')[0]}" for each in diverse.AGGREGATES
        }

    def test_bursts_have_one_key(self):
        events = streams.bursts(streams.SMART_HOME, 3000, 20_000)
        house, kind = events["house"].to_numpy(), events["type"].to_pylist()
        for place in range(1, 3000):
            if kind[place] == streams.SMART_HOME.shared:
                assert house[place] == house[place - 1]

    @pytest.mark.parametrize("rate", [2000, 20_000])
    def test_rates(self, rate):
        made = [
            streams.bursts(streams.TAXI, 5000, rate),
            streams.ridesharing(5000, rate, 10, 5),
            diverse.transactions(5000, rate),
        ]
        for events in made:
            minutes = events["time"].to_numpy()[-1] / MINUTE
            assert 5000 / minutes == pytest.approx(rate, rel=0.1)

    def test_queries_have_types_of_their_own(self):
        sequences_of = Shared(1, 100, 6, 6, is_prefix=False).sequences
        assert all(len(set(each)) == 8 for each in sequences_of)
        assert len({each[0] for each in sequences_of} | {each[-1] for each in sequences_of}) == 12
        assert {name for each in sequences_of for name in each} <= set(TICKERS)
