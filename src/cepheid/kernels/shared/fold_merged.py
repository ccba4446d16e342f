"""Aggregate several queries in one pass over the events; see merged_machine.py.

Parts are fired in *bursts*: stretches of steps in which nothing reads or changes what is around any
member of a family. At the beginning of a burst it is decided which classes of members share it, by
writing its steps to the log, and which take every step at once.
"""

from __future__ import annotations

from cepheid.kernels.arrays import Float64s, Int64s
from cepheid.kernels.jit import in_place, inlined, kernel_in_place
from cepheid.kernels.position.fold_slots import AFTER_ALL
from cepheid.kernels.position.slot_machine import BEFORE_ALL
from cepheid.kernels.shared.held_lanes import (
    count_held,
    count_touched,
    holds_member,
    keep_snapshots,
    lane_of,
)
from cepheid.kernels.shared.merged_machine import (
    BLOCK_BEGIN,
    BUILT,
    BURST_END,
    BURST_SNAPSHOTS,
    BURST_STEP,
    CELLS,
    CLASS_HELD,
    CLASS_LANES,
    CODES,
    COUNTERS,
    DIRECT,
    FAMILIES,
    FAMILY_CLASSES,
    FAMILY_FIRST_CLASS,
    FAMILY_MEMBERS,
    FIRED,
    FRESH_CELLS,
    GAP_TOUCHES,
    GAPS,
    GROUP_LANES,
    GROUPS,
    KIND_BREAKS,
    LEVEL_WIDTH,
    LOG_BEGIN,
    LOG_CLASS,
    LOG_MIXED,
    LOG_PLACE,
    LOG_SIZE,
    LOG_STEP,
    LOGGED,
    MEMBER_CLASS,
    MEMBER_FAMILY,
    MEMBER_GROUP,
    MEMBER_HELD,
    MEMBER_SEEN,
    MEMBER_WIDTH,
    MOVES,
    NEGATIVE,
    NEWEST,
    OLDEST,
    OPEN,
    OWN,
    PARTS,
    POSITION_GROUP,
    POSITIONS,
    QUERIES,
    QUERY_CODES,
    QUERY_GROUP,
    RADIX,
    SHARED,
    SIZE_BEFORE,
    SNAPSHOTS,
    STAMPS,
    STEPS_SEEN,
    TAKEN,
    TIMES,
    TOUCHED,
    TOUCHES,
    WIDTHS,
    MergedEvents,
    Tables,
    catch_up,
    count_in_burst,
    describe_part,
    describe_position,
    enter,
    fire,
    first_of,
    get,
    increase,
    lane_cell,
    last_of,
    member_position,
    put,
    size_of,
)
from cepheid.kernels.shared.merged_windows import (
    IS_OPEN,
    PARTITION,
    STEP,
    close_windows,
    open_windows,
)
from cepheid.kernels.shared.share_bursts import RECORD, begin_burst, majority
from cepheid.kernels.values.value_arrays import ValueRows
from cepheid.kernels.values.value_cells import Cells, add_cell, clear_cell


@kernel_in_place
def fold_merged(
    tables: Tables,
    events: MergedEvents,
    cells: Cells,
    costs: Float64s,
    rows: ValueRows,
    query_of_row: Int64s,
    cursor: Int64s,
) -> bool:
    """Write a row for every query, partition and window that has trends.

    Returns whether all is done: if not, `rows` are full, and the next call goes on where `cursor`
    says. O(positions fired by events of no part, times their open windows) + O(1) per step of a
    part that is shared.
    """
    while cursor[PARTITION] < events.partition_offsets.size - 1:
        partition = cursor[PARTITION]
        end = events.partition_offsets[partition + 1]
        if cursor[IS_OPEN] == 0:
            cursor[STEP] = events.partition_offsets[partition]
            _begin_partition(tables)
            cursor[IS_OPEN] = 1
        while cursor[STEP] <= end:
            step = cursor[STEP]
            clock = AFTER_ALL
            if step < end:
                clock = events.clock[events.step_offsets[step]]
            for group in range(get(tables, WIDTHS, GROUPS)):
                if not close_windows(
                    tables, events, cells, group, clock, rows, query_of_row, cursor
                ):
                    return False
                if step < end:
                    open_windows(tables, cells, group, clock)
            if step < end:
                _advance(tables, events, cells, costs, step, end)
            cursor[STEP] += 1
        cursor[PARTITION] += 1
        cursor[IS_OPEN] = 0
    return True


