"""Whether the members of a part share a burst: decided for every burst and class, by what it costs.

A class has the members whose events must satisfy the same conditions. Not sharing costs every lane
every step. Sharing costs lanes that catch up later: as many blocks and steps per burst as they had
to apply in the latest bursts, or would have had, if these had been shared; and those of a class
once more for each step that it takes differently from most (a *snapshot*).

Not to share after all costs once what all lanes have not taken yet. So a family changes sides only
when what was lost since would have paid for that.
"""

from __future__ import annotations

from cepheid.kernels.arrays import Float64s
from cepheid.kernels.jit import in_place, inner_in_place
from cepheid.kernels.shared.merged_machine import (
    BLOCKS_BUILT,
    BURST_END,
    BURST_MASKS,
    BURST_RECORD,
    BURSTS,
    CLASS_LANES,
    COUNTERS,
    FAMILY_CLASSES,
    FAMILY_FIRST_CLASS,
    FAMILY_MEMBERS,
    KIND_BREAKS,
    LATEST_BURSTS,
    LOG_SIZE,
    LOGGED,
    MASK_COUNTS,
    MEMBER_GROUP,
    OPEN,
    PARTS,
    POLICY,
    RECORD_ROOM,
    RECORDED,
    RECORDS,
    REGRET,
    SHARED,
    SHARED_BURSTS,
    SIZE_BEFORE,
    TO_APPLY,
    WIDTHS,
    MergedEvents,
    Tables,
    first_of,
    get,
    increase,
    last_of,
    put,
    waiting,
)

ALWAYS, NEVER, DYNAMIC = 0, 1, 2
# Places in `costs`: see plan/sharing_costs.py.
STEP_COST, DESCRIBED_COST, APPLIED_COST, BLOCK_COST, SNAPSHOT_COST = range(5)
# Columns of a recorded burst, after those that are counted until the next one; costs are those
# saved by sharing, for those who pay and for all. Graphlets: one of those who share it, one for
# every lane that does not.
FAMILY, FIRST_STEP, STEPS, LANES, GRAPHLETS, SHARING, DIFFERENT, SAVED, IF_ALL, RECORD = range(
    2, 12
)
MOST_MASKS = 16  # different ones that are told apart in a burst
LATEST = 64  # bursts that tell what the next one costs: from then on, older ones count half


