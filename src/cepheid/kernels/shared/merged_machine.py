"""Several queries as one machine: positions that queries have in common, and parts that they share.

Every window group (queries with the same windows) has a vector of slots for each open window, a
*lane*. Queries with a common prefix have its positions in common. A *part* is a piece of a pattern
that occurs at several places, in other queries or in other windows: a *member* is one of these
places. What a step does to a member depends on the slots around the part, which differ, but
linearly, and the coefficients are the same for all members. So steps of a part are only written to
a log, and a member takes them when something is about to read or to change what is around it: in
blocks, whose coefficients are computed once for all members and lanes.
"""

from __future__ import annotations

from typing import NamedTuple

from cepheid.kernels.arrays import Float64s, Int64s
from cepheid.kernels.jit import in_place, inlined, inner_in_place
from cepheid.kernels.values.extended import added, normal, product
from cepheid.kernels.values.value_cells import (
    Cells,
    add_cell,
    add_product_cell,
    clear_cell,
    extend_cell,
    holds_runs,
    set_to_one,
)

RADIX = 8  # blocks of a level in a block of the next

# Lists of numbers, by what they are lists of.
# Of a position: slots whose runs it extends; slots that new runs are added to; members that must
# have taken their log before it is fired, as it reads their slots or feeds them.
SOURCES, ENTRIES, TOUCHES = 0, 1, 2
# Of a kind of events: positions in no part that it fires; what it does to parts (family, place,
# classes), and to queries that negate it (query, code).
OWN, PARTS, NEGATIVE = 3, 4, 5
# Of a query: slots that negative events move; where they go, by slot and code; slots that add up to
# the result; members that feed or follow the first and the last of these.
GAPS, MOVES, FINALS, GAP_TOUCHES, FINAL_TOUCHES = 6, 7, 8, 9, 10
# Of a place in a part: places of the part that it follows. Of a member and place: slots outside
# that it follows. Of a family and of a window group: its members. Of a window group: queries, and
# the slots with a run when a window opens.
INNER, INFLOW, FAMILY_MEMBERS, GROUP_MEMBERS, GROUP_QUERIES, INITIAL = 11, 12, 13, 14, 15, 16
LISTS = 17

# Tables of numbers, one for every position, kind, query, member, family or window group.
POSITION_GROUP, KIND_BREAKS, QUERY_GROUP, QUERY_CODES = 0, 1, 2, 3
MEMBER_FAMILY, MEMBER_CLASS, MEMBER_GROUP, MEMBER_POSITION, MEMBER_VALUE = 4, 5, 6, 7, 8
FAMILY_PLACES, FAMILY_CLASSES, FAMILY_FIRST_CLASS = 9, 10, 11
GROUP_LENGTH, GROUP_SLIDE, GROUP_LANES, GROUP_SLOTS = 12, 13, 14, 15
# What changes: lanes of window groups in use, and their windows.
OLDEST, OPEN, NEWEST, FIRST_WINDOW, LAST_WINDOW = 16, 17, 18, 19, 20
# A step: positions fired, by place how many events do, codes by query, when members are touched.
FIRED, TIMES, CODES, STAMPS = 21, 22, 23, 24
# The log: by lane and member how much is taken; by family where its entries begin and how many
# there are; by entry the step and a class that takes it; by family and level where blocks begin;
# which blocks are computed. LOG_PLACE: by entry the place of the part, if one event fires one.
TAKEN, LOG_BEGIN, LOG_SIZE, LOG_STEP, LOG_CLASS, BLOCK_BEGIN, BUILT = 25, 26, 27, 28, 29, 30, 31
# Bursts under way by family: up to which step (-1: none), the step it was last fired in, classes
# that share it, the size of the log before; open lanes by class; what was counted.
BURST_END, BURST_STEP, SHARED, SIZE_BEFORE, CLASS_LANES, COUNTERS = 32, 33, 34, 35, 36, 37
# Different sets of classes that steps of a burst concern, and how many do; decisions; places of
# values; the width of tables with two dimensions.
BURST_MASKS, MASK_COUNTS, RECORDS, CELLS, WIDTHS, LOG_PLACE = 38, 39, 40, 41, 42, 43
# By family: how steps add up if each is one event (see `catch_up`), and entries that are not; where
# the coefficients of its blocks begin; where its latest burst is recorded (-1: nowhere). Members
# that are touched in a step.
FAMILY_FORM, LOG_MIXED, FAMILY_CELLS, BURST_RECORD, TOUCHED = 44, 45, 46, 47, 48
# What sharing would cost, whether a burst is shared or not. By family: its steps so far; what
# members would have applied in the latest bursts, and how many these are; what was lost by not
# changing sides. By member: the steps of its family when it was last touched.
STEPS_SEEN, TO_APPLY, LATEST_BURSTS, REGRET, MEMBER_SEEN = 49, 50, 51, 52, 53
# In how many open lanes there is something to apply steps to: by member, and by class. By family:
# blocks that members would have needed in the latest bursts, and in all.
MEMBER_HELD, CLASS_HELD, TO_BUILD, NEEDED = 54, 55, 56, 57
# Of a snapshot that is kept: the recorded burst, the member, and the first window of the lane.
SNAPSHOT_PLACES = 58
TABLES = 59

