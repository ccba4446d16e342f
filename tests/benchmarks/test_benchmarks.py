"""Every benchmark runs at a tiny size, and every contender that runs gives the exact answer."""

import json
import math
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks import references, sliding_references, workloads
from benchmarks.__main__ import main
from benchmarks.catalogue import BENCHMARKS
from benchmarks.contender import Benchmark, Contender, NotRunnableError, Timed
from benchmarks.measure import Measurement, WrongAnswerError, measure, peak_memory
from benchmarks.peers.flink import JARS
from benchmarks.peers.flink_sql import W4, flink_sql
from benchmarks.peers.numpy_pass import bare_pass
from benchmarks.report import Report

WITH_PEERS = ("w1-sparse", "w1-dense", "w2", "w4", "w4-matches", "w5")
LOCAL = (
    *WITH_PEERS,
    "w3-scaling",
    "count-type-grained",
    "a-seq-window",
    "slide-overlap",
    "next-falling",
    "non-overlapping",
    "join-keys",
    "two-keys",
)
ON_SPARK = (
    "spark-w1-sparse",
    "spark-w1-dense",
    "spark-w4",
    "spark-type-grained",
    "spark-one-key",
    "spark-push-down",
    "spark-sql",
    "spark-sql-few-types",
    "spark-marks-narrow",
    "spark-marks-wide",
    "spark-stream-w1",
    "spark-stream-counts",
    "spark-join-keys",
    "stream-join-keys",
    "spark-two-keys",
    "stream-two-keys",
)


def measured(name: str, *, events: int, folder) -> dict[str, Measurement]:
    found = measure(BENCHMARKS[name], events=events, repeat=1, memory=False, folder=folder)
    return {each.contender: each for each in found}


def assert_answered(found: dict[str, Measurement], prefix: str) -> None:
    """A contender was checked against the reference, or says that the engine refuses the query."""
    chosen = [each for name, each in found.items() if name.startswith(prefix)]
    assert chosen
    for each in chosen:
        if each.skipped is None:
            assert each.checked
            assert len(each.seconds) == 1
        else:
            assert each.skipped.startswith(("not executable yet", "too slow"))


def test_all_benchmarks_are_tested():
    assert {*LOCAL, *ON_SPARK, "w3", "w3-one-key", "cold-start"} == set(BENCHMARKS)


@pytest.mark.parametrize("name", LOCAL)
def test_answers_are_exact(name, tmp_path):
    found = measured(name, events=3000, folder=tmp_path)
    assert_answered(found, "Cepheid")
    if name in WITH_PEERS:
        assert_answered(found, "DuckDB")
        assert found["bare pass"].seconds


@pytest.mark.parametrize("name", ["w1-sparse", "w1-dense", "w2", "w4"])
def test_polars_answers_too(name, tmp_path):
    assert_answered(measured(name, events=2000, folder=tmp_path), "Polars")


def test_trends_of_falling_prices(tmp_path):
    found = measured("w3", events=100, folder=tmp_path)
    assert_answered(found, "Cepheid")
    assert_answered(found, "DuckDB")
    assert found["GRETA, scan"].checked


def test_trends_of_falling_prices_of_one_company(tmp_path):
    found = measured("w3-one-key", events=2000, folder=tmp_path)
    assert_answered(found, "Cepheid")
    assert found["GRETA, scan"].checked


def test_prefix_counters_are_as_exact(tmp_path):
    found = measured("a-seq-window", events=5000, folder=tmp_path)
    assert all(each.checked for name, each in found.items() if name.startswith("A-Seq"))


@pytest.mark.slow
def test_cold_start(tmp_path):
    benchmark = BENCHMARKS["cold-start"]
    quick = [each for each in benchmark.contenders if "no compiled kernels" not in each.name]
    benchmark = replace(benchmark, contenders=tuple(quick))
    found = measure(benchmark, events=1000, repeat=1, memory=False, folder=tmp_path)
    checked = {each.contender for each in found if each.checked}
    assert checked == {"cepheid run", "cepheid run, CSV", "Cepheid, API"}


