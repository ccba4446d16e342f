"""The tables and cells of a merged program, for kernels/shared/fold_merged.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.shared.merged_arrays import MergedArrays, flat_lists
from cepheid.engine.shared.policy import Policy
from cepheid.engine.shared.recorded_bursts import MOST_SNAPSHOTS
from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.shared import merged_machine as machine
from cepheid.kernels.shared.held_lanes import SNAPSHOT
from cepheid.kernels.shared.merged_machine import MergedEvents, Tables
from cepheid.kernels.shared.share_bursts import ALWAYS, DYNAMIC, MOST_MASKS, NEVER, RECORD
from cepheid.kernels.values.value_arrays import Measures
from cepheid.kernels.values.value_cells import Cells
from cepheid.program.sharing.merged_program import MergedProgram

Int64s = NDArray[np.int64]


POLICY_CODES = {Policy.ALWAYS: ALWAYS, Policy.NEVER: NEVER, Policy.DYNAMIC: DYNAMIC}


@dataclass(frozen=True, slots=True)
class SetTask:
    """What is folded: events by kind, what the kinds pass, and what events contribute.

    `most_records` is how many bursts are recorded. `stays`: they cannot be folded one by one.
    """

    program: MergedProgram
    events: EventArrays
    passes: Sequence[tuple[int, ...]]
    measures: Measures
    policy: Policy = Policy.DYNAMIC
    most_records: int = 0
    stays: bool = False


def make_machine(
    task: SetTask, arrays: MergedArrays, events: MergedEvents, lanes: Sequence[int]
) -> tuple[Tables, Cells]:
    """Return a machine that has seen nothing; `lanes` are by window group."""
    program = task.program
    bases, begins, items = flat_lists(arrays.lists)
    tables: dict[int, Sequence[int]] = dict(arrays.tables)
    members, places = len(arrays.members), len(program.positions) + arrays.width
    families, groups = len(program.families), len(program.groups)
    every, slots = sum(lanes), max(each.slots for each in program.groups)
    room = _room(arrays, events)
    kept = min(task.most_records, MOST_SNAPSHOTS)
    has_blocks = task.policy is not Policy.NEVER
    levels = 1
    while has_blocks and machine.RADIX**levels <= max(room, default=0):
        levels += 1
    blocks_by_level = [
        entries // machine.RADIX**level if level else 0
        for entries in room
        for level in range(levels)
    ]
    blocks = sum(blocks_by_level)
    block_cells = [
        2 * family.size**2 * sum(blocks_by_level[number * levels : (number + 1) * levels])
        for number, family in enumerate(program.families)
    ]
    tables |= {
        machine.GROUP_LANES: [0, *accumulate(lanes)],
        machine.LOG_BEGIN: [0, *accumulate(room)],
        machine.BLOCK_BEGIN: [0, *accumulate(blocks_by_level)],
        machine.BURST_END: [-1] * families,
        machine.BURST_STEP: [-1] * families,
        machine.BURST_RECORD: [-1] * families,
        machine.FAMILY_CELLS: [0, *accumulate(block_cells)],
    }
    sizes = {
        machine.OLDEST: groups,
        machine.OPEN: groups,
        machine.NEWEST: groups,
        machine.FIRST_WINDOW: every,
        machine.LAST_WINDOW: every,
        machine.FIRED: places,
        machine.TIMES: places,
        machine.CODES: len(program.queries),
        machine.STAMPS: members,
        machine.TOUCHED: members,
        machine.MEMBER_SEEN: members,
        machine.MEMBER_HELD: members,
        machine.CLASS_HELD: sum(len(each.classes) for each in program.families),
        machine.STEPS_SEEN: families,
        machine.TO_APPLY: families,
        machine.TO_BUILD: families,
        machine.NEEDED: families,
        machine.LATEST_BURSTS: families,
        machine.REGRET: families,
        machine.TAKEN: every * members,
        machine.LOG_SIZE: families,
        machine.LOG_MIXED: families,
        machine.LOG_STEP: sum(room),
        machine.LOG_CLASS: sum(room),
        machine.LOG_PLACE: sum(room),
        machine.BUILT: blocks,
        machine.SHARED: families,
        machine.SIZE_BEFORE: families,
        machine.CLASS_LANES: sum(len(each.classes) for each in program.families),
        machine.COUNTERS: machine.SHARED_BURSTS + 1,
        machine.BURST_MASKS: MOST_MASKS,
        machine.MASK_COUNTS: MOST_MASKS,
        machine.RECORDS: task.most_records * RECORD,
        machine.SNAPSHOT_PLACES: kept * SNAPSHOT,
    }
    cell_sizes = (
        every * slots,
        places,
        places,
        sum(block_cells),
        3 * arrays.width,
        6 * arrays.width**2,
        1,
        kept,
    )
    tables[machine.CELLS] = [0, *accumulate(cell_sizes)][:-1]
    widths = [0] * (machine.KEPT_ROOM + 1)
    widths[machine.SLOT_WIDTH] = slots
    widths[machine.PLACE_WIDTH] = arrays.width
    widths[machine.MEMBER_WIDTH] = members
    widths[machine.LEVEL_WIDTH] = levels
    widths[machine.POSITIONS] = len(program.positions)
    widths[machine.GROUPS], widths[machine.FAMILIES] = groups, families
    widths[machine.QUERIES] = len(program.queries)
    widths[machine.POLICY] = POLICY_CODES[task.policy]
    widths[machine.RECORD_ROOM], widths[machine.KEPT_ROOM] = task.most_records, kept
    tables[machine.WIDTHS] = widths
    table_base, numbers = _flat_tables(tables, sizes)
    cells = _cells(sum(cell_sizes), program)
    return Tables(bases, begins, items, table_base, numbers), cells


def table_of(tables: Tables, table: int, size: int) -> Int64s:
    """Return the beginning of a table."""
    base = tables.table_base[table]
    return tables.numbers[base : base + size]


def _room(arrays: MergedArrays, events: MergedEvents) -> list[int]:
    """Return how many steps of each family a partition has, at most."""
    firsts = events.step_offsets[events.partition_offsets]
    kinds = events.kind[firsts[0] : firsts[-1]]
    families = range(len(arrays.program.families))
    if kinds.size == 0:
        return [0 for _ in families]
    begins = firsts[:-1] - firsts[0]  # every partition has an event
    return [
        int(np.add.reduceat(arrays.fires_family(each)[kinds], begins, dtype=np.int64).max())
        for each in families
    ]


def _flat_tables(tables: dict[int, Sequence[int]], sizes: dict[int, int]) -> tuple[Int64s, Int64s]:
    """Return where every table begins, and all of them; those with a size are filled with 0."""
    lengths = [
        len(tables[each]) if each in tables else sizes[each] for each in range(machine.TABLES)
    ]
    bases = np.cumsum([0, *lengths]).astype(np.int64)
    numbers = np.zeros(int(bases[-1]), np.int64)
    for table, values in tables.items():
        numbers[bases[table] : bases[table] + len(values)] = values
    return bases, numbers


def _cells(count: int, program: MergedProgram) -> Cells:
    """Return cells; every one is cleared before it is read."""
    numbers, minima = program.number_count, program.minimum_count
    return Cells(
        np.zeros((count, numbers)),
        np.zeros((count, numbers), np.int64),
        np.zeros((count, numbers), np.int64),
        np.empty((count, minima), np.int64),
    )