# Places in CELLS: where the values of lanes, of new runs, of contributions and of blocks begin;
# room for a vector of a part, for those of a block, and for a result; snapshots that are kept.
(LANE_CELLS, FRESH_CELLS, CONTRIBUTION_CELLS, BLOCK_CELLS, VECTOR_CELLS, ROW_CELLS, RESULT_CELL,
 SNAPSHOT_CELLS) = range(8)  # fmt: skip
# Places in WIDTHS: slots of a lane, places of a part, members, levels of blocks, positions, groups,
# families, queries, whether all classes share every burst (0), none does (1) or it is decided (2),
# records made, and how many there is room for; snapshots that are kept, and how many can be.
(SLOT_WIDTH, PLACE_WIDTH, MEMBER_WIDTH, LEVEL_WIDTH, POSITIONS, GROUPS, FAMILIES, QUERIES, POLICY,
 RECORDED, RECORD_ROOM, KEPT, KEPT_ROOM) = range(13)  # fmt: skip
# Places in COUNTERS: times a member took what was in the log, blocks and steps applied then, blocks
# computed, steps written to logs, steps applied to a member at once, snapshots, bursts.
CAUGHT_UP, APPLIED, BLOCKS_BUILT, LOGGED, DIRECT, SNAPSHOTS, BURSTS, SHARED_BURSTS = range(8)
# The first columns of a recorded burst (see share_bursts.py) are counted until the next one begins:
# times a member took what was in the log, and snapshots.
BURST_CAUGHT_UP, BURST_SNAPSHOTS = 0, 1

# Values of FAMILY_FORM: what one event at a part of one place does to the number of runs.
ANY_FORM, DOUBLES, ADDS = range(3)


class Tables(NamedTuple):
    """Lists and tables of numbers in few arrays.

    List i of kind L is `items[begin[k]:begin[k + 1]]` with k = `list_base[L]` + i. Entry i of table
    T is `numbers[table_base[T] + i]`.
    """

    list_base: Int64s
    begin: Int64s
    items: Int64s
    table_base: Int64s
    numbers: Int64s


class MergedEvents(NamedTuple):
    """Events in the order of the fold, see EventArrays, with their kinds.

    `positions[p, k]` is the row of the measures that an event at position p contributes to number
    k, -1 for none; likewise `minima`. `mantissa[row, event]`, `tier` and `low` are what events
    contribute to sums, `least[row, event]` to minima.
    """

    kind: Int64s
    clock: Int64s
    step_offsets: Int64s
    partition_offsets: Int64s
    positions: Int64s
    minima: Int64s
    mantissa: Float64s
    tier: Int64s
    low: Int64s
    least: Int64s


@inlined
def first_of(tables: Tables, kind: int, number: int) -> int:
    """Return where a list begins."""
    return int(tables.begin[tables.list_base[kind] + number])


@inlined
def last_of(tables: Tables, kind: int, number: int) -> int:
    """Return where a list ends."""
    return int(tables.begin[tables.list_base[kind] + number + 1])


@inlined
def get(tables: Tables, table: int, number: int) -> int:
    """Return an entry of a table."""
    return int(tables.numbers[tables.table_base[table] + number])


@inlined
def put(tables: Tables, table: int, number: int, value: int) -> None:
    """Set an entry of a table."""
    tables.numbers[tables.table_base[table] + number] = value


@inlined
def increase(tables: Tables, table: int, number: int, by: int) -> None:
    """Add to an entry of a table."""
    tables.numbers[tables.table_base[table] + number] += by


