"""Cepheid, A-Seq and the two-step approaches, from an Arrow table to a row per query and window.

Queries are known before the clock runs. The two-step approaches build matches with Cepheid's match
engine: those of every query, in the place of SASE, or those of the shared substring once, joined to
the events of every query, in the place of ECube.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import cepheid
from benchmarks.papers.a_seq_shared.stream import SLIDE_MS, Shared
from benchmarks.papers.baselines.compiled import Ints, States
from benchmarks.papers.baselines.prefix_counters import NO_PLACE
from benchmarks.papers.baselines.sliding_counters import sliding_counters
from benchmarks.papers.race import Answer, Contender


def together(workload: cepheid.Workload, sharing: str) -> Contender:
    """Return Cepheid with the queries as a workload, and a way of sharing."""

    def run(events: pa.Table) -> Answer:
        found = workload.run(events, time="time", type="type", sharing=sharing)
        return _of_tables(list(found.values()))

    return run


def one_by_one(workload: cepheid.Workload) -> Contender:
    """Return Cepheid with one query after the other."""
    queries = list(workload.queries.values())

    def run(events: pa.Table) -> Answer:
        return _of_tables([each.run(events, time="time", type="type") for each in queries])

    return run


def published(shared: Shared) -> Contender:
    """Return A-Seq, one query after the other."""

    def run(events: pa.Table) -> Answer:
        time = events.column("time").chunk(0).to_numpy()
        found = [
            sliding_counters(_places(events, each), time, len(each), shared.window_ms, SLIDE_MS)
            for each in shared.sequences
        ]
        return _answer([each[0] for each in found], [each[1] for each in found])

    return run


def two_steps(shared: Shared) -> Contender:
    """Return matches of every query, built and counted one after the other."""
    queries = [_matching(each, shared.window_ms) for each in shared.sequences]

    def run(events: pa.Table) -> Answer:
        found, built = [], 0
        for query in queries:
            matches = query.run(events, time="time", type="type")
            built += matches.num_rows
            found.append(_windows(_ends(matches), shared.window_ms))
        return _answer([each[0] for each in found], [each[1] for each in found], built)

    return run


def shared_construction(shared: Shared) -> Contender:
    """Return matches of the common substring, joined to the first and last events of queries."""
    common = shared.sequences[0][1:-1]
    query = _matching(common, shared.window_ms)

    def run(events: pa.Table) -> Answer:
        first, last = _ends(query.run(events, time="time", type="type"))
        found, built = [], first.size
        for each in shared.sequences:
            x, y = _times(events, each[0]), _times(events, each[-1])
            begin = np.searchsorted(x, last - shared.window_ms, side="right")
            row, place = _expanded(begin, np.searchsorted(x, first))
            begin = np.searchsorted(y, last[row], side="right")
            end = np.searchsorted(y, x[place] + shared.window_ms)
            of_pair, last_place = _expanded(begin, end)
            built += of_pair.size
            found.append(_windows((x[place[of_pair]], y[last_place]), shared.window_ms))
        return _answer([each[0] for each in found], [each[1] for each in found], built)

    return run


def _matching(types: Sequence[str], window_ms: int) -> cepheid.Query:
    parts = ", ".join(f"{name} e{place}" for place, name in enumerate(types))
    last = len(types) - 1
    return cepheid.query(
        f"PATTERN SEQ({parts}) WITHIN {window_ms} RETURN e0.time AS first, e{last}.time AS last"
    )


def _ends(matches: pa.Table) -> tuple[Ints, Ints]:
    return matches["first"].to_numpy(), matches["last"].to_numpy()


def _expanded(begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Return every number in ranges, and the place of its range."""
    sizes = np.maximum(end - begin, 0)
    row = np.repeat(np.arange(sizes.size), sizes)
    offset = np.cumsum(sizes) - sizes
    return row, np.arange(row.size) - offset[row] + begin[row]


def _windows(matches: tuple[Ints, Ints], window_ms: int) -> tuple[Ints, Ints]:
    """Return the windows that have matches, and how many; a match is in several windows."""
    first, last = matches
    if first.size == 0:
        return first, last
    earliest, latest = (last - window_ms) // SLIDE_MS + 1, first // SLIDE_MS
    base = int(earliest.min())
    size = int(latest.max()) - base + 2
    changes = np.bincount(earliest - base, minlength=size)
    changes -= np.bincount(latest + 1 - base, minlength=size)
    counts = np.cumsum(changes)
    windows = np.flatnonzero(counts)
    return (windows + base) * SLIDE_MS, counts[windows]


def _places(events: pa.Table, types: Sequence[str]) -> States:
    column = events.column("type").chunk(0)
    place_by_name = {name: place for place, name in enumerate(types)}
    names = column.dictionary.to_pylist()
    by_code = np.array([place_by_name.get(name, NO_PLACE) for name in names], np.int8)
    places: States = by_code[column.indices.to_numpy()]
    return places


def _times(events: pa.Table, name: str) -> Ints:
    types = events.column("type").chunk(0)
    code = pc.index(types.dictionary, name).as_py()
    times: Ints = events.column("time").chunk(0).to_numpy()[types.indices.to_numpy() == code]
    return times


def _of_tables(tables: Sequence[pa.Table]) -> Answer:
    rows = pa.concat_tables([each.select(["window_start", "value"]) for each in tables])
    numbers = np.repeat(np.arange(len(tables)), [each.num_rows for each in tables])
    return Answer(_table(numbers, pc.cast(rows["window_start"], pa.int64()), rows["value"]))


def _answer(starts: Sequence[Ints], counts: Sequence[Ints], built: int | None = None) -> Answer:
    numbers = np.repeat(np.arange(len(starts)), [each.size for each in starts])
    values = np.concatenate(counts).astype(np.float64)
    return Answer(_table(numbers, np.concatenate(starts), values), built)


def _table(query: Ints, start: object, value: object) -> pa.Table:
    return pa.table({"query": query, "window_start": start, "value": value})
