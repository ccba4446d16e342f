"""One partition folded in several stretches of time, apart from each other, and put together.

Stretches are cut between steps, never inside one.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from cepheid.engine.trends.folds.panes import (
    StepRange,
    fold_to_panes,
    joined_panes,
    make_panes,
    pane_length,
    rows_of_panes,
)
from cepheid.engine.trends.folds.slot_task import SlotTask
from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.position.pane_matrices import PaneMatrices
from cepheid.kernels.position.slot_machine import SlotMachine
from cepheid.kernels.values.value_arrays import Measures, ValueRows, Values


def cut_in_ranges(events: EventArrays, count: int) -> list[StepRange]:
    """Cut every partition into as many stretches, with about as many steps each."""
    begin, end = events.partition_offsets[:-1], events.partition_offsets[1:]
    cuts = [begin + (end - begin) * number // count for number in range(count + 1)]
    return [StepRange(*each) for each in pairwise(cuts)]


def fold_range(
    task: SlotTask, steps: StepRange, length: int | None, slide: int | None
) -> PaneMatrices:
    """Return the matrices of the panes of one range: all that the others need to know of it."""
    return joined_panes(fold_to_panes(task, pane_length(length, slide), steps))


def compose_ranges(
    machine: SlotMachine,
    measures: Measures,
    ranges: Sequence[PaneMatrices],
    length: int | None,
    slide: int | None,
) -> ValueRows:
    """Return the rows of the whole from the matrices of all ranges, in the order of time."""
    panes = joined_panes([make_panes(0, machine, measures), *ranges])
    order = np.argsort(panes.owner, kind="stable")
    size = machine.owner.size
    rows = (order[:, None] * size + np.arange(size)).reshape(-1)
    sorted_panes = PaneMatrices(
        panes.owner[order],
        panes.pane[order],
        panes.breaks[order],
        Values._make(np.ascontiguousarray(each[rows]) for each in panes.values),
    )
    return rows_of_panes(machine, measures, [sorted_panes], length, slide)
