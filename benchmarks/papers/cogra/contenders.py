"""Cepheid and the methods of the paper, from an Arrow table to a row per window and group.

The two-step approach builds all trends with Cepheid's match engine, which stands for SASE's stacks
and depth-first search, and counts them; as in the paper one trend at a time exists, and only its
window and group are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import cepheid
from benchmarks.papers.baselines.compiled import Ints
from benchmarks.papers.baselines.event_graph import event_graph
from benchmarks.papers.baselines.flattened_queries import flattened_queries
from benchmarks.papers.baselines.grained_counts import (
    CONTIGUOUS,
    event_grained,
    pattern_grained,
    type_grained,
)
from benchmarks.papers.baselines.trend_slices import (
    END,
    KLEENE,
    START,
    Bits,
    Floats,
    slice_offsets,
)
from benchmarks.papers.cogra.task import Task
from benchmarks.papers.race import Answer, Contender

GRETA, A_SEQ, TWO_STEPS = "GRETA", "A-Seq, flattened", "two steps (SASE)"
EVENT_GRAINED, TYPE_GRAINED = "event-grained", "type-grained (COGRA)"
PATTERN_GRAINED = "pattern-grained (COGRA)"


@dataclass(frozen=True, slots=True)
class Slices:
    """The events by window and partition, and which window and group a slice belongs to."""

    fires: Bits
    offsets: Ints
    bound: Ints
    value: Ints
    window: Ints
    group: Ints


def engine(task: Task) -> Contender:
    """Return the engine: parse, plan and run the query."""

    def run(events: pa.Table) -> Answer:
        found = cepheid.query(task.query).run(events, time="time", type="type")
        columns = [found["window_start"], found[task.shape.group], found["count"]]
        return Answer(_table(pc.cast(columns[0], pa.int64()), columns[1], columns[2]))

    return run


def two_steps(task: Task) -> Contender:
    """Return the two-step approach; what it built is how many trends there are."""

    def run(events: pa.Table) -> Answer:
        trends = cepheid.query(task.all_trends).run(
            events, time="time", type="type", max_matches=None
        )
        group = task.shape.group
        counted = trends.group_by(["window", group]).aggregate([([], "count_all")])
        start = pc.multiply(counted["window"], task.window)
        return Answer(
            _table(start, counted[group], pc.cast(counted["count_all"], pa.float64())),
            trends.num_rows,
        )

    return run


def greta(task: Task) -> Contender:
    """Return GRETA."""
    return _sliced(
        task,
        lambda each: event_graph(
            each.fires, each.offsets, task.shape.bounded, task.compares, each.bound, each.value
        ),
    )


def flattened(task: Task) -> Contender:
    """Return A-Seq with a query for every length."""
    return _sliced(
        task, lambda each: flattened_queries(each.fires, each.offsets, task.shape.bounded)
    )


def by_event(task: Task) -> Contender:
    """Return event-grained aggregation under skip-till-next or contiguity."""
    contiguous = task.strategy == CONTIGUOUS
    return _sliced(
        task,
        lambda each: event_grained(each.fires, each.offsets, task.shape.bounded, contiguous)[0],
    )


def by_type(task: Task) -> Contender:
    """Return type-grained aggregation, written for the pattern."""
    return _sliced(
        task,
        lambda each: type_grained(each.fires, each.offsets, task.shape.bounded, task.strategy),
    )


def by_pattern(task: Task) -> Contender:
    """Return COGRA's algorithm 3; under skip-till-next it is not definition 2.6."""
    contiguous = task.strategy == CONTIGUOUS
    return _sliced(
        task,
        lambda each: pattern_grained(each.fires, each.offsets, task.shape.bounded, contiguous),
    )


def with_one_predecessor(task: Task) -> Contender:
    """Return what algorithm 3 counts under skip-till-next: an event follows the last matched one.

    So a trend of `SEQ(S, A+, F)` begins with the last S before its first A, and an F is skipped
    until there is an A. As text, one letter for an event, every trend is `SF*A+F`.
    """
    letters = {START: "S", KLEENE: "A", END: "F", 0: ""}

    def count(slices: Slices) -> Floats:
        ends = zip(slices.offsets[:-1], slices.offsets[1:], strict=True)
        texts = ("".join(map(letters.__getitem__, slices.fires[a:b].tolist())) for a, b in ends)
        return np.array([len(re.findall("SF*A+F", each)) for each in texts], np.float64)

    return _sliced(task, count)


def number_of_trends(task: Task, events: pa.Table) -> float:
    """Return how many trends the two-step approach would build."""
    counts = by_type(task)(events).matches["count"]
    return float(pc.sum(counts).as_py() or 0.0)


def _sliced(task: Task, baseline: Callable[[Slices], Floats]) -> Contender:
    def run(events: pa.Table) -> Answer:
        slices = _slices(task, events)
        counts = baseline(slices)
        groups = int(slices.group.max(initial=0)) + 1
        cell = slices.window * groups + slices.group
        totals = np.bincount(cell, weights=counts)
        rows = np.flatnonzero(totals)
        return Answer(_table(rows // groups * task.window, rows % groups, totals[rows]))

    return run


def _slices(task: Task, events: pa.Table) -> Slices:
    window = _values(events, "time") // task.window
    keys = window
    for name in task.shape.partition:
        codes = _values(events, name)
        keys = keys * (int(codes.max(initial=0)) + 1) + codes
    order = np.argsort(keys, kind="stable")
    offsets = slice_offsets(keys, order)
    first = order[offsets[:-1]]
    # Without a predicate nobody reads the values: any column of whole numbers will do.
    bound, value = (
        (_values(events, "ceiling")[order], _values(events, "price")[order])
        if task.compares
        else (order, order)
    )
    return Slices(
        task.shape.fires(events)[order],
        offsets,
        bound,
        value,
        window[first],
        _values(events, task.shape.group)[first],
    )


def _values(events: pa.Table, name: str) -> Ints:
    values: Ints = events.column(name).chunk(0).to_numpy()
    return values


def _table(start: object, group: object, count: object) -> pa.Table:
    return pa.table({"window_start": start, "group": group, "count": count})
