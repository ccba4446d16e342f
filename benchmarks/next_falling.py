"""Falling prices under skip-till-next in ever longer windows. Timed: from an Arrow table to counts.

All contenders have the same events, cut into windows of 1,000 to 1,000,000, so the ratio of times
is the ratio of the times per event.
"""

from __future__ import annotations

import functools
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks import workloads
from benchmarks.contender import Benchmark, Contender
from benchmarks.in_memory import events_in_memory
from benchmarks.references import Answer
from benchmarks.run_cepheid import PACKAGES, require_executable
from benchmarks.sliding_references import next_falling

WINDOWS = (1000, 10_000, 100_000, 1_000_000)


def _query(window: int) -> str:
    return (
        "PATTERN S s+ SEMANTICS skip-till-next-match WHERE s.price > NEXT(s).price "
        f"WITHIN {window} SLIDE {window} RETURN COUNT(*)"
    )


def _ask(window: int, path: Path) -> pa.Table:
    import cepheid

    return cepheid.query(_query(window)).run(events_in_memory(path), time="ts")


def _answer(result: pa.Table) -> Answer:
    return result.num_rows, float(pc.sum(result["count"]).as_py() or 0)


def _contender(window: int) -> Contender:
    return Contender(
        f"Cepheid, window {window:,}",
        functools.partial(_ask, window),
        _answer,
        lambda: require_executable(_query(window)),
        packages=PACKAGES,
        reference=functools.partial(next_falling, window=window),
    )


NEXT_FALLING = Benchmark(
    name="next-falling",
    question="COUNT of falling prices, skip-till-next, in windows of 1,000 to 1,000,000 events",
    workload=workloads.W3_ONE_KEY,
    events=1_000_000,
    reference=None,
    contenders=tuple(map(_contender, WINDOWS)),
    baseline=f"Cepheid, window {WINDOWS[0]:,}",
)
