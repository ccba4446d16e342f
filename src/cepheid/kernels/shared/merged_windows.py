"""The windows of merged queries: lanes are opened for new ones, and closed with a row per query."""

from __future__ import annotations

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.jit import in_place
from cepheid.kernels.position.fold_slots import AFTER_ALL
from cepheid.kernels.shared.held_lanes import (
    count_held,
    count_waiting,
    holds_member,
    lane_of,
)
from cepheid.kernels.shared.merged_machine import (
    BURST_END,
    CELLS,
    CLASS_LANES,
    FAMILY_FIRST_CLASS,
    FINAL_TOUCHES,
    FINALS,
    FIRST_WINDOW,
    GROUP_LANES,
    GROUP_LENGTH,
    GROUP_MEMBERS,
    GROUP_QUERIES,
    GROUP_SLIDE,
    GROUP_SLOTS,
    INITIAL,
    LAST_WINDOW,
    LOG_SIZE,
    MEMBER_CLASS,
    MEMBER_FAMILY,
    MEMBER_HELD,
    MEMBER_WIDTH,
    NEWEST,
    OLDEST,
    OPEN,
    RESULT_CELL,
    SHARED,
    TAKEN,
    WIDTHS,
    MergedEvents,
    Tables,
    catch_up,
    first_of,
    get,
    increase,
    lane_cell,
    last_of,
    put,
)
from cepheid.kernels.values.value_arrays import ValueRows
from cepheid.kernels.values.value_cells import Cells, add_cell, clear_cell, holds_runs, set_to_one

# Places in `cursor`.
PARTITION, STEP, ROWS, NEXT_QUERY, NEXT_WINDOW, IS_OPEN = range(6)


@in_place
def close_windows(
    tables: Tables,
    events: MergedEvents,
    cells: Cells,
    group: int,
    clock: int,
    rows: ValueRows,
    query_of_row: Int64s,
    cursor: Int64s,
) -> bool:
    """Write the windows that end before a time; False if rows are full."""
    length = get(tables, GROUP_LENGTH, group)
    if clock == AFTER_ALL:
        first_open = AFTER_ALL
    elif length == 0:
        first_open = 0
    else:
        first_open = (clock - length) // get(tables, GROUP_SLIDE, group) + 1
    while get(tables, OPEN, group) > 0:
        lane = get(tables, OLDEST, group)
        if get(tables, FIRST_WINDOW, lane) >= first_open:
            break
        last = min(get(tables, LAST_WINDOW, lane), first_open - 1)
        if not _write(tables, events, cells, group, lane, last, rows, query_of_row, cursor):
            return False
        put(tables, FIRST_WINDOW, lane, last + 1)
        if last < get(tables, LAST_WINDOW, lane):
            break
        lane += 1
        if lane == get(tables, GROUP_LANES, group + 1):
            lane = get(tables, GROUP_LANES, group)
        put(tables, OLDEST, group, lane)
        _count_lane(tables, cells, group, lane, -1)
        increase(tables, OPEN, group, -1)
    return True


@in_place
def _write(
    tables: Tables,
    events: MergedEvents,
    cells: Cells,
    group: int,
    lane: int,
    last: int,
    rows: ValueRows,
    query_of_row: Int64s,
    cursor: Int64s,
) -> bool:
    """Write the results of the windows of a lane up to the last one; False if rows are full."""
    first = get(tables, FIRST_WINDOW, lane)
    begin = first_of(tables, GROUP_QUERIES, group)
    count = last_of(tables, GROUP_QUERIES, group) - begin
    result = get(tables, CELLS, RESULT_CELL)
    while cursor[NEXT_QUERY] < count:
        query = tables.items[begin + cursor[NEXT_QUERY]]
        for at in range(
            first_of(tables, FINAL_TOUCHES, query), last_of(tables, FINAL_TOUCHES, query)
        ):
            _take(tables, events, cells, lane, tables.items[at])
        clear_cell(cells, result)
        for at in range(first_of(tables, FINALS, query), last_of(tables, FINALS, query)):
            add_cell(cells, result, lane_cell(tables, lane, tables.items[at]))
        while holds_runs(cells, result) and first + cursor[NEXT_WINDOW] <= last:
            row = cursor[ROWS]
            if row == rows.owner.size:
                return False
            rows.owner[row], rows.window[row] = cursor[PARTITION], first + cursor[NEXT_WINDOW]
            for number in range(cells.mantissa.shape[1]):
                rows.mantissa[row, number] = cells.mantissa[result, number]
                rows.tier[row, number] = cells.tier[result, number]
                rows.low[row, number] = cells.low[result, number]
            for number in range(cells.least.shape[1]):
                rows.least[row, number] = cells.least[result, number]
            query_of_row[row] = query
            cursor[ROWS] += 1
            cursor[NEXT_WINDOW] += 1
        cursor[NEXT_WINDOW] = 0
        cursor[NEXT_QUERY] += 1
    cursor[NEXT_QUERY] = 0
    return True


@in_place
def _take(tables: Tables, events: MergedEvents, cells: Cells, lane: int, member: int) -> None:
    """Let a member catch up, unless it takes the steps of this burst at once."""
    family = get(tables, MEMBER_FAMILY, member)
    if holds_member(tables, cells, lane, member):
        count_waiting(tables, member, 1)
    if get(tables, BURST_END, family) >= 0:
        shared = get(tables, SHARED, family) >> get(tables, MEMBER_CLASS, member)
        if not shared & 1:
            return
    catch_up(tables, events, cells, lane, member)


@in_place
def _count_lane(tables: Tables, cells: Cells, group: int, lane: int, change: int) -> None:
    """Keep account of how many lanes the members of every class have, and hold runs in."""
    for at in range(first_of(tables, GROUP_MEMBERS, group), last_of(tables, GROUP_MEMBERS, group)):
        member = tables.items[at]
        first = get(tables, FAMILY_FIRST_CLASS, get(tables, MEMBER_FAMILY, member))
        increase(tables, CLASS_LANES, first + get(tables, MEMBER_CLASS, member), change)
        if holds_member(tables, cells, lane, member):
            least = -get(tables, MEMBER_HELD, member)
            count_held(tables, member, max(change, least))


@in_place
def open_windows(tables: Tables, cells: Cells, group: int, clock: int) -> None:
    """Open a lane for the windows that begin with a time."""
    length, slide = get(tables, GROUP_LENGTH, group), get(tables, GROUP_SLIDE, group)
    first, newest = 0, 0
    if length != 0:
        first, newest = (clock - length) // slide + 1, clock // slide
    first = max(first, get(tables, NEWEST, group) + 1)
    if first > newest:
        return
    lane = lane_of(tables, group, get(tables, OPEN, group))
    put(tables, FIRST_WINDOW, lane, first)
    put(tables, LAST_WINDOW, lane, newest)
    begin = lane_cell(tables, lane, 0)
    for slot in range(get(tables, GROUP_SLOTS, group)):
        clear_cell(cells, begin + slot)
    for at in range(first_of(tables, INITIAL, group), last_of(tables, INITIAL, group)):
        set_to_one(cells, begin + tables.items[at])
    for at in range(first_of(tables, GROUP_MEMBERS, group), last_of(tables, GROUP_MEMBERS, group)):
        member = tables.items[at]
        size = get(tables, LOG_SIZE, get(tables, MEMBER_FAMILY, member))
        put(tables, TAKEN, lane * get(tables, WIDTHS, MEMBER_WIDTH) + member, size)
    increase(tables, OPEN, group, 1)
    put(tables, NEWEST, group, newest)
    _count_lane(tables, cells, group, lane, 1)