@in_place
def begin_burst(
    tables: Tables, events: MergedEvents, costs: Float64s, step: int, end: int, family: int
) -> None:
    """Look how far a burst goes, and decide who shares it."""
    every = get(tables, FAMILY_CLASSES, family)
    steps, different, at = 0, 0, step
    while at < end:
        fits, is_of_family, is_broken = every, False, False
        for event in range(events.step_offsets[at], events.step_offsets[at + 1]):
            kind = events.kind[event]
            if at > step and (get(tables, KIND_BREAKS, kind) >> family) & 1:
                is_broken = True
            for item in range(first_of(tables, PARTS, kind), last_of(tables, PARTS, kind), 3):
                if tables.items[item] == family:
                    is_of_family = True
                    fits &= tables.items[item + 2]
        if is_broken:
            break
        if is_of_family:
            steps += 1
            if fits != every:
                different = _count_mask(tables, fits, different)
        at += 1
    put(tables, BURST_END, family, at)
    put(tables, SIZE_BEFORE, family, get(tables, LOG_SIZE, family))
    increase(tables, COUNTERS, BURSTS, 1)
    if get(tables, LATEST_BURSTS, family) == LATEST:
        put(tables, LATEST_BURSTS, family, LATEST // 2)
        put(tables, TO_APPLY, family, get(tables, TO_APPLY, family) // 2)
    increase(tables, LATEST_BURSTS, family, 1)
    policy = get(tables, WIDTHS, POLICY)
    is_recorded = get(tables, WIDTHS, RECORDED) < get(tables, WIDTHS, RECORD_ROOM)
    shared, saved, if_all = every, 0.0, 0.0
    if policy == DYNAMIC or is_recorded:
        shared, saved, if_all = _decide(tables, costs, family, steps, different)
    if policy == ALWAYS:
        shared, saved = every, if_all
    elif policy == NEVER or not _is_to_share(tables, costs, family, saved):
        shared = 0
    put(tables, SHARED, family, shared)
    if shared != 0:
        increase(tables, COUNTERS, SHARED_BURSTS, 1)
    put(tables, BURST_RECORD, family, -1)
    if is_recorded:
        row = get(tables, WIDTHS, RECORDED) * RECORD
        put(tables, BURST_RECORD, family, row)
        put(tables, RECORDS, row + FAMILY, family)
        put(tables, RECORDS, row + FIRST_STEP, step)
        put(tables, RECORDS, row + STEPS, steps)
        put(tables, RECORDS, row + LANES, _lanes(tables, family, every))
        apart = _lanes(tables, family, every & ~shared)
        put(tables, RECORDS, row + GRAPHLETS, apart + (1 if shared != 0 else 0))
        put(tables, RECORDS, row + SHARING, shared)
        put(tables, RECORDS, row + DIFFERENT, different)
        put(tables, RECORDS, row + SAVED, int(saved))
        put(tables, RECORDS, row + IF_ALL, int(if_all))
        increase(tables, WIDTHS, RECORDED, 1)


@in_place
def _is_to_share(tables: Tables, costs: Float64s, family: int, saved: float) -> bool:
    """Return whether to share a burst that saves so much: as before, unless a change pays."""
    was_shared = get(tables, SHARED, family) != 0
    lost = -saved if was_shared else saved
    regret = max(0.0, get(tables, REGRET, family) + lost)
    if regret > 0.0:
        change = 0
        for at in range(
            first_of(tables, FAMILY_MEMBERS, family), last_of(tables, FAMILY_MEMBERS, family)
        ):
            member = tables.items[at]
            group = get(tables, MEMBER_GROUP, member)
            change += get(tables, OPEN, group) * waiting(tables, member)
        if regret > change * costs[APPLIED_COST]:
            put(tables, REGRET, family, 0)
            return not was_shared
    put(tables, REGRET, family, int(regret))
    return was_shared


@in_place
def _lanes(tables: Tables, family: int, classes: int) -> int:
    """Return how many lanes some classes of a family have."""
    lanes, first = 0, get(tables, FAMILY_FIRST_CLASS, family)
    for place in range(first, get(tables, FAMILY_FIRST_CLASS, family + 1)):
        if (classes >> (place - first)) & 1:
            lanes += get(tables, CLASS_LANES, place)
    return lanes


@in_place
def _count_mask(tables: Tables, mask: int, different: int) -> int:
    """Count a step that not all classes take; return how many different masks there are."""
    for place in range(different):
        if get(tables, BURST_MASKS, place) == mask:
            increase(tables, MASK_COUNTS, place, 1)
            return different
    if different == MOST_MASKS:  # as if it were the last one
        increase(tables, MASK_COUNTS, MOST_MASKS - 1, 1)
        return different
    put(tables, BURST_MASKS, different, mask)
    put(tables, MASK_COUNTS, different, 1)
    return different + 1


@in_place
def _decide(
    tables: Tables, costs: Float64s, family: int, steps: int, different: int
) -> tuple[int, float, float]:
    """Return the classes for which it pays to share a burst, and what is saved by them and by all.

    What most of those take that take any step is written down. A class that takes no step
    differently costs no snapshot, so it shares if any does. For another one it pays or not whatever
    the others do. So one look at each is enough.
    """
    every, first = get(tables, FAMILY_CLASSES, family), get(tables, FAMILY_FIRST_CLASS, family)
    classes = get(tables, FAMILY_FIRST_CLASS, family + 1) - first
    applied = (get(tables, TO_APPLY, family) + 1) / get(tables, LATEST_BURSTS, family)
    blocks = get(tables, COUNTERS, BLOCKS_BUILT) / (get(tables, COUNTERS, LOGGED) + 1)
    total = -applied * costs[APPLIED_COST] - steps * blocks * costs[BLOCK_COST]
    if different == 0:
        total += steps * costs[DESCRIBED_COST]
        total += _lanes(tables, family, every) * steps * costs[STEP_COST]
        return every, total, total
    common, active = steps, 0
    for place in range(different):
        common -= get(tables, MASK_COUNTS, place)
        active |= get(tables, BURST_MASKS, place)
    if common > 0:
        active = every
    most, shared, if_all = count_bits(active), 0, total
    for of_class in range(classes):
        if not (active >> of_class) & 1:  # takes no step, so that there is nothing to save
            continue
        own, odd = common, 0
        for place in range(different):
            mask, count = get(tables, BURST_MASKS, place), get(tables, MASK_COUNTS, place)
            fits, is_written = (mask >> of_class) & 1, 2 * count_bits(mask) >= most
            if fits == 1 and is_written:
                own += count
            elif fits == 1 or is_written:
                odd += count
        gain = own * costs[STEP_COST] - odd * costs[SNAPSHOT_COST]
        gain_of_lanes = get(tables, CLASS_LANES, first + of_class) * gain
        if_all += gain_of_lanes
        if gain >= 0:
            shared |= 1 << of_class
            total += gain_of_lanes
    return shared, total, if_all


@inner_in_place
def count_bits(mask: int) -> int:
    """Return how many bits are set."""
    count = 0
    while mask != 0:
        mask &= mask - 1
        count += 1
    return count


@in_place
def majority(
    tables: Tables, events: MergedEvents, step: int, family: int
) -> tuple[int, int, bool, int]:
    """Return a class that takes a step as most do, those that do not, and whether most take it.

    Concurrent events that do not concern the same classes are taken by each class by itself. The
    last number is the place of the part, if one event fires one, else -1.
    """
    shared = get(tables, SHARED, family)
    fits, some, is_first, is_mixed, place = 0, 0, True, False, -1
    for event in range(events.step_offsets[step], events.step_offsets[step + 1]):
        kind = events.kind[event]
        for at in range(first_of(tables, PARTS, kind), last_of(tables, PARTS, kind), 3):
            if tables.items[at] == family:
                own = tables.items[at + 2] & shared
                place = tables.items[at + 1] if is_first else -1
                is_mixed = is_mixed or (not is_first and own != fits)
                fits, is_first = own, False
                some |= own
    if events.step_offsets[step + 1] - events.step_offsets[step] > 1:
        place = -1
    if is_mixed:
        return 0, some, False, place
    if shared == 0 or fits == 0:
        return 0, 0, False, place
    if fits == shared:
        return _lowest(shared), 0, True, place
    if 2 * count_bits(fits) >= count_bits(shared):
        return _lowest(fits), shared & ~fits, True, place
    return 0, fits, False, place


@in_place
def _lowest(mask: int) -> int:
    place = 0
    while not mask & 1:
        mask >>= 1
        place += 1
    return place
