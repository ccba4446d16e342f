"""Measure what sharing costs here, and compare it with the constants that bursts are decided by.

Some workloads of the sharing grid are folded twice, with every burst shared and with none. What was
counted meanwhile, times the costs, should be the difference of the processor time. So the costs are
those, none below zero, with which it is, by least squares.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

import cepheid
from benchmarks.sharing_grid import GridPoint, grid_point
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.fold import Facts
from cepheid.engine.shared.fold_set import FoldedSet, SetFolding, bursts_together
from cepheid.engine.shared.make_machine import SetTask
from cepheid.engine.shared.policy import Policy
from cepheid.engine.shared.run_set import prepare_set
from cepheid.kernels.shared import merged_machine as machine
from cepheid.kernels.shared import share_bursts as record
from cepheid.plan.run_options import RunOptions
from cepheid.plan.sharing_costs import VALUE_COSTS
from cepheid.program.sharing.merged_sets import MergedSets

Floats = NDArray[np.float64]
NAME = "sharing-costs"
EVENTS, ROUNDS = 10_000, 4
MOST_BURSTS = 1 << 18
SETTINGS = tuple(product((1, 8, 1000), (2, 6, 40), (1, 10), ("SUM(T.x)", "MAX(T.x)"), (2, 50)))
WHAT = (
    "a step of a lane that holds runs",
    "a step of a lane without runs",
    "a step that is not written down",
    "an entry or block that is applied",
    "a block that is computed",
)
FAR = 2.0  # times larger or smaller, next to the others: decisions are worth a look


def run_costs(options: argparse.Namespace, console: Console) -> None:
    """Measure the costs and print how they compare with the constants."""
    events, rounds = options.events or EVENTS, options.repeat or ROUNDS
    settings = (
        SETTINGS if options.points is None else SETTINGS[:: -(-len(SETTINGS) // options.points)]
    )
    counted, saved, least = zip(
        *(_measured(grid_point(events, *each), rounds) for each in settings), strict=True
    )
    for line in lines_of(fitted(counted, saved, least)):
        console.print(line, soft_wrap=True, highlight=False, markup=False)


def lines_of(costs: Floats) -> Iterator[str]:
    """Yield measured costs next to the constants, and whether these fit.

    Decisions are the same on a machine on which everything takes twice as long. So each ratio is
    compared with the others.
    """
    constants = VALUE_COSTS[: len(WHAT)]
    ratios = costs / np.array(constants)
    usual = float(np.median(ratios)) or 1.0
    far = 0
    yield "measured  constant  ratio  relative"
    for what, cost, constant, ratio in zip(WHAT, costs, constants, ratios, strict=True):
        is_far = not 1 / FAR <= ratio / usual <= FAR
        far += is_far
        word = "  far off" if is_far else ""
        numbers = f"{cost:5.0f} ns  {constant:5.0f} ns  {ratio:5.2f}  {ratio / usual:8.2f}"
        yield f"{numbers}  {what}{word}"
    if far:
        yield (
            f"{far} of {len(constants)} constants are off by more than {FAR:.0f} times, "
            "relative to the others"
        )
    else:
        yield f"the constants fit: none is off by more than {FAR:.0f} times, relative to the others"


def fitted(counted: Sequence[Floats], saved: Sequence[float], least: Sequence[float]) -> Floats:
    """Return the costs with which what was counted makes what was saved, as parts of the least."""
    weights = 1.0 / np.array(least)
    counts, seconds = np.array(counted) * weights[:, None], np.array(saved) * weights
    used = list(range(counts.shape[1]))
    while True:
        found, *_ = np.linalg.lstsq(counts[:, used], seconds, rcond=None)
        if not used or (found >= 0).all():
            break
        used.pop(int(np.argmin(found)))
    costs = np.zeros(counts.shape[1])
    costs[used] = 1e9 * found
    return costs


def _measured(point: GridPoint, rounds: int) -> tuple[Floats, float, float]:
    """Return what was counted, the seconds that sharing saved, and those of the quicker way."""
    task = _task(point)
    always, never = (replace(task, policy=each) for each in (Policy.ALWAYS, Policy.NEVER))
    folded = _folded(replace(always, most_records=MOST_BURSTS))
    bursts, counters = folded.recorded.bursts, folded.counters
    steps, lanes, held = (
        bursts[:, each].astype(np.float64) for each in (record.STEPS, record.LANES, record.HELD)
    )
    counted = [(steps * held).sum(), (steps * (lanes - held)).sum(), counters[machine.LOGGED]]
    counted += [-counters[machine.APPLIED], -counters[machine.BLOCKS_BUILT]]
    seconds = [
        min(each)
        for each in zip(*(map(_seconds, (always, never)) for _ in range(rounds)), strict=True)
    ]
    return np.array(counted, np.float64), seconds[1] - seconds[0], min(seconds)


def _task(point: GridPoint) -> SetTask:
    events = point.events()
    schema = event_schema(events.schema, ColumnRoles(*point.roles))
    made = [cepheid.query(text).program(RunOptions(), schema) for text in point.queries]
    columns = dict(zip(events.column_names, events.columns, strict=True))
    ((_, merged),) = MergedSets().of(made)
    return prepare_set(merged, columns, events.num_rows, 1).task


def _folded(task: SetTask) -> FoldedSet:
    return bursts_together(SetFolding(task, 1), Facts({}))


def _seconds(task: SetTask) -> float:
    started = time.process_time()
    _folded(task)
    return time.process_time() - started