@inlined
def count_in_burst(tables: Tables, family: int, counter: int, column: int) -> None:
    """Count something, also in the record of the latest burst of a family."""
    increase(tables, COUNTERS, counter, 1)
    record = get(tables, BURST_RECORD, family)
    if record >= 0:
        increase(tables, RECORDS, record + column, 1)


@inlined
def lane_cell(tables: Tables, lane: int, slot: int) -> int:
    """Return the cell of a slot in a lane."""
    return get(tables, CELLS, LANE_CELLS) + lane * get(tables, WIDTHS, SLOT_WIDTH) + slot


@inner_in_place
def describe_position(
    tables: Tables, events: MergedEvents, cells: Cells, event: int, position: int, place: int
) -> None:
    """Add an event to what a step contributes at a place; the numbers are those of a position."""
    total = get(tables, CELLS, CONTRIBUTION_CELLS) + place
    if get(tables, TIMES, place) == 0:
        clear_cell(cells, total)
    increase(tables, TIMES, place, 1)
    for number in range(1, cells.mantissa.shape[1]):
        row = events.positions[position, number]
        if row >= 0:
            cells.mantissa[total, number], cells.tier[total, number] = added(
                cells.mantissa[total, number],
                cells.tier[total, number],
                events.mantissa[row, event],
                events.tier[row, event],
            )
            cells.low[total, number] += events.low[row, event]
    for number in range(cells.least.shape[1]):
        row = events.minima[position, number]
        if row >= 0:
            cells.least[total, number] = min(cells.least[total, number], events.least[row, event])


@inlined
def fire(tables: Tables, cells: Cells, lane: int, position: int, place: int) -> None:
    """Write the new runs of a position to its fresh cell, from the slots as they are."""
    fresh = get(tables, CELLS, FRESH_CELLS) + position
    clear_cell(cells, fresh)
    begin = lane_cell(tables, lane, 0)
    for at in range(first_of(tables, SOURCES, position), last_of(tables, SOURCES, position)):
        add_cell(cells, fresh, begin + tables.items[at])
    contribution = get(tables, CELLS, CONTRIBUTION_CELLS) + place
    extend_cell(cells, fresh, get(tables, TIMES, place), contribution)


@inlined
def enter(tables: Tables, cells: Cells, lane: int, position: int, fresh: int) -> None:
    """Add new runs of a position, which are in a cell, to its slots."""
    if holds_runs(cells, fresh):
        begin = lane_cell(tables, lane, 0)
        for at in range(first_of(tables, ENTRIES, position), last_of(tables, ENTRIES, position)):
            add_cell(cells, begin + tables.items[at], fresh)


@inner_in_place
def describe_part(
    tables: Tables, events: MergedEvents, cells: Cells, step: int, family: int, of_class: int
) -> bool:
    """Write what a step does to a part for one of its classes: times and contributions by place.

    They are written behind those of positions. Returns whether it does anything.
    """
    first = get(tables, WIDTHS, POSITIONS)
    for place in range(first, first + get(tables, WIDTHS, PLACE_WIDTH)):
        put(tables, TIMES, place, 0)
    member = tables.items[first_of(tables, FAMILY_MEMBERS, family)]
    is_fired = False
    for event in range(events.step_offsets[step], events.step_offsets[step + 1]):
        kind = events.kind[event]
        for at in range(first_of(tables, PARTS, kind), last_of(tables, PARTS, kind), 3):
            if tables.items[at] == family and (tables.items[at + 2] >> of_class) & 1:
                place = tables.items[at + 1]
                position = member_position(tables, member, place)
                describe_position(tables, events, cells, event, position, first + place)
                is_fired = True
    return is_fired


@inlined
def member_position(tables: Tables, member: int, place: int) -> int:
    """Return the position of a member at a place of the part."""
    return get(tables, MEMBER_POSITION, member * get(tables, WIDTHS, PLACE_WIDTH) + place)


@inlined
def size_of(tables: Tables, family: int) -> int:
    """Return how many places a part has."""
    return get(tables, FAMILY_PLACES, family + 1) - get(tables, FAMILY_PLACES, family)


