"""How much of the time is spent deciding who shares a burst.

The kernel decides when a burst begins: it looks how far the burst goes, and if it may choose, adds
up what sharing saves. Here it does only that, for all bursts of the stream, once with a choice and
once without; the difference is what deciding takes. That is compared with the whole fold.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

import cepheid
from benchmarks.papers.baselines.compiled import compiled
from benchmarks.papers.baselines.trend_slices import Floats
from benchmarks.papers.claims import number
from benchmarks.papers.experiment import Cell, Claim, Experiment, Outcome
from benchmarks.papers.hamlet.diverse import queries, transactions
from benchmarks.papers.hamlet.static_or_dynamic import FEWEST_EVENTS, MINUTES, USUAL_RATE
from benchmarks.papers.race import turns_at
from benchmarks.papers.sweep import OURS
from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.shared.fold_set import fold_set, merged_events, open_lanes
from cepheid.engine.shared.make_machine import SetTask, make_machine
from cepheid.engine.shared.merged_arrays import MergedArrays
from cepheid.engine.shared.policy import Policy
from cepheid.engine.shared.run_set import prepare_set
from cepheid.engine.trends.value_rows import counts_only
from cepheid.kernels.shared.merged_machine import BURST_END, MergedEvents, Tables, get
from cepheid.kernels.shared.share_bursts import begin_burst
from cepheid.kernels.values.value_arrays import Measures
from cepheid.plan.run_options import RunOptions
from cepheid.plan.sharing_costs import sharing_costs
from cepheid.program.sharing.merged_sets import MergedSets

COUNTS = (20, 60, 100)
MOST_PERCENT = 1.0
PASSES = 5  # over all bursts, in a row
DECIDING, LOOKING = f"{OURS}, deciding", f"{OURS}, looking how far bursts go"


@compiled
def begin_all(
    tables: Tables, events: MergedEvents, costs: Floats, families: int, passes: int
) -> int:
    """Begin all bursts of all families, and return how many there are in all."""
    bursts = 0
    for _ in range(passes):
        for partition in range(events.partition_offsets.size - 1):
            end = events.partition_offsets[partition + 1]
            for family in range(families):
                step = events.partition_offsets[partition]
                while step < end:
                    begin_burst(tables, events, costs, step, end, family)
                    step = max(step + 1, get(tables, BURST_END, family))
                    bursts += 1
    return bursts


def _tasks(events: pa.Table, count: int) -> Iterator[SetTask]:
    schema = event_schema(events.schema, ColumnRoles("time", "type"))
    made = [cepheid.query(text).program(RunOptions(), schema) for text in queries(count)]
    columns = dict(zip(events.column_names, events.columns, strict=True))
    for _, merged in MergedSets().of(made):
        yield prepare_set(merged, columns, events.num_rows, 1).task


def _of_beginning(task: SetTask, turns: int) -> float:
    """Return the processor time of beginning every burst once."""
    events = merged_events(task, range(task.events.partition_offsets.size - 1))
    arrays = MergedArrays(task.program, task.passes)
    lanes = [open_lanes(task.events, each) for each in task.program.groups]
    tables, _ = make_machine(task, arrays, events, lanes)
    costs = np.array(sharing_costs(is_counted=counts_only(_shape(task))))
    families = len(task.program.families)
    return _best(lambda: begin_all(tables, events, costs, families, PASSES), turns) / PASSES


def _shape(task: SetTask) -> Measures:
    return task.measures._replace(
        moduli=np.zeros(task.program.number_count, np.int64),
        least_positions=np.zeros(task.program.minimum_count, np.uint64),
    )


def _best(run: Callable[[], object], turns: int) -> float:
    run()
    taken = []
    for _ in range(turns):
        started = time.process_time()
        run()
        taken.append(time.process_time() - started)
    return max(min(taken), 1e-9)


def _run(scale: float) -> Outcome:
    events = transactions(max(FEWEST_EVENTS, round(USUAL_RATE * MINUTES * scale)), USUAL_RATE)
    deciding, looking, turns = [], [], turns_at(scale)
    for count in COUNTS:
        fold, chosen, given = 0.0, 0.0, 0.0
        for task in _tasks(events, count):
            fold += _best(lambda task=task: fold_set(task, RankedFolds()), turns)  # type: ignore[misc]
            chosen += _of_beginning(task, turns)
            given += _of_beginning(replace(task, policy=Policy.ALWAYS), turns)
        deciding.append(Cell(100 * max(0.0, chosen - given) / fold))
        looking.append(Cell(100 * given / fold))
    return Outcome(COUNTS, {DECIDING: deciding, LOOKING: looking}, [])


def _claims(outcome: Outcome) -> list[Claim]:
    most = max(each.value or 0.0 for each in outcome.curves[DECIDING])
    text = f"deciding takes less than {MOST_PERCENT:g} % of the fold ({number(most)} % at most)"
    return [Claim(text, most < MOST_PERCENT)]


DECISIONS = Experiment(
    name="hamlet-decisions",
    title="Stock stand-in, diverse queries: time spent deciding",
    x_label="queries",
    y_label="% of the processor time of the fold",
    paper="The decision for a burst takes constant time, since it plugs statistics into a formula "
    "(section 4.2). We want it to take less than a hundredth of the time.",
    differs="The stream and the queries of figure 11. All bursts are begun in a row, with and "
    "without a choice; looking how far a burst goes is needed in either case.",
    run=_run,
    claims=_claims,
)