@in_place
def _begin_partition(tables: Tables) -> None:
    for group in range(get(tables, WIDTHS, GROUPS)):
        put(tables, OPEN, group, 0)
        put(tables, OLDEST, group, get(tables, GROUP_LANES, group))
        put(tables, NEWEST, group, BEFORE_ALL)
    for member in range(get(tables, WIDTHS, MEMBER_WIDTH)):
        put(tables, STAMPS, member, -1)
        put(tables, MEMBER_HELD, member, 0)
        seen = get(tables, STEPS_SEEN, get(tables, MEMBER_FAMILY, member))
        put(tables, MEMBER_SEEN, member, seen)
    levels = get(tables, WIDTHS, LEVEL_WIDTH)
    families = get(tables, WIDTHS, FAMILIES)
    for family in range(families):
        entries = get(tables, LOG_SIZE, family)
        for level in range(1, levels):
            entries //= RADIX
            begin = get(tables, BLOCK_BEGIN, family * levels + level)
            for block in range(begin, begin + entries):
                put(tables, BUILT, block, 0)
        put(tables, LOG_SIZE, family, 0)
        put(tables, LOG_MIXED, family, 0)
        put(tables, BURST_END, family, -1)
    for each in range(get(tables, FAMILY_FIRST_CLASS, families)):
        put(tables, CLASS_LANES, each, 0)
        put(tables, CLASS_HELD, each, 0)


@in_place
def _advance(
    tables: Tables, events: MergedEvents, cells: Cells, costs: Float64s, step: int, end: int
) -> None:
    """Take one step: what is in no part, with the members around it, and then the parts."""
    fired, negated, is_part, broken = 0, False, False, 0
    for event in range(events.step_offsets[step], events.step_offsets[step + 1]):
        kind = events.kind[event]
        for at in range(first_of(tables, OWN, kind), last_of(tables, OWN, kind)):
            position = tables.items[at]
            if get(tables, TIMES, position) == 0:
                put(tables, FIRED, fired, position)
                fired += 1
            describe_position(tables, events, cells, event, position, position)
        for at in range(first_of(tables, NEGATIVE, kind), last_of(tables, NEGATIVE, kind), 2):
            negated = True
            query = tables.items[at]
            put(tables, CODES, query, get(tables, CODES, query) | tables.items[at + 1])
        is_part = is_part or first_of(tables, PARTS, kind) < last_of(tables, PARTS, kind)
        broken |= get(tables, KIND_BREAKS, kind)
    if broken != 0:
        for family in range(get(tables, WIDTHS, FAMILIES)):
            if (broken >> family) & 1 and get(tables, BURST_END, family) >= 0:
                _end_burst(tables, family)
    if fired > 0 or negated:
        _fire_own(tables, events, cells, step, fired, negated, is_part)
    if is_part:
        for event in range(events.step_offsets[step], events.step_offsets[step + 1]):
            kind = events.kind[event]
            for at in range(first_of(tables, PARTS, kind), last_of(tables, PARTS, kind), 3):
                family = tables.items[at]
                if get(tables, BURST_STEP, family) != step:
                    put(tables, BURST_STEP, family, step)
                    has_own = fired > 0 or negated
                    _fire_family(tables, events, cells, costs, step, end, family, has_own)
    for place in range(fired):
        put(tables, TIMES, get(tables, FIRED, place), 0)
    if negated:
        for query in range(get(tables, WIDTHS, QUERIES)):
            put(tables, CODES, query, 0)


@in_place
def _end_burst(tables: Tables, family: int) -> None:
    """End a burst: members that took it at once have no log left."""
    shared = get(tables, SHARED, family)
    size = get(tables, LOG_SIZE, family)
    put(tables, BURST_END, family, -1)
    if shared == get(tables, FAMILY_CLASSES, family) or size == get(tables, SIZE_BEFORE, family):
        return
    for at in range(
        first_of(tables, FAMILY_MEMBERS, family), last_of(tables, FAMILY_MEMBERS, family)
    ):
        member = tables.items[at]
        if not (shared >> get(tables, MEMBER_CLASS, member)) & 1:
            _set_taken(tables, member, size)


@in_place
def _set_taken(tables: Tables, member: int, size: int) -> None:
    """Say that a member has taken so much of the log, in all lanes."""
    group, width = get(tables, MEMBER_GROUP, member), get(tables, WIDTHS, MEMBER_WIDTH)
    for number in range(get(tables, OPEN, group)):
        put(tables, TAKEN, lane_of(tables, group, number) * width + member, size)


