"""W3: how many trends of falling prices. Timed: from the Parquet file to one number.

The number is compared as its logarithm: it has 78 digits at 20,000 events. `GRETA` is the
event-grained method, compiled like the engine's kernels: an event scans all events before it, in
doubles. `w3-one-key` asks the same of one company and window, from an Arrow table, since reading
takes longer than the answer; `w3-scaling` compares a table with its first tenth.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import references, workloads
from benchmarks.contender import Benchmark, Contender
from benchmarks.in_memory import events_in_memory
from benchmarks.peers import chdb, duckdb, numpy_pass
from benchmarks.references import Answer
from benchmarks.run_cepheid import PACKAGES, cepheid_local, require_executable

QUERY = """
PATTERN S s+ WHERE skip_till_any_match AND [company] AND s.price > NEXT(s).price
RETURN LOG2(COUNT(*))
"""
COLUMNS = ("ts", "company", "price")
Ints = npt.NDArray[np.int64]
ONE_WINDOW = "WITHIN 1000000000 SLIDE 1000000000"
PARTS = {"all events": 1, "a tenth": 10}


def _answer(result: pa.Table) -> Answer:
    return (float(result.column(0)[0].as_py()),)


def _by_company(events: pa.Table) -> tuple[Ints, Ints]:
    """Return the prices of one company after the other, and where they begin."""
    company = events["company"].to_numpy()
    order = np.argsort(company, kind="stable")
    offsets = np.concatenate(([0], np.cumsum(np.bincount(company)))).astype(np.int64)
    return events["price"].to_numpy()[order], offsets


def _scan(events: pa.Table) -> pa.Table:
    from benchmarks.papers.baselines.event_graph import event_graph
    from benchmarks.papers.baselines.trend_slices import KLEENE

    price, offsets = _by_company(events)
    fires = np.full(price.size, KLEENE, np.uint8)
    trends = event_graph(fires, offsets, False, True, price, price)
    return pa.table({"log2": [math.log2(trends.sum())]})


def _ask(events: pa.Table, window: str = "") -> pa.Table:
    import cepheid

    result = cepheid.query(QUERY.replace("RETURN", f"{window} RETURN")).run(events, time="ts")
    return result.select([result.num_columns - 1])


def _read(path: Path) -> pa.Table:
    return pq.read_table(path, columns=list(COLUMNS))


def _greta(events_of: Callable[[Path], pa.Table], most_events: int) -> Contender:
    """Return the scan; beyond some size the counts leave the range of its doubles."""
    return Contender(
        "GRETA, scan",
        lambda path: _scan(events_of(path)),
        _answer,
        most_events=most_events,
        packages=("numba",),
    )


def _ask_part(divisor: int, path: Path) -> pa.Table:
    events = events_in_memory(path)
    return _ask(events.slice(0, events.num_rows // divisor))


def _part(name: str, divisor: int) -> Contender:
    return Contender(
        f"Cepheid, {name}",
        functools.partial(_ask_part, divisor),
        _answer,
        lambda: require_executable(QUERY),
        packages=PACKAGES,
        reference=functools.partial(references.w3, divisor=divisor),
        share=1 / divisor,
    )


W3 = Benchmark(
    name="w3",
    question="COUNT of trends of falling prices per company, skip-till-any, no window",
    workload=workloads.W3,
    events=20_000,
    reference=references.w3,
    contenders=(
        cepheid_local(QUERY, _answer, type=None),
        _greta(_read, most_events=100_000),
        duckdb.duckdb("recursive", duckdb.W3_RECURSIVE, _answer, most_events=500),
        chdb.chdb("fold", chdb.W3_FOLD, _answer, most_events=50_000),
        numpy_pass.bare_pass(COLUMNS),
    ),
    baseline="Cepheid",
)
W3_ONE_KEY = Benchmark(
    name="w3-one-key",
    question="COUNT of trends of falling prices of one company, skip-till-any, in one window",
    workload=workloads.W3_ONE_KEY,
    events=20_000,
    reference=references.w3,
    contenders=(
        Contender(
            "Cepheid",
            lambda path: _ask(events_in_memory(path), ONE_WINDOW),
            _answer,
            lambda: require_executable(QUERY),
            packages=PACKAGES,
        ),
        _greta(events_in_memory, most_events=50_000),
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
