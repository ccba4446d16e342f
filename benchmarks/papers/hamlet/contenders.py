"""Cepheid and the methods of the paper, from an Arrow table to a row per query, window and group.

Queries are known before the clock runs: HAMLET merges its templates at compile time, too. The
methods of the paper put the events into slices once for all queries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

import cepheid
from benchmarks.papers.baselines.compiled import Ints
from benchmarks.papers.baselines.event_graph import event_graph_sums
from benchmarks.papers.baselines.graphlets import DYNAMIC, graphlets
from benchmarks.papers.baselines.shared_sequences import shared_sequences
from benchmarks.papers.baselines.shared_trends import shared_trends
from benchmarks.papers.baselines.trend_slices import END, KLEENE, START, Floats, slice_offsets
from benchmarks.papers.hamlet.task import Task
from benchmarks.papers.race import Answer, Contender
from benchmarks.papers.sweep import OURS

ALWAYS, NEVER = f"{OURS}, always", f"{OURS}, never"
ONE_BY_ONE = f"{OURS}, one by one"
WAYS = {OURS: "dynamic", ALWAYS: "always", NEVER: "never"}
HAMLET = "HAMLET"
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
    value: Floats
    offsets: Ints
    window: Ints
    group: Ints


@dataclass(frozen=True, slots=True)
class Codes:
    """The types of a workload as numbers, and the limits of its queries."""

    kleene: int
    starts: Ints
    ends: Ints
    types: int
    kinds: Ints
    limits: Floats


def hamlet(task: Task, policy: int = DYNAMIC) -> Contender:
    """Return HAMLET; what it built is how many bursts it shared."""

    def count(slices: Slices, codes: Codes) -> tuple[Floats, int]:
        totals, decisions = _graphlets(slices, codes, policy)
        return totals, int(decisions[0])

    return _sliced(task, count)


def hamlets_decisions(task: Task, events: pa.Table) -> tuple[int, int]:
    """Return how many bursts HAMLET shares, and how many it does not."""
    _, decisions = _graphlets(_slices(task, events), _codes(task, events), DYNAMIC)
    return int(decisions[0]), int(decisions[1])


def _graphlets(slices: Slices, codes: Codes, policy: int) -> tuple[Floats, Ints]:
    return graphlets(
        slices.code,
        slices.value,
        slices.offsets,
        codes.kleene,
        codes.starts,
        codes.ends,
        codes.kinds,
        codes.limits,
        codes.types,
        policy,
    )


def our_decisions(task: Task, events: pa.Table) -> tuple[int, int]:
    """Return how many bursts Cepheid shares, and how many it does not."""
    found = cepheid.workload(task.queries).analyze(events, time="time", type="type")
    sets = found.report.sets
    bursts = sum(each.counters.bursts for each in sets)
    shared = sum(
        each.counters.shared_bursts for each in sets if not (each.is_plain or each.is_alone)
    )
    return shared, bursts - shared


def greta(task: Task) -> Contender:
    """Return GRETA: the event-grained graph, for one query after the other."""

    def count(slices: Slices, codes: Codes) -> tuple[Floats, None]:
        totals = np.empty((slices.window.size, codes.starts.size))
        for query, (start, end) in enumerate(zip(codes.starts, codes.ends, strict=True)):
            fires = np.zeros(codes.types, np.uint8)
            fires[codes.kleene] |= KLEENE
            fires[start] |= START
            fires[end] |= END
            fired = fires[slices.code]
            fired[_refused(slices, codes, codes.kinds[query])] = 0
            totals[:, query] = event_graph_sums(fired, slices.offsets, slices.value)
        return totals, None

    return _sliced(task, count)


def sharon(task: Task) -> Contender:
    """Return SHARON: shared counts of sequences of every length."""
    return _sliced(task, _of_kinds(shared_sequences))


def mcep(task: Task) -> Contender:
    """Return MCEP: shared trends, aggregated query by query."""
    return _sliced(task, _of_kinds(lambda *arguments: shared_trends(*arguments)[0]))


def _of_kinds(
    baseline: Callable[[Ints, Floats, Ints, int, Ints, Ints, int], Floats],
) -> Callable[[Slices, Codes], tuple[Floats, None]]:
    """Run a baseline for the queries of one predicate after those of the other."""

    def count(slices: Slices, codes: Codes) -> tuple[Floats, None]:
        totals = np.empty((slices.window.size, codes.starts.size))
        for kind in range(codes.limits.size):
            own = np.flatnonzero(codes.kinds == kind)
            if own.size:
                # An event that a predicate refuses has a type that no query has.
                code = np.where(_refused(slices, codes, kind), codes.types - 1, slices.code)
                totals[:, own] = baseline(
                    code,
                    slices.value,
                    slices.offsets,
                    codes.kleene,
                    codes.starts[own],
                    codes.ends[own],
                    codes.types,
                )
        return totals, None

    return count


def _refused(slices: Slices, codes: Codes, kind: int) -> npt.NDArray[np.bool_]:
    is_low: npt.NDArray[np.bool_] = slices.value <= codes.limits[kind]
    return is_low & (slices.code == codes.kleene)


def sizes(task: Task, events: pa.Table) -> tuple[float, float]:
    """Return about how many counts SHARON updates, and how many shared trends MCEP builds."""
    slices, codes = _slices(task, events), _codes(task, events)
    of_slice = np.repeat(np.arange(slices.window.size), np.diff(slices.offsets))
    counts = np.bincount(of_slice[slices.code == codes.kleene], minlength=slices.window.size)
    with np.errstate(over="ignore"):
        return float(np.sum(counts.astype(np.float64) ** 3) / 6), float(np.sum(2.0**counts))


def _sliced(task: Task, count: Callable[[Slices, Codes], tuple[Floats, int | None]]) -> Contender:
    def run(events: pa.Table) -> Answer:
        slices = _slices(task, events)
        totals, built = count(slices, _codes(task, events))
        groups = int(slices.group.max(initial=0)) + 1
        cell = slices.window * groups + slices.group
        of_cell = [np.bincount(cell, weights=totals[:, each]) for each in range(totals.shape[1])]
        query, place = np.nonzero(np.array(of_cell))
        values = np.concatenate([each[each != 0] for each in of_cell])
        table = _table(query, place // groups * task.window, place % groups, values)
        return Answer(table, built)

    return run


def _codes(task: Task, events: pa.Table) -> Codes:
    types = events.column("type").chunk(0).dictionary.to_pylist()
    # A type that does not occur has a code that no event has.
    code_by_type = {name: code for code, name in enumerate(types)}
    starts, ends = (
        np.array([code_by_type.get(each[place], len(types)) for each in task.ends], np.int64)
        for place in (0, 1)
    )
    return Codes(
        code_by_type.get(task.kleene, len(types)),
        starts,
        ends,
        len(types) + 2,
        np.array(task.kinds, np.int64),
        np.array(task.limits),
    )


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
    value = events.column("value").chunk(0).to_numpy()[order]
    group = _values(events, task.group)[first]
    return Slices(code[order], value, offsets, window[first], group)


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
