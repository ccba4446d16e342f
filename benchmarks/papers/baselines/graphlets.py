"""HAMLET as published: graphlets, snapshots, and a decision for every burst (sections 3.3 and 4).

| paper | here |
|---|---|
| burst (definition 4.1), graphlet (3.6) | events T until one of another type of the queries |
| snapshot x at graphlet level (3.9) | row 0 of `snapshots`: by query, what is before a graphlet |
| snapshot z at event level (3.11) | a further row, for an event that not all who share take |
| hash table of snapshot coefficients of an event | a row of `coefficients` |
| Eq. 2 | an event scans the events of its graphlet; what was before is a snapshot |
| benefit (Eq. 7), choice of queries (4.3) | `decide`, once for every burst |

A slice is one pane of one partition, see trend_slices.py. Query q is `SEQ(X, T+, Y)` with X of type
`starts[q]`, Y of type `ends[q]`; it takes the events T whose value is above `limits[kinds[q]]`, and
asks for SUM(T.value). So what is propagated is a pair, count and sum; a sum is put together from
counts and sums of snapshots. Queries of one kind have the same predicate, and share or not
together. A graphlet that is complete
is collapsed into its sum, as the paper does when it splits one; so a query that does not share
scans the events of its own graphlet only, which is less than Eq. 4 says.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from benchmarks.papers.baselines.compiled import Ints, compiled
from benchmarks.papers.baselines.trend_slices import Floats

DYNAMIC, ALWAYS, NEVER = 0, 1, 2
TAKES_NONE, ALONE, SHARED = 0, 1, 2
COUNT, SUM = 0, 1
TYPES_OF_PATTERN = 3
Roles = npt.NDArray[np.int8]


@compiled
def graphlets(
    code: Ints,
    value: Floats,
    offsets: Ints,
    kleene: int,
    starts: Ints,
    ends: Ints,
    kinds: Ints,
    limits: Floats,
    types: int,
    policy: int,
) -> tuple[Floats, Ints]:
    """Return the sums by slice and query, and how many bursts were shared and not."""
    slices, queries = offsets.size - 1, starts.size
    totals, decisions = np.zeros((slices, queries), np.float64), np.zeros(2, np.int64)
    longest = 1
    for index in range(slices):
        longest = max(longest, offsets[index + 1] - offsets[index])
    is_used = np.zeros(types, np.bool_)
    is_used[starts] = True
    is_used[ends] = True
    burst = np.empty(longest, np.float64)
    coefficients = np.empty((2, longest, longest + 1), np.float64)
    snapshots = np.empty((2, longest + 1, queries), np.float64)
    seen, before = np.empty(types, np.float64), np.empty((2, queries), np.float64)
    roles, sizes = np.empty(limits.size, np.int8), np.bincount(kinds, minlength=limits.size)
    for index in range(slices):
        seen[:] = 0.0
        before[:] = 0.0
        size = events = 0
        for event in range(offsets[index], offsets[index + 1]):
            own = code[event]
            if own == kleene:
                burst[size] = value[event]
                size += 1
                continue
            if not is_used[own]:
                continue
            if size:
                events += size
                decide(burst[:size], sizes, limits, events, policy, roles)
                decisions[0 if np.any(roles == SHARED) else 1] += 1
                for query in range(queries):
                    snapshots[COUNT, 0, query] = seen[starts[query]] + before[COUNT, query]
                    snapshots[SUM, 0, query] = before[SUM, query]
                take_together(burst[:size], kinds, limits, roles, coefficients, snapshots, before)
                take_alone(
                    burst[:size], kinds, limits, roles, coefficients[:, 0], snapshots, before
                )
                size = 0
            events += 1
            seen[own] += 1.0
            for query in range(queries):
                if ends[query] == own:
                    totals[index, query] += before[SUM, query]
        # Trends end with an event Y, so that a burst at the end of a slice belongs to none.
    return totals, decisions


@compiled
def decide(
    burst: Floats, sizes: Ints, limits: Floats, events: int, policy: int, roles: Roles
) -> None:
    """Say which kinds of queries share a burst: the plans of levels 1 and 2, or not to share."""
    for kind in range(limits.size):
        roles[kind] = TAKES_NONE
        if burst.max() > limits[kind]:
            roles[kind] = ALONE if policy == NEVER else SHARED
    if policy != DYNAMIC:
        return
    everybody = cost(burst, sizes, limits, events, roles)
    is_left_out = np.zeros(limits.size, np.bool_)
    for kind in range(limits.size):
        if roles[kind] == SHARED and burst.min() <= limits[kind]:
            roles[kind] = ALONE
            is_left_out[kind] = cost(burst, sizes, limits, events, roles) < everybody
            roles[kind] = SHARED
    for kind in range(limits.size):
        if is_left_out[kind]:
            roles[kind] = ALONE
    chosen = cost(burst, sizes, limits, events, roles)
    nobody = np.minimum(roles, ALONE).astype(np.int8)
    if chosen >= cost(burst, sizes, limits, events, nobody):
        roles[:] = nobody


@compiled
def cost(burst: Floats, sizes: Ints, limits: Floats, events: int, roles: Roles) -> float:
    """Return what a plan costs by Eq. 7: those who share, and those who do not."""
    alone = sharing = 0
    for kind in range(limits.size):
        if roles[kind] == ALONE:
            alone += sizes[kind]
        elif roles[kind] == SHARED:
            sharing += sizes[kind]
    total = float(alone * burst.size * events)
    if sharing:
        lowest, highest = bounds(limits, roles)
        snapshots = 1
        for each in burst:
            snapshots += lowest < each <= highest
        total += burst.size * events * snapshots
        total += snapshots * sharing * burst.size * TYPES_OF_PATTERN
    return total


@compiled
def bounds(limits: Floats, roles: Roles) -> tuple[float, float]:
    """Return the lowest and the highest limit of those who share."""
    lowest, highest = np.inf, -np.inf
    for kind in range(limits.size):
        if roles[kind] == SHARED:
            lowest, highest = min(lowest, limits[kind]), max(highest, limits[kind])
    return lowest, highest


@compiled
def take_together(
    burst: Floats,
    kinds: Ints,
    limits: Floats,
    roles: Roles,
    coefficients: Floats,
    snapshots: Floats,
    before: Floats,
) -> None:
    """Propagate snapshots through a graphlet, and add its sum to what its queries have."""
    lowest, highest = bounds(limits, roles)
    size, used = 0, 1
    for each in burst:
        if each <= lowest:
            continue
        coefficients[:, size, :used] = 0.0
        if each > highest:
            coefficients[COUNT, size, 0] = 1.0
            for earlier in range(size):
                for snapshot in range(used):
                    for part in (COUNT, SUM):
                        term = coefficients[part, earlier, snapshot]
                        coefficients[part, size, snapshot] += term
            for snapshot in range(used):
                coefficients[SUM, size, snapshot] += each * coefficients[COUNT, size, snapshot]
        else:
            for query in range(kinds.size):
                snapshots[:, used, query] = 0.0
                if roles[kinds[query]] == SHARED and each > limits[kinds[query]]:
                    count, total = plugged_in(coefficients, snapshots, size, used, query)
                    count += snapshots[COUNT, 0, query]
                    total += snapshots[SUM, 0, query] + each * count
                    snapshots[COUNT, used, query] = count
                    snapshots[SUM, used, query] = total
            coefficients[:, : size + 1, used] = 0.0
            coefficients[COUNT, size, used] = 1.0
            used += 1
        size += 1
    for query in range(kinds.size):
        if roles[kinds[query]] == SHARED:
            count, total = plugged_in(coefficients, snapshots, size, used, query)
            before[COUNT, query] += count
            before[SUM, query] += total


@compiled
def plugged_in(
    coefficients: Floats, snapshots: Floats, size: int, used: int, query: int
) -> tuple[float, float]:
    """Return count and sum of the trends of a query that end at the first events of a graphlet."""
    count = total = 0.0
    for event in range(size):
        for snapshot in range(used):
            times = coefficients[COUNT, event, snapshot]
            count += times * snapshots[COUNT, snapshot, query]
            total += times * snapshots[SUM, snapshot, query]
            total += coefficients[SUM, event, snapshot] * snapshots[COUNT, snapshot, query]
    return count, total


@compiled
def take_alone(
    burst: Floats,
    kinds: Ints,
    limits: Floats,
    roles: Roles,
    room: Floats,
    snapshots: Floats,
    before: Floats,
) -> None:
    """Count the trends of queries that do not share a burst, one query after the other."""
    for query in range(kinds.size):
        if roles[kinds[query]] != ALONE:
            continue
        size = 0
        for each in burst:
            if each > limits[kinds[query]]:
                count, total = snapshots[COUNT, 0, query], snapshots[SUM, 0, query]
                for earlier in range(size):
                    count += room[COUNT, earlier]
                    total += room[SUM, earlier]
                room[COUNT, size], room[SUM, size] = count, total + each * count
                size += 1
        for event in range(size):
            before[COUNT, query] += room[COUNT, event]
            before[SUM, query] += room[SUM, event]