@inner_in_place
def _describe_entry(
    tables: Tables, events: MergedEvents, cells: Cells, family: int, number: int
) -> int:
    """Describe the step of an entry of the log; return the place of the part that it fires.

    That is -1 if there may be several.
    """
    entry = get(tables, LOG_BEGIN, family) + number
    step, place = get(tables, LOG_STEP, entry), get(tables, LOG_PLACE, entry)
    if place < 0:
        describe_part(tables, events, cells, step, family, get(tables, LOG_CLASS, entry))
        return -1
    described = get(tables, WIDTHS, POSITIONS) + place
    put(tables, TIMES, described, 1)
    if cells.mantissa.shape[1] > 1 or cells.least.shape[1] > 0:
        put(tables, TIMES, described, 0)
        member = tables.items[first_of(tables, FAMILY_MEMBERS, family)]
        position = member_position(tables, member, place)
        describe_position(tables, events, cells, events.step_offsets[step], position, described)
    return place


@inner_in_place
def _step_vector(tables: Tables, cells: Cells, family: int, only: int, vector: int) -> None:
    """Apply a described step to a vector of a part: inflows, values, what was added.

    It may fire only one place; -1: several.
    """
    size = size_of(tables, family)
    fresh = get(tables, CELLS, FRESH_CELLS) + get(tables, WIDTHS, POSITIONS)
    begin, end = (0, size) if only < 0 else (only, only + 1)
    for place in range(begin, end):
        described = get(tables, WIDTHS, POSITIONS) + place
        times = get(tables, TIMES, described)
        if times == 0:
            continue
        clear_cell(cells, fresh + place)
        add_cell(cells, fresh + place, vector + place)
        number = get(tables, FAMILY_PLACES, family) + place
        for at in range(first_of(tables, INNER, number), last_of(tables, INNER, number)):
            add_cell(cells, fresh + place, vector + size + tables.items[at])
        contribution = get(tables, CELLS, CONTRIBUTION_CELLS) + described
        extend_cell(cells, fresh + place, times, contribution)
    for place in range(begin, end):
        if get(tables, TIMES, get(tables, WIDTHS, POSITIONS) + place) != 0:
            add_cell(cells, vector + size + place, fresh + place)
            add_cell(cells, vector + 2 * size + place, fresh + place)


@inner_in_place
def _apply_block(tables: Tables, cells: Cells, family: int, block: int, vector: int) -> None:
    """Apply the coefficients of a block to a vector of a part."""
    size, coefficients = size_of(tables, family), _coefficients(tables, family, block)
    fresh = get(tables, CELLS, FRESH_CELLS) + get(tables, WIDTHS, POSITIONS)
    for place in range(size):
        clear_cell(cells, fresh + place)
        for given in range(2 * size):
            add_product_cell(
                cells, fresh + place, vector + given, coefficients + given * size + place
            )
    for place in range(size):
        add_cell(cells, vector + size + place, fresh + place)
        add_cell(cells, vector + 2 * size + place, fresh + place)


@inlined
def _block(tables: Tables, family: int, level: int, number: int) -> int:
    at = family * get(tables, WIDTHS, LEVEL_WIDTH) + level
    return get(tables, BLOCK_BEGIN, at) + number


@inlined
def _coefficients(tables: Tables, family: int, block: int) -> int:
    """Return where the coefficients of a block begin: by what is given, and by place."""
    size = size_of(tables, family)
    before = block - get(tables, BLOCK_BEGIN, family * get(tables, WIDTHS, LEVEL_WIDTH))
    begin = get(tables, CELLS, BLOCK_CELLS) + get(tables, FAMILY_CELLS, family)
    return begin + before * 2 * size * size


@in_place
def _build(
    tables: Tables, events: MergedEvents, cells: Cells, family: int, level: int, number: int
) -> None:
    """Compute the coefficients of a block from those below, which are computed.

    There are two rows for every place of the part: what a run that flows in there becomes, and one
    that is there already.
    """
    size, width = size_of(tables, family), get(tables, WIDTHS, PLACE_WIDTH)
    rows = get(tables, CELLS, ROW_CELLS)
    for given in range(2 * size):
        for slot in range(3 * size):
            clear_cell(cells, rows + given * 3 * width + slot)
        set_to_one(cells, rows + given * 3 * width + given)
    place = -1
    for below in range(number * RADIX, (number + 1) * RADIX):
        if level == 1:
            place = _describe_entry(tables, events, cells, family, below)
        for given in range(2 * size):
            if level == 1:
                _step_vector(tables, cells, family, place, rows + given * 3 * width)
            else:
                lower = _block(tables, family, level - 1, below)
                _apply_block(tables, cells, family, lower, rows + given * 3 * width)
    block = _block(tables, family, level, number)
    coefficients = _coefficients(tables, family, block)
    for given in range(2 * size):
        for place in range(size):
            cell = coefficients + given * size + place
            clear_cell(cells, cell)
            add_cell(cells, cell, rows + given * 3 * width + 2 * size + place)
    put(tables, BUILT, block, 1)
    increase(tables, COUNTERS, BLOCKS_BUILT, 1)


