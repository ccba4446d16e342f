"""In which lanes members hold runs, and what these would apply were all bursts shared.

That is counted whether bursts are shared or not: it tells what sharing costs.
"""

from __future__ import annotations

from cepheid.kernels.jit import in_place, inlined, inner_in_place
from cepheid.kernels.shared.merged_machine import (
    ANY_FORM,
    BURST_RECORD,
    CELLS,
    CLASS_HELD,
    FAMILY_FIRST_CLASS,
    FAMILY_FORM,
    FAMILY_MEMBERS,
    FIRST_WINDOW,
    GROUP_LANES,
    INFLOW,
    KEPT,
    KEPT_ROOM,
    LOG_SIZE,
    MEMBER_CLASS,
    MEMBER_FAMILY,
    MEMBER_GROUP,
    MEMBER_HELD,
    MEMBER_SEEN,
    MEMBER_VALUE,
    MEMBER_WIDTH,
    NEEDED,
    OLDEST,
    OPEN,
    PLACE_WIDTH,
    RADIX,
    SHARED,
    SNAPSHOT_CELLS,
    SNAPSHOT_PLACES,
    STEPS_SEEN,
    TAKEN,
    TO_APPLY,
    TO_BUILD,
    WIDTHS,
    Tables,
    first_of,
    get,
    increase,
    lane_cell,
    last_of,
    put,
    size_of,
)
from cepheid.kernels.values.value_cells import Cells, add_cell, clear_cell, holds_runs

BURST, MEMBER, WINDOW, SNAPSHOT = range(4)  # columns of SNAPSHOT_PLACES, and how many these are


@inlined
def lane_of(tables: Tables, group: int, number: int) -> int:
    """Return an open lane of a window group, counted from the oldest."""
    first, last = get(tables, GROUP_LANES, group), get(tables, GROUP_LANES, group + 1)
    lane = get(tables, OLDEST, group) + number
    return lane if lane < last else lane - (last - first)


@inlined
def waiting(tables: Tables, member: int) -> int:
    """Return how many blocks and steps a lane of a member would apply, were all bursts shared."""
    family = get(tables, MEMBER_FAMILY, member)
    entries = get(tables, STEPS_SEEN, family) - get(tables, MEMBER_SEEN, member)
    if get(tables, FAMILY_FORM, family) != ANY_FORM:
        return min(entries, 1)
    applied = 0
    while entries >= RADIX:  # as many at either end as make no block, about
        applied += RADIX - 1
        entries = (entries - RADIX + 1) // RADIX
    return applied + entries


@inner_in_place
def holds_member(tables: Tables, cells: Cells, lane: int, member: int) -> bool:
    """Return whether there are runs in a member, or before it: others apply nothing."""
    width, begin = get(tables, WIDTHS, PLACE_WIDTH), lane_cell(tables, lane, 0)
    for place in range(size_of(tables, get(tables, MEMBER_FAMILY, member))):
        value = get(tables, MEMBER_VALUE, member * width + place)
        if value >= 0 and holds_runs(cells, begin + value):
            return True
        inflow = member * width + place
        for item in range(first_of(tables, INFLOW, inflow), last_of(tables, INFLOW, inflow)):
            if holds_runs(cells, begin + tables.items[item]):
                return True
    return False


@inlined
def count_held(tables: Tables, member: int, change: int) -> None:
    """Count lanes in which a member has something to apply steps to, or has no more."""
    increase(tables, MEMBER_HELD, member, change)
    first = get(tables, FAMILY_FIRST_CLASS, get(tables, MEMBER_FAMILY, member))
    increase(tables, CLASS_HELD, first + get(tables, MEMBER_CLASS, member), change)


@inlined
def count_touched(tables: Tables, member: int) -> None:
    """Count what a member would apply that is touched in all lanes."""
    family, held = get(tables, MEMBER_FAMILY, member), get(tables, MEMBER_HELD, member)
    if held > 0:
        count_waiting(tables, member, held)
    put(tables, MEMBER_SEEN, member, get(tables, STEPS_SEEN, family))


@inlined
def count_waiting(tables: Tables, member: int, lanes: int) -> None:
    """Count what some lanes of a member would apply, and blocks that nobody has needed before."""
    family = get(tables, MEMBER_FAMILY, member)
    increase(tables, TO_APPLY, family, lanes * waiting(tables, member))
    needed, end = get(tables, NEEDED, family), get(tables, STEPS_SEEN, family) // RADIX
    first = max(needed, (get(tables, MEMBER_SEEN, member) + RADIX - 1) // RADIX)
    if first < end:
        increase(tables, TO_BUILD, family, end - first)
        put(tables, NEEDED, family, end)


@in_place
def keep_snapshots(tables: Tables, cells: Cells, family: int, record: int) -> None:
    """Keep the runs in every lane of members that share a recorded burst, and before them.

    A lane that has not taken the log so far has no snapshot of its own: it goes on with the one of
    an earlier burst.
    """
    shared, row = get(tables, SHARED, family), get(tables, BURST_RECORD, family)
    if row < 0 or shared == 0:
        return
    size, width = get(tables, LOG_SIZE, family), get(tables, WIDTHS, MEMBER_WIDTH)
    for at in range(
        first_of(tables, FAMILY_MEMBERS, family), last_of(tables, FAMILY_MEMBERS, family)
    ):
        member = tables.items[at]
        if not (shared >> get(tables, MEMBER_CLASS, member)) & 1:
            continue
        group = get(tables, MEMBER_GROUP, member)
        for number in range(get(tables, OPEN, group)):
            kept = get(tables, WIDTHS, KEPT)
            if kept == get(tables, WIDTHS, KEPT_ROOM):
                return
            lane = lane_of(tables, group, number)
            cell = get(tables, CELLS, SNAPSHOT_CELLS) + kept
            _add_runs(tables, cells, lane, member, cell)
            if get(tables, TAKEN, lane * width + member) == size and holds_runs(cells, cell):
                put(tables, SNAPSHOT_PLACES, kept * SNAPSHOT + BURST, row // record)
                put(tables, SNAPSHOT_PLACES, kept * SNAPSHOT + MEMBER, member)
                window = get(tables, FIRST_WINDOW, lane)
                put(tables, SNAPSHOT_PLACES, kept * SNAPSHOT + WINDOW, window)
                increase(tables, WIDTHS, KEPT, 1)


@inlined
def _add_runs(tables: Tables, cells: Cells, lane: int, member: int, cell: int) -> None:
    width, begin = get(tables, WIDTHS, PLACE_WIDTH), lane_cell(tables, lane, 0)
    clear_cell(cells, cell)
    for place in range(size_of(tables, get(tables, MEMBER_FAMILY, member))):
        inflow = member * width + place
        for item in range(first_of(tables, INFLOW, inflow), last_of(tables, INFLOW, inflow)):
            add_cell(cells, cell, begin + tables.items[item])
        value = get(tables, MEMBER_VALUE, inflow)
        if value >= 0:
            add_cell(cells, cell, begin + value)
