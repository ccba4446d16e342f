"""Event-, type- and pattern-grained aggregation (COGRA, sections 4, 6 and 8.2).

All keep the numbers of trends that later events may extend. The event-grained one keeps one per
matched event and stores all matched events, as COGRA's figures 9 and 11 have it; the type-grained
one keeps one per event type, which is COGRA itself where no predicate reads adjacent events. For
both skip-till-next is definition 2.6: an event takes every run that it fits. The pattern-grained
one is COGRA's algorithm 3, which keeps the last matched event alone and counts something else.
"""

from __future__ import annotations

import numpy as np

from benchmarks.papers.baselines.compiled import Ints, compiled
from benchmarks.papers.baselines.trend_slices import END, KLEENE, START, Bits, Floats

ANY, NEXT, CONTIGUOUS = 0, 1, 2


@compiled
def type_grained(fires: Bits, offsets: Ints, bounded: bool, strategy: int) -> Floats:
    """Return the number of trends of every slice; O(1) per event."""
    totals = np.zeros(offsets.size - 1, np.float64)
    for index in range(totals.size):
        started = kept = total = 0.0
        for event in range(offsets[index], offsets[index + 1]):
            fired = fires[event]
            taken = 0.0
            if fired & KLEENE:
                taken = started + kept if bounded else kept + 1.0
            if bounded and fired & END:
                total += kept
            elif not bounded:
                total += taken
            if strategy == CONTIGUOUS:
                started = kept = 0.0
            elif strategy == NEXT:
                if fired & KLEENE:
                    started = 0.0
                if fired & KLEENE or (bounded and fired & END):
                    kept = 0.0
            if bounded and fired & START:
                started += 1.0
            kept += taken
        totals[index] = total
    return totals


@compiled
def event_grained(
    fires: Bits, offsets: Ints, bounded: bool, contiguous: bool
) -> tuple[Floats, int]:
    """Return the number of trends of every slice under skip-till-next or contiguity.

    And how many matched events were stored. An event scans those that are not taken yet: O(1)
    amortised.
    """
    totals = np.zeros(offsets.size - 1, np.float64)
    started, kept = np.empty(fires.size, np.float64), np.empty(fires.size, np.float64)
    event_of = np.empty(fires.size, np.int64)
    stored = 0
    for index in range(totals.size):
        first_start = first_kept = stored
        total = 0.0
        for event in range(offsets[index], offsets[index + 1]):
            fired = fires[event]
            taken = 0.0
            if fired & KLEENE:
                taken = 0.0 if bounded else 1.0
                for vertex in range(first_start, stored):
                    taken += started[vertex]
                for vertex in range(first_kept, stored):
                    taken += kept[vertex]
            if bounded and fired & END:
                for vertex in range(first_kept, stored):
                    total += kept[vertex]
            elif not bounded:
                total += taken
            if fired & KLEENE or contiguous:
                first_start = stored
            if fired & KLEENE or (bounded and fired & END) or contiguous:
                first_kept = stored
            if fired:
                started[stored] = 1.0 if bounded and fired & START else 0.0
                kept[stored] = taken
                event_of[stored] = event
                stored += 1
        totals[index] = total
    return totals, stored


@compiled
def pattern_grained(fires: Bits, offsets: Ints, bounded: bool, contiguous: bool) -> Floats:
    """Return the number of trends of every slice by COGRA's algorithm 3; O(1) per event.

    It keeps the last matched event alone, as the only one that an event can follow (theorem 6.1).
    Under contiguity that is definition 2.8; under skip-till-next it is not definition 2.6: of
    `SEQ(S, A+, F)` on s1 s2 a3 f4 it finds one trend, and there are two. An event fits one of S, A
    and F only.
    """
    totals = np.zeros(offsets.size - 1, np.float64)
    for index in range(totals.size):
        last, last_count, final = 0, 0.0, 0.0
        for event in range(offsets[index], offsets[index + 1]):
            fired = fires[event]
            is_start = fired == (START if bounded else KLEENE)
            is_adjacent = (fired == KLEENE and (last == KLEENE or (bounded and last == START))) or (
                bounded and fired == END and last == KLEENE
            )
            if is_start or is_adjacent:
                count = 1.0 if is_start else 0.0
                if is_adjacent:
                    count += last_count
                if fired == (END if bounded else KLEENE):
                    final += count
                last, last_count = fired, count
            elif contiguous:
                last, last_count = 0, 0.0
        totals[index] = final
    return totals