@inner_in_place
def catch_up(tables: Tables, events: MergedEvents, cells: Cells, lane: int, member: int) -> None:
    """Let a member take what the log has for it; O(log entries) blocks, most of them computed."""
    family = get(tables, MEMBER_FAMILY, member)
    taken = lane * get(tables, WIDTHS, MEMBER_WIDTH) + member
    at, end = get(tables, TAKEN, taken), get(tables, LOG_SIZE, family)
    if at == end:
        return
    put(tables, TAKEN, taken, end)
    size, width = size_of(tables, family), get(tables, WIDTHS, PLACE_WIDTH)
    vector, begin = get(tables, CELLS, VECTOR_CELLS), lane_cell(tables, lane, 0)
    is_empty = True
    for place in range(size):
        clear_cell(cells, vector + place)
        clear_cell(cells, vector + size + place)
        clear_cell(cells, vector + 2 * size + place)
        inflow = member * width + place
        for item in range(first_of(tables, INFLOW, inflow), last_of(tables, INFLOW, inflow)):
            add_cell(cells, vector + place, begin + tables.items[item])
        value = get(tables, MEMBER_VALUE, member * width + place)
        if value >= 0:
            add_cell(cells, vector + size + place, begin + value)
        if holds_runs(cells, vector + place) or holds_runs(cells, vector + size + place):
            is_empty = False
    if is_empty:
        return
    count_in_burst(tables, family, CAUGHT_UP, BURST_CAUGHT_UP)
    form = get(tables, FAMILY_FORM, family)
    if form != ANY_FORM and get(tables, LOG_MIXED, family) == 0:
        _repeat(cells, vector, form, end - at)
        increase(tables, COUNTERS, APPLIED, 1)
        at = end
    while at < end:
        level, stretch = 0, 1
        while at % (stretch * RADIX) == 0 and at + stretch * RADIX <= end:
            stretch *= RADIX
            level += 1
        if level == 0:
            place = _describe_entry(tables, events, cells, family, at)
            _step_vector(tables, cells, family, place, vector)
        else:
            block = _block(tables, family, level, at // stretch)
            if get(tables, BUILT, block) == 0:
                _build_below(tables, events, cells, family, level, at)
            _apply_block(tables, cells, family, block, vector)
        increase(tables, COUNTERS, APPLIED, 1)
        at += stretch
    for place in range(size):
        position = member_position(tables, member, place)
        enter(tables, cells, lane, position, vector + 2 * size + place)


@in_place
def _repeat(cells: Cells, vector: int, form: int, times: int) -> None:
    """Write what so many single events add to a part of one place, as a formula.

    T+ doubles what flows in and what is there: x + v becomes 2 (x + v). T alone adds x.
    """
    if form == DOUBLES:
        add_cell(cells, vector, vector + 1)
        mantissa, tier = 2.0 ** (times % 512), times // 512
        low = -1 + (1 << times if times < 64 else 0)
        if times <= 53:
            mantissa -= 1.0
        mantissa, tier = normal(mantissa, tier)
    else:
        mantissa, tier, low = float(times), 0, times
    cells.mantissa[vector + 2, 0], cells.tier[vector + 2, 0] = product(
        cells.mantissa[vector, 0], cells.tier[vector, 0], mantissa, tier
    )
    cells.low[vector + 2, 0] = cells.low[vector, 0] * low


@in_place
def _build_below(
    tables: Tables, events: MergedEvents, cells: Cells, family: int, level: int, at: int
) -> None:
    """Compute a block and all below it that are not computed yet."""
    entries, stretch = 1, RADIX**level
    for lower in range(1, level + 1):
        entries *= RADIX
        for number in range(at // entries, (at + stretch) // entries):
            if get(tables, BUILT, _block(tables, family, lower, number)) == 0:
                _build(tables, events, cells, family, lower, number)
