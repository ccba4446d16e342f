"""Discard matches that have a match of a negated part in one of their gaps.

Matches of a negated part lie in a table, by partition and start. Without conditions on them, only
the one with the latest start matters for every end, and whether one lies in a gap is answered by a
binary search and the smallest end among the later starts: O(log n) per gap. With conditions, those
in the gap are tried one after the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Bytes, Int64s
from cepheid.kernels.graph.build_run_graph import Room
from cepheid.kernels.graph.match_nodes import MatchArrays
from cepheid.kernels.graph.path_clauses import OPEN, WHOLE, Path, PathTables, path_clause_holds
from cepheid.kernels.jit import inner_in_place, kernel, kernel_in_place
from cepheid.kernels.predicates.predicate_machine import OVERFLOW, ColumnArrays, PredicateCode

START_RANK, END_RANK, START_CLOCK, END_CLOCK, EVENT_BEGIN, EVENT_END = 0, 1, 2, 3, 4, 5
SMALLEST_END_RANK, SMALLEST_END_CLOCK = 6, 7
WIDTH = 8

FIRST_MOMENT, LAST_MOMENT = -(2**63), 2**63 - 1
IS_BLOCKED, IS_OPEN = 0, 1


class NegativeMatches(NamedTuple):
    """Row r of `table` is a match; those of a part and partition are `offsets[part, partition:]`.

    `event` and `position` hold their events where conditions read them.
    """

    offsets: Int64s
    table: Int64s
    event: Int64s
    position: Int64s


class NegationRules(NamedTuple):
    """What blocks which binding.

    Binding b (edges, then entries, then ends) is open if for one of the part sets
    `gap_parts[gap_offsets[b]:gap_offsets[b + 1]]` (bit masks) no part has a match in the gap.
    `binding_of[p, q]` finds edges. Conditions are grouped by branch: first those of every part,
    then those of the positive match.
    """

    gap_offsets: Int64s
    gap_parts: Int64s
    binding_of: Int64s
    conditions: PathTables
    branches: int
    parts: int


class EventKeys(NamedTuple):
    """Rank of the order key, clock and partition of every event."""

    rank: Int64s
    clock: Int64s
    partition: Int64s


class Gap(NamedTuple):
    """An open interval of order keys and of times."""

    after_rank: int
    before_rank: int
    after_clock: int
    before_clock: int


class Reach(NamedTuple):
    """How far the negations at the borders of each match look.

    At the start: after a clock; at the end: before a rank and a clock.
    """

    after_clock: Int64s
    before_rank: Int64s
    before_clock: Int64s


@kernel_in_place
def find_smallest_ends(offsets: Int64s, table: Int64s) -> None:
    """Write for every row the smallest end among it and the later starts of its partition."""
    for part in range(offsets.shape[0]):
        for partition in range(offsets.shape[1] - 1):
            rank, clock = np.int64(LAST_MOMENT), np.int64(LAST_MOMENT)
            for row in range(offsets[part, partition + 1] - 1, offsets[part, partition] - 1, -1):
                rank, clock = min(rank, table[row, END_RANK]), min(clock, table[row, END_CLOCK])
                table[row, SMALLEST_END_RANK], table[row, SMALLEST_END_CLOCK] = rank, clock


@inner_in_place
def _first_inside(negatives: NegativeMatches, begin: int, end: int, gap: Gap) -> int:
    """Return the first row that starts inside the gap; starts are sorted."""
    low, high = begin, end
    while low < high:
        middle = (low + high) // 2
        if (
            negatives.table[middle, START_RANK] > gap.after_rank
            and negatives.table[middle, START_CLOCK] > gap.after_clock
        ):
            high = middle
        else:
            low = middle + 1
    return low


@inner_in_place
def _conditions_hold(
    rules: NegationRules,
    group: int,
    path: Path,
    length: int,
    negative: Path,
    negative_length: int,
    mode: int,
    code: PredicateCode,
    columns: ColumnArrays,
    room: Room,
) -> int:
    for clause in range(rules.conditions.offsets[group], rules.conditions.offsets[group + 1]):
        holds = path_clause_holds(
            rules.conditions,
            clause,
            path,
            length,
            negative,
            negative_length,
            mode,
            code,
            columns,
            room.operands,
            room.stack,
            room.scratch,
        )
        if holds != 1:
            return holds
    return 1


@inner_in_place
def _is_clear(
    rules: NegationRules,
    negatives: NegativeMatches,
    part: int,
    partition: int,
    branch: int,
    gap: Gap,
    length: int,
    code: PredicateCode,
    columns: ColumnArrays,
    room: Room,
) -> int:
    """Whether no match of a part lies in the gap: IS_OPEN, IS_BLOCKED or OVERFLOW."""
    end = negatives.offsets[part, partition + 1]
    row = _first_inside(negatives, negatives.offsets[part, partition], end, gap)
    group = branch * (rules.parts + 1) + part
    if rules.conditions.offsets[group] == rules.conditions.offsets[group + 1]:
        if row == end:
            return IS_OPEN
        is_inside = (
            negatives.table[row, SMALLEST_END_RANK] < gap.before_rank
            and negatives.table[row, SMALLEST_END_CLOCK] < gap.before_clock
        )
        return IS_BLOCKED if is_inside else IS_OPEN
    while row < end and negatives.table[row, START_RANK] < gap.before_rank:
        if (
            negatives.table[row, END_RANK] < gap.before_rank
            and negatives.table[row, END_CLOCK] < gap.before_clock
        ):
            first, last = negatives.table[row, EVENT_BEGIN], negatives.table[row, EVENT_END]
            negative = Path(negatives.event[first:last], negatives.position[first:last])
            holds = _conditions_hold(
                rules, group, room.path, length, negative, last - first, WHOLE, code, columns, room
            )
            if holds == OVERFLOW:
                return OVERFLOW
            if holds == 1:
                return IS_BLOCKED
        row += 1
    return IS_OPEN


@inner_in_place
def _binding_is_open(
    rules: NegationRules,
    negatives: NegativeMatches,
    binding: int,
    partition: int,
    branch: int,
    gap: Gap,
    length: int,
    code: PredicateCode,
    columns: ColumnArrays,
    room: Room,
) -> int:
    for choice in range(rules.gap_offsets[binding], rules.gap_offsets[binding + 1]):
        is_open = True
        for part in range(rules.parts):
            if (rules.gap_parts[choice] >> part) & 1 == 0:
                continue
            clear = _is_clear(
                rules, negatives, part, partition, branch, gap, length, code, columns, room
            )
            if clear == OVERFLOW:
                return OVERFLOW
            if clear == IS_BLOCKED:
                is_open = False
                break
        if is_open:
            return IS_OPEN
    return IS_BLOCKED


@inner_in_place
def _stays(
    rules: NegationRules,
    negatives: NegativeMatches,
    keys: EventKeys,
    around: Gap,
    ended: bool,
    branch: int,
    length: int,
    code: PredicateCode,
    columns: ColumnArrays,
    room: Room,
) -> int:
    """Whether a match stays by one branch; it lies in `room.path`. A partial one has no end.

    `around` is what the negations at its borders see.
    """
    path, positions = room.path, rules.binding_of.shape[0]
    group = branch * (rules.parts + 1) + rules.parts
    mode = WHOLE if ended else OPEN
    holds = _conditions_hold(rules, group, path, length, path, 0, mode, code, columns, room)
    if holds != 1:
        return holds
    edges = rules.gap_offsets.size - 1 - 2 * positions
    first, last = path.event[0], path.event[length - 1]
    partition = keys.partition[first]
    for place in range(length + 1 if ended else length):
        if place == 0:
            binding = edges + path.position[0]
            gap = Gap(FIRST_MOMENT, keys.rank[first], around.after_clock, LAST_MOMENT)
        elif place == length:
            binding = edges + positions + path.position[length - 1]
            gap = Gap(keys.rank[last], around.before_rank, FIRST_MOMENT, around.before_clock)
        else:
            binding = rules.binding_of[path.position[place - 1], path.position[place]]
            gap = Gap(
                keys.rank[path.event[place - 1]],
                keys.rank[path.event[place]],
                FIRST_MOMENT,
                LAST_MOMENT,
            )
        is_open = _binding_is_open(
            rules, negatives, binding, partition, branch, gap, length, code, columns, room
        )
        if is_open != IS_OPEN:
            return is_open
    return 1


@kernel
def find_unblocked(
    matches: MatchArrays,
    rules: NegationRules,
    negatives: NegativeMatches,
    keys: EventKeys,
    reach: Reach,
    ended: bool,
    code: PredicateCode,
    columns: ColumnArrays,
    room: Room,
) -> Bytes:
    """Return for every match whether it stays: 1 or 0, or OVERFLOW where a condition left int64."""
    result = np.zeros(matches.offsets.size - 1, np.int8)
    for match in range(result.size):
        begin, end = matches.offsets[match], matches.offsets[match + 1]
        for place in range(end - begin):
            room.path.event[place] = matches.event[begin + place]
            room.path.position[place] = matches.position[begin + place]
        around = Gap(
            FIRST_MOMENT,
            reach.before_rank[match],
            reach.after_clock[match],
            reach.before_clock[match],
        )
        for branch in range(rules.branches):
            stays = _stays(
                rules,
                negatives,
                keys,
                around,
                ended,
                branch,
                end - begin,
                code,
                columns,
                room,
            )
            if stays != 0:
                result[match] = stays
                break
    return result
