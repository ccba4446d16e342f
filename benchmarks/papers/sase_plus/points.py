"""What is measured for one or several figures: query types at W = 500, and sweeps over W.

Figures that show the same measurements share them: results are kept for the life of the process.
"""

from __future__ import annotations

import functools

from benchmarks.papers.sase_plus.compare import Comparison, compare, verify
from benchmarks.papers.sase_plus.contenders import (
    Task,
    by_backtrack,
    by_basic,
    by_cepheid,
    by_compressed_cepheid,
    by_merging,
)
from benchmarks.papers.sase_plus.queries import Template
from benchmarks.papers.sase_plus.stream import stock_table

WINDOW = 500
WINDOWS = (500, 1000, 1500, 2000)
# Events per symbol, in windows: the paper's; fewer where W grows and every match is written out;
# and enough for one verification.
PAPER_LENGTH, SHORT_LENGTH, VERIFIED_LENGTH = 200, 10, 2
TURNS = 4
INCREASE = 0.7  # the usual probability that a price rises


def make_task(template: Template, window: int, length: float, increase: float = INCREASE) -> Task:
    """Return a query on a stream of some windows per symbol, at least one."""
    return Task(template, window, stock_table(max(int(length * window), window), increase))


def turns_at(scale: float) -> int:
    """Return how often to measure; for a quick look once is enough."""
    return TURNS if scale >= 0.1 else 1


@functools.cache
def all_results(template: Template, scale: float, increase: float = INCREASE) -> Comparison:
    """Compare Cepheid with the algorithms of the paper at W = 500."""
    task = make_task(template, WINDOW, PAPER_LENGTH * scale, increase)
    return compare(
        task,
        [
            by_cepheid(task),
            by_compressed_cepheid(task),
            by_basic(task),
            by_basic(task, constructs=False),
            by_merging(task),
            by_backtrack(task),
        ],
        turns=turns_at(scale),
    )


@functools.cache
def results_apart(template: Template, scale: float) -> Comparison:
    """Compare those that give non-overlapping results at W = 500."""
    task = make_task(template, WINDOW, PAPER_LENGTH * scale)
    return compare(
        task,
        [
            by_cepheid(task, is_apart=True),
            by_basic(task, is_apart=True),
            by_backtrack(task, is_apart=True),
        ],
        turns=turns_at(scale),
    )


@functools.cache
def sweep(template: Template, scale: float) -> tuple[Comparison, ...]:
    """Compare Cepheid with the basic algorithm for every W."""
    tasks = [make_task(template, window, SHORT_LENGTH * scale) for window in WINDOWS]
    return tuple(
        compare(
            task,
            [by_cepheid(task), by_compressed_cepheid(task), by_basic(task)],
            turns=turns_at(scale),
        )
        for task in tasks
    )


@functools.cache
def sweep_matching(template: Template, scale: float) -> tuple[Comparison, ...]:
    """Compare basic and merging without match construction for every W.

    Their matches are compared with Cepheid's on a short stream; on the long one only counts are.
    """
    compared = []
    for window in WINDOWS:
        short = make_task(template, window, VERIFIED_LENGTH * min(scale, 1.0))
        verify(short, [by_cepheid(short), by_basic(short), by_merging(short)])
        task = make_task(template, window, PAPER_LENGTH * scale)
        contenders = [
            by_basic(task, constructs=False),
            by_basic(task, constructs=False, writes_buffer=False),
            by_merging(task, constructs=False),
            by_compressed_cepheid(task),
        ]
        compared.append(compare(task, contenders, turns=turns_at(scale)))
    return tuple(compared)
