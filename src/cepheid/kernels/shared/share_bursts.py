"""Whether the members of a part share a burst: decided for every burst and class, by what it costs.

A class has the members whose events must satisfy the same conditions. Not sharing costs every lane
every step. Sharing costs lanes that catch up later: as many blocks and steps per burst as they had
to apply in the latest bursts, or would have had, if these had been shared, and to compute these
blocks once; and those of a class once more for each step that it takes differently from most (a
*snapshot*).

Not to share after all costs once what all lanes have not taken yet. So a family changes sides only
when what was lost since would have paid for that.
"""

from __future__ import annotations

from cepheid.kernels.arrays import Float64s
from cepheid.kernels.jit import in_place, inner_in_place
from cepheid.kernels.shared.held_lanes import waiting
from cepheid.kernels.shared.merged_machine import (
    BURST_END,
    BURST_MASKS,
    BURST_RECORD,
    BURSTS,
    CLASS_HELD,
    CLASS_LANES,
    COUNTERS,
    FAMILY_CLASSES,
    FAMILY_FIRST_CLASS,
    FAMILY_MEMBERS,
    KIND_BREAKS,
    LATEST_BURSTS,
    LOG_SIZE,
    MASK_COUNTS,
    MEMBER_HELD,
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
    TO_BUILD,
    WIDTHS,
    MergedEvents,
    Tables,
    first_of,
    get,
    increase,
    last_of,
    put,
)

ALWAYS, NEVER, DYNAMIC = 0, 1, 2
# Places in `costs`: see plan/sharing_costs.py.
STEP_COST, EMPTY_COST, DESCRIBED_COST, APPLIED_COST, BLOCK_COST, SNAPSHOT_COST = range(6)
# Columns of a recorded burst, after those that are counted until the next one; costs are those
# saved by sharing, for those who pay and for all. Held: lanes that hold runs. Graphlets: one of
# those who share it, one for every lane that does not.
FAMILY, FIRST_STEP, STEPS, LANES, HELD, GRAPHLETS, SHARING, DIFFERENT, SAVED, IF_ALL, RECORD = (
    range(2, 13)
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
        put(tables, TO_BUILD, family, get(tables, TO_BUILD, family) // 2)
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
        put(tables, RECORDS, row + LANES, _lanes(tables, CLASS_LANES, family, every))
        put(tables, RECORDS, row + HELD, _lanes(tables, CLASS_HELD, family, every))
        apart = _lanes(tables, CLASS_LANES, family, every & ~shared)
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
            change += get(tables, MEMBER_HELD, member) * waiting(tables, member)
        if regret > change * costs[APPLIED_COST]:
            put(tables, REGRET, family, 0)
            return not was_shared
    put(tables, REGRET, family, int(regret))
    return was_shared


@in_place
def _lanes(tables: Tables, table: int, family: int, classes: int) -> int:
    """Return how many lanes some classes of a family have, open ones or those that hold runs."""
    lanes, first = 0, get(tables, FAMILY_FIRST_CLASS, family)
    for place in range(first, get(tables, FAMILY_FIRST_CLASS, family + 1)):
        if (classes >> (place - first)) & 1:
            lanes += get(tables, table, place)
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
    bursts = get(tables, LATEST_BURSTS, family)
    total = -(get(tables, TO_APPLY, family) + 1) / bursts * costs[APPLIED_COST]
    total -= get(tables, TO_BUILD, family) / bursts * costs[BLOCK_COST]
    if different == 0:
        total += steps * costs[DESCRIBED_COST]
        lanes = _lanes(tables, CLASS_LANES, family, every)
        held = _lanes(tables, CLASS_HELD, family, every)
        total += steps * (held * costs[STEP_COST] + (lanes - held) * costs[EMPTY_COST])
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
        held = get(tables, CLASS_HELD, first + of_class)
        empty = get(tables, CLASS_LANES, first + of_class) - held
        gain = own * (held * costs[STEP_COST] + empty * costs[EMPTY_COST])
        gain -= odd * (held + empty) * costs[SNAPSHOT_COST]
        if_all += gain
        if gain >= 0:
            shared |= 1 << of_class
            total += gain
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