@in_place
def _fire_own(
    tables: Tables,
    events: MergedEvents,
    cells: Cells,
    step: int,
    fired: int,
    is_negated: bool,
    is_part: bool,
) -> None:
    """Fire positions that are in no part; members around them take this step with them."""
    concerned, touched = 0, 0
    for place in range(fired):
        position = get(tables, FIRED, place)
        concerned |= 1 << min(get(tables, POSITION_GROUP, position), 62)
        touched = _touch(tables, TOUCHES, position, step, touched)
    if is_negated:
        for query in range(get(tables, WIDTHS, QUERIES)):
            if get(tables, CODES, query) != 0:
                concerned |= 1 << min(get(tables, QUERY_GROUP, query), 62)
                touched = _touch(tables, GAP_TOUCHES, query, step, touched)
    for place in range(touched):
        count_touched(tables, get(tables, TOUCHED, place))
    for group in range(get(tables, WIDTHS, GROUPS)):
        if (concerned >> min(group, 62)) & 1:
            for number in range(get(tables, OPEN, group)):
                lane = lane_of(tables, group, number)
                _fire_in_lane(tables, events, cells, step, (fired, touched), is_negated, is_part,
                              group, lane)  # fmt: skip
    for place in range(touched):
        member = get(tables, TOUCHED, place)
        change = _held(tables, cells, member) - get(tables, MEMBER_HELD, member)
        count_held(tables, member, change)


@in_place
def _held(tables: Tables, cells: Cells, member: int) -> int:
    """Return in how many lanes a member has something to apply steps to."""
    group, lanes = get(tables, MEMBER_GROUP, member), 0
    for number in range(get(tables, OPEN, group)):
        lanes += holds_member(tables, cells, lane_of(tables, group, number), member)
    return lanes


@inlined
def _touch(tables: Tables, lists: int, number: int, step: int, touched: int) -> int:
    """List the members that a position or a query touches, each once; return how many there are."""
    for at in range(first_of(tables, lists, number), last_of(tables, lists, number)):
        member = tables.items[at]
        if get(tables, STAMPS, member) != step:
            put(tables, STAMPS, member, step)
            put(tables, TOUCHED, touched, member)
            touched += 1
    return touched


@in_place
def _fire_in_lane(
    tables: Tables,
    events: MergedEvents,
    cells: Cells,
    step: int,
    counts: tuple[int, int],
    is_negated: bool,
    is_part: bool,
    group: int,
    lane: int,
) -> None:
    """Take a step in one lane; `counts` says how many positions and members it concerns."""
    fresh, (fired, touched) = get(tables, CELLS, FRESH_CELLS), counts
    for place in range(touched):
        member = get(tables, TOUCHED, place)
        if get(tables, MEMBER_GROUP, member) == group:
            catch_up(tables, events, cells, lane, member)
    for place in range(fired):
        position = get(tables, FIRED, place)
        if get(tables, POSITION_GROUP, position) == group:
            fire(tables, cells, lane, position, position)
    if is_part:  # concurrent with what is around it: a part must not see that
        for place in range(touched):
            member = get(tables, TOUCHED, place)
            if get(tables, MEMBER_GROUP, member) == group:
                family = get(tables, MEMBER_FAMILY, member)
                of_class = get(tables, MEMBER_CLASS, member)
                describe_part(tables, events, cells, step, family, of_class)
                _fire_member(tables, cells, family, member, lane)
    if is_negated:
        _move(tables, cells, group, lane)
    for place in range(fired):
        position = get(tables, FIRED, place)
        if get(tables, POSITION_GROUP, position) == group:
            enter(tables, cells, lane, position, fresh + position)
    if is_part:
        for place in range(touched):
            member = get(tables, TOUCHED, place)
            if get(tables, MEMBER_GROUP, member) == group:
                _enter_member(tables, cells, get(tables, MEMBER_FAMILY, member), member, lane)


@inlined
def _fire_member(tables: Tables, cells: Cells, family: int, member: int, lane: int) -> None:
    """Write the new runs of a member in a described step to fresh cells."""
    first, fresh = get(tables, WIDTHS, POSITIONS), get(tables, CELLS, FRESH_CELLS)
    for place in range(size_of(tables, family)):
        position = member_position(tables, member, place)
        if get(tables, TIMES, first + place) == 0:
            clear_cell(cells, fresh + position)
        else:
            fire(tables, cells, lane, position, first + place)


@inlined
def _enter_member(tables: Tables, cells: Cells, family: int, member: int, lane: int) -> None:
    fresh = get(tables, CELLS, FRESH_CELLS)
    for place in range(size_of(tables, family)):
        position = member_position(tables, member, place)
        enter(tables, cells, lane, position, fresh + position)


@in_place
def _move(tables: Tables, cells: Cells, group: int, lane: int) -> None:
    """Move runs on in the gaps that negative events concern, or drop them."""
    for query in range(get(tables, WIDTHS, QUERIES)):
        code = get(tables, CODES, query)
        if code == 0 or get(tables, QUERY_GROUP, query) != group:
            continue
        begin = first_of(tables, GAPS, query)
        for place in range(last_of(tables, GAPS, query) - begin - 1, -1, -1):
            slot = tables.items[begin + place]
            row = first_of(tables, MOVES, query) + place * get(tables, QUERY_CODES, query)
            target = tables.items[row + code]
            if target != slot:
                cell = lane_cell(tables, lane, slot)
                if target >= 0:
                    add_cell(cells, lane_cell(tables, lane, target), cell)
                clear_cell(cells, cell)


