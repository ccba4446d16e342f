"""The experiments of SASE+ run at a tiny size, and all contenders agree with the oracle."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest

from benchmarks.measure import WrongAnswerError
from benchmarks.papers.sase_plus import EXPERIMENTS
from benchmarks.papers.sase_plus.compare import compare, verify
from benchmarks.papers.sase_plus.contenders import (
    BASIC,
    CEPHEID,
    MERGING,
    Answer,
    Contender,
    Skipped,
    Task,
    by_backtrack,
    by_basic,
    by_cepheid,
    by_compressed_cepheid,
    by_merging,
)
from benchmarks.papers.sase_plus.queries import (
    ALL,
    NON_OVERLAPPING,
    P1_S3,
    P2_S3,
    SIX,
    STARRED_S2,
    STARRED_S3,
)
from benchmarks.papers.sase_plus.shapes import determination, exponent
from benchmarks.papers.sase_plus.stream import stock_table
from tests.oracle import ask

TEMPLATES = (*SIX, STARRED_S2, STARRED_S3)
WINDOW = 9


def tiny_table(seed: int, events: int = 50) -> pa.Table:
    """Two symbols whose prices stay near 500, where runs start, and volumes near 150."""
    random = np.random.default_rng(seed)
    return pa.table(
        {
            "time": np.arange(events),
            "symbol": random.integers(1, 3, events),
            "price": 500 + random.integers(-1, 3, events) + np.arange(events) % 7 // 3,
            "volume": random.integers(50, 450, events),
        }
    )


def matches_of(contender: Contender) -> list[tuple[int, ...]]:
    """The matches of a contender, each as the times of its events."""
    result = contender.run()
    if isinstance(result, pa.Table):
        return sorted(
            (*row["a_time"], *(value for name, value in row.items() if name != "a_time"))
            for row in result.to_pylist()
        )
    parts = np.split(result.event, result.offsets[1:-1]) if result.matches else []
    return sorted(tuple(each.tolist()) for each in parts)


def expected(task: Task, output: str) -> list[tuple[int, ...]]:
    events = [{"type": "Stock", **event} for event in task.table.to_pylist()]
    rows = ask(task.template.text(task.window, output), events)
    return sorted(
        (*row["a_time"], *(row[n] for n in ("b_time", "c_time") if n in row)) for row in rows
    )


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda each: each.name)
class TestOracle:
    @pytest.mark.parametrize("seed", range(4))
    def test_all_results(self, template, seed):
        task = Task(template, WINDOW, tiny_table(seed))
        contenders = [by_cepheid(task), by_basic(task), by_backtrack(task)]
        if not template.has_third:
            contenders.append(by_merging(task))
        answer = expected(task, ALL)
        assert answer
        for each in contenders:
            assert matches_of(each) == answer, each.name

    @pytest.mark.parametrize("seed", range(4))
    def test_non_overlapping_results(self, template, seed):
        task = Task(template, WINDOW, tiny_table(seed))
        contenders = [make(task, is_apart=True) for make in (by_cepheid, by_basic, by_backtrack)]
        answer = expected(task, NON_OVERLAPPING)
        for each in contenders:
            assert matches_of(each) == answer, each.name


def test_experiments_have_different_names():
    assert len({each.name for each in EXPERIMENTS}) == len(EXPERIMENTS)


class TestCompare:
    def test_a_wrong_answer_is_an_error(self):
        task = Task(P1_S3, WINDOW, tiny_table(0))
        wrong = dataclasses.replace(
            by_basic(task), answer=lambda found: Answer(found.matches, 0, 0)
        )
        with pytest.raises(WrongAnswerError, match="p1 s3, W = 9: basic gives"):
            verify(task, [by_cepheid(task), wrong])

    def test_counts_are_compared_where_nothing_else_is_known(self):
        assert Answer(3).agrees(Answer(3, 10, 7))
        assert not Answer(3, 10, 7).agrees(Answer(3, 10, 8))
        assert not Answer(2).agrees(Answer(3))

    def test_those_that_cannot_run_give_their_reason(self):
        task = Task(P2_S3, WINDOW, tiny_table(1))
        found = compare(task, [by_cepheid(task), Skipped("absent", "not here")], turns=1)
        assert found.throughput(CEPHEID).value > 0
        assert found.throughput("absent").skipped == "not here"

    def test_compressed_output_counts_the_matches_or_says_why_not(self):
        task = Task(P2_S3, WINDOW, tiny_table(1))
        compressed = by_compressed_cepheid(task)
        if isinstance(compressed, Skipped):
            assert "COMPRESSED" in compressed.reason
        else:
            verify(task, [by_cepheid(task), compressed])

    def test_merging_needs_fewer_runs(self):
        task = Task(P1_S3, 500, stock_table(2000, 0.7))
        found = verify(task, [by_cepheid(task), by_basic(task), by_merging(task)])
        assert found[MERGING].run_steps < found[BASIC].run_steps


class TestShapes:
    def test_exponent(self):
        assert exponent([1, 2, 4], [8, 2, 0.5]) == pytest.approx(-2)

    def test_determination(self):
        assert determination([1, 2, 3], [3, 5, 7]) == pytest.approx(1)
        assert determination([1, 2, 3], [0, 1, 0]) == pytest.approx(0)
