"""COUNT of SEQ(A, B+) over all events of one group. Timed: from Arrow tables to one number.

The floor is numpy.sum over the same columns, time and codes of types. 100 million events are worked
off in tables of 10 million, each a stream of its own; reading them is not timed.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import workloads
from benchmarks.contender import Benchmark, Contender, Timed
from benchmarks.references import Answer
from benchmarks.run_cepheid import PACKAGES, require_executable

CHUNK_EVENTS = 10_000_000
QUERY = "PATTERN SEQ(A, B+) RETURN LOG2(COUNT(*))"


def _chunks(path: Path) -> Iterator[pa.Table]:
    """Yield the events in tables of one chunk."""
    file = pq.ParquetFile(path)
    groups: list[int] = []
    events = 0
    for group in range(file.num_row_groups):
        groups.append(group)
        events += file.metadata.row_group(group).num_rows
        if events >= CHUNK_EVENTS or group == file.num_row_groups - 1:
            yield file.read_row_groups(groups).combine_chunks()
            groups, events = [], 0


def _timed(work: Callable[[pa.Table], float]) -> Callable[[Path], Timed]:
    def run(path: Path) -> Timed:
        result, seconds = 0.0, 0.0
        for chunk in _chunks(path):
            started = time.perf_counter()
            result += work(chunk)
            seconds += time.perf_counter() - started
        return Timed(result, seconds)

    return run


def _ask(events: pa.Table) -> float:
    import cepheid

    found = cepheid.query(QUERY).run(events, time="ts", type="etype")
    return float(found.column(0)[0].as_py())


def _add_up(events: pa.Table) -> float:
    codes = events["etype"].chunk(0).indices.to_numpy()
    return float(np.sum(events["ts"].chunk(0).to_numpy()) + np.sum(codes))


@functools.cache
def _reference(path: Path) -> Answer:
    """Add up the logarithms: an A at place i begins 2^(Bs after i) - 1 trends."""
    total = 0.0
    for chunk in _chunks(path):
        types = chunk["etype"].chunk(0)
        is_b = types.indices.to_numpy() == types.dictionary.index(pa.scalar("B")).as_py()
        after = is_b.sum() - np.cumsum(is_b)[~is_b]
        terms = after[after > after[0] - 1000] - after[0]  # what is smaller changes no digit
        total += float(after[0]) + math.log2(math.fsum(np.exp2(terms.astype(np.float64))))
    return (total,)


def _answer(result: Any) -> Answer:
    return (float(result),)


COUNT_TYPE_GRAINED = Benchmark(
    name="count-type-grained",
    question="LOG2 of COUNT of SEQ(A, B+), one group, no window",
    workload=workloads.TYPE_GRAINED,
    events=10_000_000,
    reference=_reference,
    contenders=(
        Contender(
            "Cepheid", _timed(_ask), _answer, lambda: require_executable(QUERY), packages=PACKAGES
        ),
        Contender("numpy.sum", _timed(_add_up), None, packages=("numpy",)),
    ),
    baseline="numpy.sum",
    counts_cpu=False,  # it would count the reading, too
)
