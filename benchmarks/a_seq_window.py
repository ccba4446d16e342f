"""A-Seq's question over ever longer windows. Timed: from an Arrow table to a row per C.

The cost per event must not depend on the window: all contenders have the same events, so the ratio
of times is the ratio of the times per event. `A-Seq` is the published method, a prefix counter per
active START event, compiled like the engine's kernels.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks import workloads
from benchmarks.contender import Benchmark, Contender
from benchmarks.in_memory import events_in_memory
from benchmarks.references import Answer
from benchmarks.run_cepheid import PACKAGES, require_executable
from benchmarks.sliding_references import recent

WINDOWS = (100, 1000, 10_000, 100_000)
SEQUENCE = ("A", "B", "C")


def _query(window: int) -> str:
    return f"PATTERN SEQ(A, B, C) WITHIN {window} RETURN COUNT(*)"


def _ask(window: int, path: Path) -> pa.Table:
    import cepheid

    return cepheid.query(_query(window)).run(events_in_memory(path), time="ts", type="etype")


def _publish(window: int, path: Path) -> pa.Table:
    from benchmarks.papers.baselines.prefix_counters import NO_PLACE, prefix_counters

    events = events_in_memory(path)
    types = events["etype"].chunk(0)
    names = types.dictionary.to_pylist()
    places = [SEQUENCE.index(each) if each in SEQUENCE else NO_PLACE for each in names]
    place = np.array(places, np.int8)[types.indices.to_numpy()]
    nothing = np.full(place.size, NO_PLACE, np.int8)
    time = events["ts"].chunk(0).to_numpy()
    times, counts, _ = prefix_counters(place, nothing, time, len(SEQUENCE), window)
    return pa.table({"time": times, "count": counts})


def _answer(result: Any) -> Answer:
    return result.num_rows, pc.sum(result["count"]).as_py() or 0


def _contender(name: str, run: Callable[[int, Path], pa.Table], window: int) -> Contender:
    return Contender(
        f"{name}, window {window:,}",
        functools.partial(run, window),
        _answer,
        lambda: require_executable(_query(window)),
        packages=PACKAGES,
        reference=functools.partial(recent, window=window),
    )


A_SEQ_WINDOW = Benchmark(
    name="a-seq-window",
    question="COUNT of SEQ(A, B, C) over the last 100 to 100,000 events at every C; 20 types",
    workload=workloads.W2,
    events=1_000_000,
    reference=None,
    contenders=(
        *(_contender("Cepheid", _ask, window) for window in WINDOWS),
        *(_contender("A-Seq", _publish, window) for window in WINDOWS),
    ),
    baseline=f"Cepheid, window {WINDOWS[0]:,}",
)
