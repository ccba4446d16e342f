"""The backtrack algorithm (SASE+ 5.2.3), compiled: one run at a time, the others wait on a stack.

Where the paper's version reads postponed events from a queue and builds matches from the shared
buffer, this one has the partition in an array and the events of its one run in another: it
backtracks by forgetting the end of that array. This can only make it faster.
"""

from __future__ import annotations

import numpy as np

from benchmarks.papers.sase_plus.rules import (
    FIRST_PRICE_DIVISOR,
    P1,
    P2,
    VOLUME_LIMIT,
    Found,
    Partitions,
    Rule,
    compiled,
)

NEVER = 1 << 60
# Columns of a postponed run: where it resumes, how many events it has, its last and lowest price.
RESUME, LENGTH, LAST_PRICE, LOWEST = 0, 1, 2, 3


@compiled
def _takes(predicate, price, last_price, lowest):  # type: ignore[no-untyped-def]
    if predicate == P1:
        return True
    if predicate == P2:
        return price > last_price
    return price > lowest


@compiled
def _room(array, used, more):  # type: ignore[no-untyped-def]
    if used + more <= array.size:
        return array
    larger = np.empty(2 * (used + more), np.int64)
    larger[:used] = array[:used]
    return larger


@compiled
def backtrack(  # noqa: PLR0915
    stream: Partitions, rule: Rule, is_apart: bool, constructs: bool
) -> Found:
    """Search the runs of every start depth first.

    With `is_apart` the matches do not overlap: of those that start before the earliest end, the
    one with this end is kept, and no run is followed beyond the earliest end known.
    """
    offsets, out = np.zeros(1024, np.int64), np.empty(4096, np.int64)
    path, best = np.empty(rule.window, np.int64), np.empty(rule.window, np.int64)
    stack = np.empty((rule.window + 1, 4), np.int64)
    matches, written, again = 0, 0, 0
    for partition in range(stream.offsets.size - 1):
        begin, end = stream.offsets[partition], stream.offsets[partition + 1]
        best_end, best_start, best_length, best_took = NEVER, -1, 0, False
        furthest, start = begin - 1, begin
        while start <= end:
            if is_apart and best_end != NEVER and (start >= best_end or start == end):
                matches += 1
                if constructs:
                    offsets = _room(offsets, matches, 1)
                    out = _room(out, written, best_length)
                    out[written : written + best_length] = best[:best_length]
                    written += best_length
                    offsets[matches] = written
                start, best_end = best_end + 1, NEVER
                continue
            if start == end:
                break
            if stream.price[start] % FIRST_PRICE_DIVISOR != 0:
                start += 1
                continue
            first_price = stream.price[start]
            path[0] = stream.event[start]
            stack[0, RESUME], stack[0, LENGTH] = start + 1, 1
            stack[0, LAST_PRICE], stack[0, LOWEST] = first_price, first_price
            waiting, is_resumed = 1, False
            while waiting > 0:
                waiting -= 1
                at, length = stack[waiting, RESUME], stack[waiting, LENGTH]
                last_price, lowest = stack[waiting, LAST_PRICE], stack[waiting, LOWEST]
                is_in_c, took = False, False
                while at < end and at - start < rule.window:
                    if at > best_end or (at == best_end and start != best_start):
                        break
                    if at <= furthest:
                        again += 1
                    else:
                        furthest = at
                    price = stream.price[at]
                    is_match = False
                    if is_in_c:
                        is_match = price > first_price and price < last_price
                        if not is_match and rule.is_contiguous:
                            break
                    else:
                        takes = _takes(rule.predicate, price, last_price, lowest)
                        goes_on = takes or not rule.is_contiguous
                        if stream.volume[at] < VOLUME_LIMIT and not is_resumed:
                            if goes_on:
                                stack[waiting, RESUME], stack[waiting, LENGTH] = at, length
                                stack[waiting, LAST_PRICE] = last_price
                                stack[waiting, LOWEST] = lowest
                                waiting += 1
                            path[length] = stream.event[at]
                            length += 1
                            took = takes
                            is_in_c = rule.has_third
                            is_match = not rule.has_third
                        elif takes:
                            path[length] = stream.event[at]
                            length += 1
                            last_price, lowest = price, min(lowest, price)
                        elif rule.is_contiguous:
                            break
                        is_resumed = False
                    if is_match:
                        if rule.has_third:
                            path[length] = stream.event[at]
                            length += 1
                        if not is_apart:
                            matches += 1
                            if constructs:
                                offsets = _room(offsets, matches, 1)
                                out = _room(out, written, length)
                                out[written : written + length] = path[:length]
                                written += length
                                offsets[matches] = written
                        elif at < best_end or best_took:
                            best_end, best_start, best_took = at, start, took
                            best_length = length
                            best[:length] = path[:length]
                        break
                    at += 1
                is_resumed = True
            start += 1
    return Found(matches, offsets[: matches + 1 if constructs else 1], out[:written], 0, again, 0)
