"""W3: how many trends of falling prices. Timed: from the Parquet file to one number.

The number is compared as its logarithm: it has 78 digits at 20,000 events. `w3-one-key` asks the
same of one company. `GRETA` is the event-grained method, compiled like the engine's kernels: an
event scans all events before it. `w3-scaling` compares a stream with its first tenth.
"""

from __future__ import annotations

import functools
import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import references, workloads
from benchmarks.contender import Benchmark, Contender
from benchmarks.peers import chdb, duckdb, numpy_pass
from benchmarks.references import Answer
from benchmarks.run_cepheid import PACKAGES, cepheid_local, require_executable

QUERY = """
PATTERN S s+ WHERE skip_till_any_match AND [company] AND s.price > NEXT(s).price
RETURN LOG2(COUNT(*))
"""
COLUMNS = ("ts", "company", "price")
PARTS = {"all events": 1, "a tenth": 10}


def _answer(result: pa.Table) -> Answer:
    return (float(result.column(0)[0].as_py()),)


def _scan(path: Path) -> pa.Table:
    from benchmarks.papers.baselines.event_graph import event_graph
    from benchmarks.papers.baselines.trend_slices import KLEENE

    events = pq.read_table(path, columns=list(COLUMNS))
    company = events["company"].to_numpy()
    order = np.argsort(company, kind="stable")
    offsets = np.concatenate(([0], np.cumsum(np.bincount(company)))).astype(np.int64)
    price = events["price"].to_numpy()[order]
    fires = np.full(price.size, KLEENE, np.uint8)
    trends = event_graph(fires, offsets, False, True, price, price)
    return pa.table({"log2": [math.log2(trends.sum())]})


def _greta(most_events: int) -> Contender:
    """Return the scan; beyond some size the counts leave the range of its doubles, too."""
    return Contender("GRETA, scan", _scan, _answer, most_events=most_events, packages=("numba",))


def _ask_part(divisor: int, path: Path) -> pa.Table:
    import cepheid

    events = pq.read_table(path, columns=list(COLUMNS))
    return cepheid.query(QUERY).run(events.slice(0, events.num_rows // divisor), time="ts")


def _part(name: str, divisor: int) -> Contender:
    return Contender(
        f"Cepheid, {name}",
        functools.partial(_ask_part, divisor),
        _answer,
        lambda: require_executable(QUERY),
        packages=PACKAGES,
        reference=functools.partial(references.w3, divisor=divisor),
    )


W3 = Benchmark(
    name="w3",
    question="COUNT of trends of falling prices per company, skip-till-any, no window",
    workload=workloads.W3,
    events=20_000,
    reference=references.w3,
    contenders=(
        cepheid_local(QUERY, _answer, type=None),
        _greta(most_events=100_000),
        duckdb.duckdb("recursive", duckdb.W3_RECURSIVE, _answer, most_events=500),
        chdb.chdb("fold", chdb.W3_FOLD, _answer, most_events=50_000),
        numpy_pass.bare_pass(COLUMNS),
    ),
    baseline="Cepheid",
)
W3_ONE_KEY = Benchmark(
    name="w3-one-key",
    question="COUNT of trends of falling prices of one company, skip-till-any, no window",
    workload=workloads.W3_ONE_KEY,
    events=20_000,
    reference=references.w3,
    contenders=(
        cepheid_local(QUERY, _answer, type=None),
        _greta(most_events=50_000),
        numpy_pass.bare_pass(COLUMNS),
    ),
    baseline="Cepheid",
)
W3_SCALING = Benchmark(
    name="w3-scaling",
    question="COUNT of trends of falling prices per company, over all events and over a tenth",
    workload=workloads.W3,
    events=1_000_000,
    reference=None,
    contenders=tuple(_part(name, divisor) for name, divisor in PARTS.items()),
    baseline="Cepheid, a tenth",
)
