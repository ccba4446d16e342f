"""Time contenders by turns and compare their answers.

Every contender first runs on a few events, so that nothing is compiled while the clock runs. Then
all take turns, starting with another one every round, and the best round counts, since other load
on the machine can only add time. Who has taken `ENOUGH_SECONDS` in all is not asked again. Garbage
is collected before the first round only. The answers of the first round must be the same: as many
matches, and the same sum of every column. Whole numbers must be equal; a sum of doubles depends on
the order of its terms. A contender that answers another question by its definition is compared with
that definition, written down once more in another way.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.measure import WrongAnswerError, cpu_seconds
from benchmarks.papers.progress import announce

TURNS = 5
SERIOUS_SCALE = 0.1
ENOUGH_SECONDS = 1.5
WARM_UP_EVENTS = 2000
PRECISION = 1e-9


@dataclass(frozen=True, slots=True)
class Answer:
    """The matches of a contender, and how many sequences it built to find them, if it knows."""

    matches: pa.Table
    built: int | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    """The best of all turns; `skipped` says why a contender did not run."""

    seconds: float | None = None
    cpu_seconds: float | None = None
    matches: int | None = None
    built: int | None = None
    skipped: str | None = None


Contender = Callable[[pa.Table], Answer]


def turns_at(scale: float) -> int:
    """Return how many rounds an experiment deserves: a quick look does with one."""
    return TURNS if scale >= SERIOUS_SCALE else 1


def race(
    events: pa.Table,
    contenders: Mapping[str, Contender],
    *,
    point: str,
    skipped: Mapping[str, str] | None = None,
    definitions: Mapping[str, Contender] | None = None,
    turns: int = TURNS,
) -> dict[str, Timing]:
    """Return the timing of every contender at one point of a figure.

    `definitions` has the right answers of those that are not asked what all others are.

    Raises:
        WrongAnswerError: two contenders do not find the same matches.
    """
    timings = {name: Timing(skipped=reason) for name, reason in (skipped or {}).items()}
    running = [name for name in contenders if name not in timings]
    for name in running:
        announce(f"{point}: {name}")
        contenders[name](events.slice(0, WARM_UP_EVENTS))
    sums: dict[str, list[float]] = {}
    taken = dict.fromkeys(running, 0.0)
    with _no_garbage_collection():
        for turn in range(turns):
            first = turn % max(1, len(running))
            for name in running[first:] + running[:first]:
                if taken[name] >= ENOUGH_SECONDS:
                    continue
                announce(f"{point}: {name}, round {turn + 1}")
                answer, seconds, used = _timed(contenders[name], events)
                taken[name] += seconds
                timings[name] = _better(timings.get(name), answer, seconds, used)
                if turn == 0:
                    sums[name] = _sums(answer.matches)
            if turn == 0:
                _require_agreements(point, sums, events, definitions or {})
    return {name: timings[name] for name in contenders}


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _timed(contender: Contender, events: pa.Table) -> tuple[Answer, float, float]:
    started, cpu_started = time.perf_counter(), cpu_seconds()
    answer = contender(events)
    return answer, time.perf_counter() - started, cpu_seconds() - cpu_started


def _better(best: Timing | None, answer: Answer, seconds: float, used: float) -> Timing:
    if best is not None and best.seconds is not None and best.cpu_seconds is not None:
        seconds, used = min(seconds, best.seconds), min(used, best.cpu_seconds)
    return Timing(seconds, used, answer.matches.num_rows, answer.built)


def _sums(matches: pa.Table) -> list[float]:
    """Return the number of rows, and what columns add up to.

    A sum with an infinite number in it would hide all others, and one with a huge number the small
    ones. So sizes are added up by their logarithm, too, and infinite numbers are counted.
    """
    found: list[float] = [matches.num_rows]
    for column in matches.columns:
        values = column.drop_null().to_numpy().astype(np.float64)
        is_finite = np.isfinite(values)
        sizes = np.sign(values[is_finite]) * np.log2(1.0 + np.abs(values[is_finite]))
        total = (pc.sum(column).as_py() or 0) if is_finite.all() else 0
        found += [int((~is_finite).sum()), float(sizes.sum()), total]
    return found


def _require_agreements(
    point: str,
    sums: Mapping[str, list[float]],
    events: pa.Table,
    definitions: Mapping[str, Contender],
) -> None:
    same = {name: each for name, each in sums.items() if name not in definitions}
    _require_agreement(point, same)
    for name, define in definitions.items():
        if name in sums:
            own = {f"the definition of {name}": _sums(define(events).matches), name: sums[name]}
            _require_agreement(point, own)


def _require_agreement(point: str, sums: Mapping[str, list[float]]) -> None:
    for name, found in sums.items():
        first, expected = next(iter(sums.items()))
        if len(found) != len(expected) or not all(map(_agree, found, expected)):
            raise WrongAnswerError(
                f"{point}: {name} finds {found[0]:,} matches, {first} {expected[0]:,} "
                f"(sums of columns: {found[1:]} and {expected[1:]})"
            )


def _agree(one: float, other: float) -> bool:
    if isinstance(one, int) and isinstance(other, int):
        return one == other
    return math.isclose(one, other, rel_tol=PRECISION)