@pytest.mark.spark
@pytest.mark.parametrize("name", ON_SPARK)
def test_spark_answers_are_exact(name, tmp_path):
    found = measured(name, events=2000, folder=tmp_path)
    skipped = {name for name, each in found.items() if each.skipped is not None}
    assert skipped <= {"Flink SQL, marginal"}
    assert found["Cepheid on Spark"].checked


class TestReferences:
    def test_a_generator_gives_the_same_events_again(self, tmp_path):
        first = workloads.W5.parquet(500, tmp_path / "one")
        second = workloads.W5.parquet(500, tmp_path / "two")
        assert first.read_bytes() == second.read_bytes()

    def test_falling_prices(self, tmp_path):
        assert references.w3(workloads.W3.parquet(1000, tmp_path)) == (math.log2(59267852275440),)

    def test_falling_prices_of_a_part(self, tmp_path):
        whole = workloads.W3.parquet(1000, tmp_path)
        assert references.w3(whole, divisor=2) < references.w3(whole)

    def test_sliding_windows(self, tmp_path):
        path = tmp_path / "events.parquet"
        types = list("ABCABC")
        pq.write_table(pa.table({"ts": range(6), "etype": types}), path)
        assert sliding_references.recent(path, window=6) == (2, 1 + 4)
        assert sliding_references.recent(path, window=3) == (2, 2)
        # [-3, 3), [0, 6) and [3, 9) hold 1, 4 and 1
        assert sliding_references.sliding(path, window=6, slide=3) == (3, 0, 6)

    def test_next_falling(self, tmp_path):
        path = tmp_path / "events.parquet"
        pq.write_table(pa.table({"price": [10, 12, 8]}), path)
        assert sliding_references.next_falling(path, window=3) == (1, 5.0)  # COGRA, definition 2.6

    def test_next_match(self, tmp_path):
        path = tmp_path / "events.parquet"
        types, times = list("AABBCCAC"), [0, 1, 2, 3, 1001, 1002, 1003, 1004]
        columns = {"ts": times, "etype": types, "id": [5] * 8, "v": [0] * 8}
        pq.write_table(pa.table(columns), path)
        # of the As at 0 and 1, the first is too early for the C, and the A at 1003 has no B
        assert references.w1_next(path) == (1, 5, 1, 2, 1001)

    @pytest.mark.slow
    def test_answers_at_a_million_events(self, tmp_path):
        million = 1_000_000
        assert references.w1(workloads.W1_SPARSE.parquet(million, tmp_path))[0] == 75
        assert references.w1_next(workloads.W1_SPARSE.parquet(million, tmp_path))[0] == 72
        dense = workloads.W1_DENSE.parquet(million, tmp_path)
        assert references.w1(dense)[0] == 156_771
        assert references.w1_next(dense)[0] == 35_618
        assert references.w2(dense)[-1] == 522_467
        assert references.w4(workloads.W4.parquet(million, tmp_path)) == (22_831, 1_561_247)

    @pytest.mark.slow
    def test_fifty_queries(self, tmp_path):
        total = references.w5(workloads.W5.parquet(100_000, tmp_path))
        assert total == (float(19122657928854124942300),)

    @pytest.mark.parametrize(
        ("one", "other", "expected"),
        [
            ((1, 2), (1, 2), True),
            ((1, 2), (1, 3), False),
            ((10**17,), (10**17 + 1,), False),
            ((1e80,), (1e80 * (1 + 1e-12),), True),
            ((1e80,), (1.001e80,), False),
            ((1,), (1, 2), False),
        ],
    )
    def test_agree(self, one, other, expected):
        assert references.agree(one, other) is expected


@pytest.fixture
def tiny() -> Benchmark:
    """A benchmark of one wrong contender, one that cannot run, and a floor."""

    def never() -> None:
        raise AssertionError("must not be asked")

    return replace(
        BENCHMARKS["w1-dense"],
        events=10,
        contenders=(
            Contender("wrong", lambda path: (1,), lambda result: result),
            Contender("slow", lambda path: never(), None, most_events=5),
            bare_pass(["ts"]),
        ),
    )


