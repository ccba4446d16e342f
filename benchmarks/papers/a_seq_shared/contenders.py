"""Cepheid, A-Seq and the two-step approaches, from an Arrow table to rows per query and last event.

Queries are known before the clock runs. The two-step approaches build matches with Cepheid's match
engine: those of every query, in the place of SASE, or those of the shared substring once, joined to
the events of every query, in the place of ECube.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

import cepheid
from benchmarks.papers.a_seq.contenders import alive, of_type, places
from benchmarks.papers.a_seq_shared.stream import Shared
from benchmarks.papers.baselines.chop_connect import chop_connect
from benchmarks.papers.baselines.compiled import Ints
from benchmarks.papers.baselines.prefix_counters import NO_PLACE, prefix_counters
from benchmarks.papers.baselines.prefix_tree import NO_NODE, prefix_tree
from benchmarks.papers.race import Answer, Contender


def together(workload: cepheid.Workload) -> Contender:
    """Return Cepheid with the queries as a workload."""

    def run(events: pa.Table) -> Answer:
        return _of_tables(list(workload.run(events, time="time", type="type").values()))

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
        time, nothing = _time(events), places(events, {})
        found = [
            prefix_counters(
                places(events, {name: place for place, name in enumerate(each)}),
                nothing,
                time,
                len(each),
                shared.window_ms,
            )
            for each in shared.sequences
        ]
        return _answer([each[0] for each in found], [each[1] for each in found])

    return run


def published_sharing(shared: Shared) -> Contender:
    """Return A-Seq with what it shares: a PreTree, or a substring by Chop-Connect."""
    own = 0 if shared.is_prefix else 1  # types of a query before those that all have

    def run(events: pa.Table) -> Answer:
        types = events.column("type").chunk(0)
        codes, names = types.indices.to_numpy().astype(np.int64), types.dictionary.to_pylist()
        tree = tree_of([each[own:] for each in shared.sequences], names)
        if shared.is_prefix:
            found = prefix_tree(codes, _time(events), *tree, shared.window_ms)
        else:
            place_of_type = np.full((len(shared.sequences), len(names)), NO_PLACE)
            for query, sequence in enumerate(shared.sequences):
                place_of_type[query, [names.index(each) for each in sequence[:own]]] = range(own)
            found = chop_connect(codes, _time(events), place_of_type, *tree, shared.window_ms)
        return Answer(_table(*found))

    return run


def tree_of(sequences: Sequence[Sequence[str]], names: Sequence[str]) -> tuple[Ints, Ints, Ints]:
    """Return the nodes of types, the parents of nodes and the last nodes of queries.

    >>> [each.tolist() for each in tree_of(["AB", "AC"], "ABC")]
    [[0, 1, 2], [-1, 0, 0], [1, 2]]
    """
    nodes: dict[Sequence[str], int] = {}
    parents = []
    node_of_type = np.full(len(names), NO_NODE)
    for sequence in sequences:
        for length in range(1, len(sequence) + 1):
            prefix = tuple(sequence[:length])
            if prefix not in nodes:
                node_of_type[names.index(prefix[-1])] = nodes[prefix] = len(nodes)
                parents.append(nodes.get(prefix[:-1], NO_NODE))
    ends = [nodes[tuple(each)] for each in sequences]
    return node_of_type, np.array(parents), np.array(ends)


def two_steps(shared: Shared) -> Contender:
    """Return matches of every query, built and counted one after the other."""
    queries = [_matching(each, shared.window_ms) for each in shared.sequences]

    def run(events: pa.Table) -> Answer:
        triggers = [_times(events, each[-1]) for each in shared.sequences]
        found, built = [], 0
        for query, at in zip(queries, triggers, strict=True):
            matches = query.run(events, time="time", type="type", max_matches=None)
            built += matches.num_rows
            found.append(alive(*_ends(matches), at, shared.window_ms))
        return _answer(triggers, found, built)

    return run


def shared_construction(shared: Shared) -> Contender:
    """Return matches of the common substring, joined to the first and last events of queries."""
    common = shared.sequences[0][1:-1]
    query = _matching(common, shared.window_ms)

    def run(events: pa.Table) -> Answer:
        first, last = _ends(query.run(events, time="time", type="type", max_matches=None))
        triggers = [_times(events, each[-1]) for each in shared.sequences]
        found, built = [], first.size
        for each, y in zip(shared.sequences, triggers, strict=True):
            x = _times(events, each[0])
            begin = np.searchsorted(x, last - shared.window_ms, side="right")
            row, place = _expanded(begin, np.searchsorted(x, first))
            begin = np.searchsorted(y, last[row], side="right")
            end = np.searchsorted(y, x[place] + shared.window_ms)
            of_pair, last_place = _expanded(begin, end)
            built += of_pair.size
            found.append(alive(x[place[of_pair]], y[last_place], y, shared.window_ms))
        return _answer(triggers, found, built)

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


def _time(events: pa.Table) -> Ints:
    times: Ints = events.column("time").chunk(0).to_numpy()
    return times


def _times(events: pa.Table, name: str) -> Ints:
    return _time(events)[of_type(events.column("type").chunk(0), name)]


def _of_tables(tables: Sequence[pa.Table]) -> Answer:
    rows = pa.concat_tables([each.select(["time", "value"]) for each in tables])
    numbers = np.repeat(np.arange(len(tables)), [each.num_rows for each in tables])
    return Answer(_table(numbers, rows["time"], rows["value"]))


def _answer(times: Sequence[Ints], counts: Sequence[Ints], built: int | None = None) -> Answer:
    numbers = np.repeat(np.arange(len(times)), [each.size for each in times])
    return Answer(_table(numbers, np.concatenate(times), np.concatenate(counts)), built)


def _table(query: Ints, time: object, value: object) -> pa.Table:
    return pa.table({"query": query, "time": time, "value": value})
