"""Windows of one length that overlap ever more. Timed: from an Arrow table to a row per window.

With overlap k an event is in k windows; k times the work would be k times the time. All contenders
have the same events, so the ratio of times is the ratio of the times per event.
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
from benchmarks.sliding_references import sliding

WINDOW = 10_000
OVERLAPS = (1, 10, 100)


def _query(overlap: int) -> str:
    return f"PATTERN SEQ(A, B, C) WITHIN {WINDOW} SLIDE {WINDOW // overlap} RETURN COUNT(*)"


def _ask(overlap: int, path: Path) -> pa.Table:
    import cepheid

    return cepheid.query(_query(overlap)).run(events_in_memory(path), time="ts", type="etype")


def _answer(result: pa.Table) -> Answer:
    columns = result.select(["window_start", "count"]).columns
    return (result.num_rows, *(pc.sum(each).as_py() or 0 for each in columns))


def _contender(overlap: int) -> Contender:
    return Contender(
        f"Cepheid, overlap {overlap}",
        functools.partial(_ask, overlap),
        _answer,
        lambda: require_executable(_query(overlap)),
        packages=PACKAGES,
        reference=functools.partial(sliding, window=WINDOW, slide=WINDOW // overlap),
    )


SLIDE_OVERLAP = Benchmark(
    name="slide-overlap",
    question=f"COUNT of SEQ(A, B, C) in windows of {WINDOW:,} events, 1 to 100 at a time; 20 types",
    workload=workloads.W2,
    events=1_000_000,
    reference=None,
    contenders=tuple(map(_contender, OVERLAPS)),
    baseline=f"Cepheid, overlap {OVERLAPS[0]}",
)