class TestMeasuring:
    def test_a_wrong_answer_is_an_error(self, tiny, tmp_path):
        with pytest.raises(WrongAnswerError, match="w1-dense: wrong gives"):
            measure(tiny, events=10, repeat=1, memory=False, folder=tmp_path)

    def test_a_contender_that_is_too_slow_is_not_started(self, tiny, tmp_path):
        benchmark = replace(tiny, contenders=tiny.contenders[1:])
        slow, floor = measure(benchmark, events=10, repeat=3, memory=False, folder=tmp_path)
        assert slow.skipped == "too slow beyond 5 events"
        assert slow.seconds == ()
        assert len(floor.seconds) == 3
        assert not floor.checked

    def test_memory_is_measured_in_another_process(self, tmp_path):
        benchmark = BENCHMARKS["w2"]
        path = benchmark.workload.parquet(1000, tmp_path)
        assert peak_memory(benchmark, benchmark.contender("bare pass"), path) > 2**20


class TestFlinkSql:
    def test_without_jars_it_is_skipped(self, monkeypatch):
        monkeypatch.delenv(JARS, raising=False)
        with pytest.raises(NotRunnableError, match="no jars"):
            flink_sql(W4).require_runnable(1_000_000)

    def test_few_events_tell_nothing_about_its_rate(self):
        contender = replace(flink_sql(W4), ready=lambda: None)
        contender.require_runnable(500_000)
        with pytest.raises(NotRunnableError, match="too few events, needs 500,000"):
            contender.require_runnable(499_999)

    def test_its_start_is_not_counted(self, tiny, tmp_path):
        rounds = iter([Timed((), 9.0, 8.5), Timed((), 8.0, 7.0), Timed((), 5.0, 4.5)])
        contender = Contender("Flink", lambda path: next(rounds), None)
        benchmark = replace(tiny, contenders=(contender,), baseline="Flink")
        (found,) = measure(benchmark, events=10, repeat=2, memory=False, folder=tmp_path)
        assert found.shorter_seconds == (7.0, 4.5)  # the first round is to warm up
        assert found.best == 0.5

    def test_the_shortest_times_are_compared(self):
        disturbed = Measurement("Flink", (9.0, 6.0), shorter_seconds=(8.9, 4.0))
        assert disturbed.best == 2.0

    def test_no_time_is_reported_if_the_longer_job_takes_no_longer(self, tiny):
        hidden = Measurement("Flink", (1.0,), shorter_seconds=(2.0,))
        assert hidden.best is None
        report = Report(tiny, 10, 1, [Measurement("bare pass", (1.0,)), hidden])
        assert list(report.rows())[1][-1] == "too disturbed to tell"


class TestReport:
    def test_files_say_what_was_measured(self, tiny, tmp_path):
        measurements = [
            Measurement("wrong", (0.5, 0.25), (0.5, 0.5), 2**20, checked=True),
            Measurement("slow", skipped="too slow"),
            Measurement("bare pass", (0.125,), (0.125,)),
        ]
        report = Report(replace(tiny, baseline="wrong"), 10, 2, measurements)
        markdown = report.write(tmp_path).read_text()
        assert "| wrong | 250.0 ms | 500.0 ms | 40 | 1 MB | 1.00 | 1.00 | exact |" in markdown
        assert "| slow | - | - | - | - | - | - | too slow |" in markdown
        assert (
            "| bare pass | 125.0 ms | 125.0 ms | 80 | - | 0.50 | 0.25 | none (floor) |" in markdown
        )
        facts = json.loads((tmp_path / "w1-dense-10.json").read_text())
        assert facts["baseline"] == "wrong"
        assert facts["cores"] >= 1
        assert [each["ratio"] for each in facts["contenders"]] == [1.0, None, 0.5]

    def test_ratios_refer_to_the_floor_if_the_baseline_could_not_run(self, tiny):
        measurements = [Measurement("Cepheid", skipped="no"), Measurement("bare pass", (1.0,))]
        assert Report(tiny, 10, 1, measurements).baseline.contender == "bare pass"


class TestCommand:
    def test_lists_all_benchmarks(self, capsys):
        assert main([]) == 0
        listed = capsys.readouterr().out
        assert all(name in listed for name in BENCHMARKS)

    def test_an_unknown_name_is_an_error(self, capsys):
        assert main(["w9"]) == 2
        assert "no benchmark is called w9" in capsys.readouterr().out
