"""Matches that do not overlap. Timed: from an Arrow table to a row per match.

Every A of an id within the window before a B is in half of the matches that end there. The listing
contender writes all matches and then goes through them in their order. A tenth of the events shows
how the time grows: ten times the events should take ten times as long.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks import workloads
from benchmarks.contender import Benchmark, Contender
from benchmarks.in_memory import events_in_memory
from benchmarks.references import Answer
from benchmarks.run_cepheid import PACKAGES, require_executable

WINDOW = 1600
QUERY = f"PATTERN SEQ(A+ a, B b) WHERE [id] WITHIN {WINDOW} RETURN b.id, a.ts, b.ts"
APART = f"{QUERY} OUTPUT NON OVERLAPPING"
PARTS = {"all events": 1, "a tenth": 10}


def reference(path: Path, divisor: int = 1) -> Answer:
    """Keep the A's of every id: a B takes all that are left and lie in its window."""
    events = _part(path, divisor)
    waiting: dict[int, list[int]] = defaultdict(list)
    matches, taken, ends = 0, 0, 0
    names = ("etype", "id", "ts")
    for kind, key, ts in zip(*(events[name].to_pylist() for name in names), strict=True):
        if kind == "A":
            waiting[key].append(ts)
        elif kind == "B":
            fresh = [each for each in waiting[key] if ts - each < WINDOW]
            waiting[key] = []
            if fresh:
                matches, taken, ends = matches + 1, taken + len(fresh), ends + ts
    return matches, taken, ends


def _part(path: Path, divisor: int) -> pa.Table:
    events = events_in_memory(path)
    return events.slice(0, events.num_rows // divisor)


def _run(text: str, divisor: int, path: Path) -> pa.Table:
    import cepheid

    return cepheid.query(text).run(_part(path, divisor), time="ts", type="etype")


def _listed(path: Path) -> pa.Table:
    """Write all matches, then take one after the other: by end, by start, by sequence."""
    found = _run(QUERY, 1, path)
    last = dict[int, int]()
    chosen = []
    columns = (found[name].to_pylist() for name in ("b_ts", "a_ts", "b_id"))
    for end, starts, key in sorted(zip(*columns, strict=True), key=_order):
        if starts[0] > last.get(key, -1):
            last[key] = end
            chosen.append((key, starts, end))
    return pa.Table.from_pylist(
        [dict(zip(found.column_names, each, strict=True)) for each in chosen], found.schema
    )


def _order(match: tuple[int, list[int], int]) -> tuple[int, list[int]]:
    end, starts, _ = match
    return end, [*starts, end]


def _answer(result: pa.Table) -> Answer:
    sizes = pc.sum(pc.list_value_length(result["a_ts"])).as_py() or 0
    return result.num_rows, sizes, pc.sum(result["b_ts"]).as_py() or 0


def _contender(name: str, divisor: int) -> Contender:
    return Contender(
        f"Cepheid, {name}",
        functools.partial(_run, APART, divisor),
        _answer,
        lambda: require_executable(APART),
        packages=PACKAGES,
        reference=functools.partial(reference, divisor=divisor),
        share=1 / divisor,
    )


NON_OVERLAPPING = Benchmark(
    name="non-overlapping",
    question=f"SEQ(A+, B) of one id within {WINDOW:,} that do not overlap; 20 types, 20 ids",
    workload=workloads.W1_DENSE,
    events=50_000,
    reference=None,
    contenders=(
        *(_contender(name, divisor) for name, divisor in PARTS.items()),
        Contender(
            "all matches listed",
            _listed,
            _answer,
            lambda: require_executable(QUERY),
            most_events=200_000,
            packages=PACKAGES,
            reference=reference,
        ),
    ),
    baseline="Cepheid, a tenth",
)