@in_place
def _fire_family(
    tables: Tables,
    events: MergedEvents,
    cells: Cells,
    costs: Float64s,
    step: int,
    end: int,
    family: int,
    has_own: bool,
) -> None:
    """Take a step of a part: write it to the log, or apply it to members at once."""
    if step >= get(tables, BURST_END, family):
        if get(tables, BURST_END, family) >= 0:
            _end_burst(tables, family)
        begin_burst(tables, events, costs, step, end, family)
        _catch_up_others(tables, events, cells, family)
        keep_snapshots(tables, cells, family, RECORD)
    increase(tables, STEPS_SEEN, family, 1)
    some, odd, writes, place = majority(tables, events, step, family)
    shared, before = get(tables, SHARED, family), get(tables, LOG_SIZE, family)
    if odd != 0 or shared != get(tables, FAMILY_CLASSES, family):
        described, is_fired = -1, False
        for at in range(
            first_of(tables, FAMILY_MEMBERS, family), last_of(tables, FAMILY_MEMBERS, family)
        ):
            member = tables.items[at]
            of_class = get(tables, MEMBER_CLASS, member)
            is_shared = bool((shared >> of_class) & 1)
            is_touched = get(tables, STAMPS, member) == step
            if is_touched:
                continue
            if is_shared and (odd >> of_class) & 1:
                _take_snapshots(tables, events, cells, member, writes)
            elif is_shared:
                continue
            if of_class != described or is_shared:
                is_fired = describe_part(tables, events, cells, step, family, of_class)
                described = of_class
            if is_fired:
                _fire_in_lanes(tables, cells, family, member)
    if writes:
        put(tables, LOG_STEP, get(tables, LOG_BEGIN, family) + before, step)
        put(tables, LOG_CLASS, get(tables, LOG_BEGIN, family) + before, some)
        put(tables, LOG_PLACE, get(tables, LOG_BEGIN, family) + before, place)
        if place < 0:
            increase(tables, LOG_MIXED, family, 1)
        put(tables, LOG_SIZE, family, before + 1)
        increase(tables, COUNTERS, LOGGED, 1)
        if has_own:
            _skip_touched(tables, step, family)


@in_place
def _take_snapshots(
    tables: Tables, events: MergedEvents, cells: Cells, member: int, writes: bool
) -> None:
    """Let a member catch up that shares the burst but takes a step differently from most.

    If that step is written to the log, it is not for this member.
    """
    group, width = get(tables, MEMBER_GROUP, member), get(tables, WIDTHS, MEMBER_WIDTH)
    family = get(tables, MEMBER_FAMILY, member)
    for number in range(get(tables, OPEN, group)):
        lane = lane_of(tables, group, number)
        catch_up(tables, events, cells, lane, member)
        count_in_burst(tables, family, SNAPSHOTS, BURST_SNAPSHOTS)
        if writes:
            increase(tables, TAKEN, lane * width + member, 1)


@in_place
def _fire_in_lanes(tables: Tables, cells: Cells, family: int, member: int) -> None:
    """Apply a described step to a member in all lanes."""
    group = get(tables, MEMBER_GROUP, member)
    for number in range(get(tables, OPEN, group)):
        lane = lane_of(tables, group, number)
        _fire_member(tables, cells, family, member, lane)
        _enter_member(tables, cells, family, member, lane)
    increase(tables, COUNTERS, DIRECT, get(tables, OPEN, group))


@in_place
def _skip_touched(tables: Tables, step: int, family: int) -> None:
    """Members that took this step with what is around them need not take it from the log."""
    for at in range(
        first_of(tables, FAMILY_MEMBERS, family), last_of(tables, FAMILY_MEMBERS, family)
    ):
        member = tables.items[at]
        if get(tables, STAMPS, member) == step:
            _set_taken(tables, member, get(tables, LOG_SIZE, family))


@in_place
def _catch_up_others(tables: Tables, events: MergedEvents, cells: Cells, family: int) -> None:
    """Let members that do not share this burst take the log before it."""
    shared = get(tables, SHARED, family)
    if shared == get(tables, FAMILY_CLASSES, family):
        return
    for at in range(
        first_of(tables, FAMILY_MEMBERS, family), last_of(tables, FAMILY_MEMBERS, family)
    ):
        member = tables.items[at]
        if not (shared >> get(tables, MEMBER_CLASS, member)) & 1:
            group = get(tables, MEMBER_GROUP, member)
            for number in range(get(tables, OPEN, group)):
                catch_up(tables, events, cells, lane_of(tables, group, number), member)
