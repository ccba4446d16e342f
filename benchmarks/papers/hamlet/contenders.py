"""Cepheid and the methods of the paper, from an Arrow table to a row per query, window and group.

Queries are known before the clock runs: HAMLET merges its templates at compile time, too. The
methods of the paper put the events into slices once for all queries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import cepheid
from benchmarks.papers.baselines.compiled import Ints
from benchmarks.papers.baselines.event_graph import event_graph
from benchmarks.papers.baselines.shared_sequences import shared_sequences
from benchmarks.papers.baselines.shared_trends import shared_trends
from benchmarks.papers.baselines.trend_slices import END, KLEENE, START, Floats, slice_offsets
from benchmarks.papers.hamlet.task import Task
from benchmarks.papers.race import Answer, Contender
from benchmarks.papers.sweep import OURS

ALWAYS, NEVER = f"{OURS}, always", f"{OURS}, never"
ONE_BY_ONE = f"{OURS}, one by one"
WAYS = {OURS: "dynamic", ALWAYS: "always", NEVER: "never"}
GRETA, SHARON, MCEP = "GRETA", "flattened (SHARON)", "two steps (MCEP)"


def engines(queries: Sequence[str], group: str, names: Sequence[str]) -> dict[str, Contender]:
    """Return Cepheid with the queries as a workload, by way of sharing, and one by one."""
    workload = cepheid.workload(queries)
    return {
        name: _together(workload, WAYS[name], group)
        if name in WAYS
        else _one_by_one(workload, group)
        for name in names
        if name in WAYS or name == ONE_BY_ONE
    }


def _together(workload: cepheid.Workload, sharing: str, group: str) -> Contender:
    def run(events: pa.Table) -> Answer:
        found = workload.run(events, time="time", type="type", sharing=sharing)
        return _of_queries(list(found.values()), group)

    return run


def _one_by_one(workload: cepheid.Workload, group: str) -> Contender:
    queries = list(workload.queries.values())

    def run(events: pa.Table) -> Answer:
        return _of_queries([each.run(events, time="time", type="type") for each in queries], group)

    return run


def _of_queries(tables: Sequence[pa.Table], group: str) -> Answer:
    numbers = np.repeat(np.arange(len(tables)), [each.num_rows for each in tables])
    columns = pa.concat_tables([each.select(["window_start", group, "value"]) for each in tables])
    return Answer(_table(numbers, columns["window_start"], columns[group], columns["value"]))


@dataclass(frozen=True, slots=True)
class Slices:
    """The types of events by window and partition, and which window and group a slice is of."""

    code: Ints
    offsets: Ints
    window: Ints
    group: Ints


@dataclass(frozen=True, slots=True)
class Codes:
    """The types of a workload as numbers."""

    kleene: int
    starts: Ints
    ends: Ints
    types: int


def greta(task: Task) -> Contender:
    """Return GRETA: the event-grained graph, for one query after the other."""

    def count(slices: Slices, codes: Codes) -> Floats:
        totals = np.empty((slices.window.size, codes.starts.size))
        nothing = np.zeros(slices.code.size, np.int64)
        for query, (start, end) in enumerate(zip(codes.starts, codes.ends, strict=True)):
            fires = np.zeros(codes.types, np.uint8)
            fires[codes.kleene] |= KLEENE
            fires[start] |= START
            fires[end] |= END
            totals[:, query] = event_graph(
                fires[slices.code], slices.offsets, True, False, nothing, nothing
            )
        return totals

    return _sliced(task, count)


def sharon(task: Task) -> Contender:
    """Return SHARON: shared counts of sequences of every length."""
    return _sliced(
        task,
        lambda slices, codes: shared_sequences(
            slices.code, slices.offsets, codes.kleene, codes.starts, codes.ends, codes.types
        ),
    )


def mcep(task: Task) -> Contender:
    """Return MCEP: shared trends, aggregated query by query."""
    return _sliced(
        task,
        lambda slices, codes: shared_trends(
            slices.code, slices.offsets, codes.kleene, codes.starts, codes.ends, codes.types
        )[0],
    )


def sizes(task: Task, events: pa.Table) -> tuple[float, float]:
    """Return about how many counts SHARON updates, and how many shared trends MCEP builds."""
    slices, codes = _slices(task, events), _codes(task, events)
    of_slice = np.repeat(np.arange(slices.window.size), np.diff(slices.offsets))
    counts = np.bincount(of_slice[slices.code == codes.kleene], minlength=slices.window.size)
    with np.errstate(over="ignore"):
        return float(np.sum(counts.astype(np.float64) ** 3) / 6), float(np.sum(2.0**counts))


def _sliced(task: Task, count: Callable[[Slices, Codes], Floats]) -> Contender:
    def run(events: pa.Table) -> Answer:
        slices = _slices(task, events)
        totals = count(slices, _codes(task, events))
        groups = int(slices.group.max(initial=0)) + 1
        cell = slices.window * groups + slices.group
        of_cell = [np.bincount(cell, weights=totals[:, each]) for each in range(totals.shape[1])]
        query, place = np.nonzero(np.array(of_cell))
        values = np.concatenate([each[each != 0] for each in of_cell])
        return Answer(_table(query, place // groups * task.window, place % groups, values))

    return run


def _codes(task: Task, events: pa.Table) -> Codes:
    types = events.column("type").chunk(0).dictionary.to_pylist()
    # A type that does not occur has a code that no event has.
    code_by_type = {name: code for code, name in enumerate(types)}
    starts, ends = (
        np.array([code_by_type.get(each[place], len(types)) for each in task.ends], np.int64)
        for place in (0, 1)
    )
    return Codes(code_by_type.get(task.kleene, len(types)), starts, ends, len(types) + 1)


def _slices(task: Task, events: pa.Table) -> Slices:
    window = _values(events, "time") // task.window
    keys = window
    for name in task.partition:
        codes = _values(events, name)
        keys = keys * (int(codes.max(initial=0)) + 1) + codes
    order = np.argsort(keys, kind="stable")
    offsets = slice_offsets(keys, order)
    first = order[offsets[:-1]]
    code = events.column("type").chunk(0).indices.to_numpy().astype(np.int64)
    return Slices(code[order], offsets, window[first], _values(events, task.group)[first])


def _values(events: pa.Table, name: str) -> Ints:
    values: Ints = events.column(name).chunk(0).to_numpy()
    return values


def _table(query: Ints, start: object, group: object, value: object) -> pa.Table:
    """Return the answer; logarithms tell differences that the largest values hide in a sum."""
    start = pc.cast(start, pa.int64()) if isinstance(start, pa.ChunkedArray) else start
    return pa.table(
        {
            "query": query,
            "window_start": start,
            "group": group,
            "value": value,
            "magnitude": pc.log2(value),
        }
    )
