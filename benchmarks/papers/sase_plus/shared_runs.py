"""The basic algorithm and the merging of equivalent runs (SASE+ 5.1, 5.2), compiled.

| paper | here |
|---|---|
| shared versioned match buffer | `Buffer`: an entry per event and stack, pointers with versions |
| version number, a Dewey number id1.id2.id3 | FIRST_ID, SECOND_ID, THIRD_ID (NONE where shorter) |
| computation state of a run, vector V | a row of `runs` |
| proceed edges that peek at the event (step 6) | a run is cloned only if the event fits b |

Every partition is read from beginning to end before the next: a run only reads events of its own
partition. Old entries are not pruned from the buffer, which saves the baselines work.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.papers.sase_plus.rules import (
    FIRST_PRICE_DIVISOR,
    P1,
    P2,
    VOLUME_LIMIT,
    Found,
    Int64s,
    Partitions,
    Rule,
    compiled,
)

NONE = -1
# Columns of an entry and of a pointer of the buffer.
ENTRY_EVENT, FIRST_POINTER = 0, 1
NEXT, TARGET, FIRST_ID, SECOND_ID, THIRD_ID = 0, 1, 2, 3, 4
# Columns of a run. SPLIT is where it left a[], TOOK whether its ancestor took that event.
RUN_ID, SPLITS, LAST, START, LAST_PRICE, LOWEST, FIRST_PRICE, IS_IN_C, SPLIT, TOOK = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
)  # fmt: skip
# A combined run has these instead of what only the starred queries need.
MEMBERS, PENDING = 6, 7
RUN_FIELDS = 10
# Columns of a member of a combined run, and of a pointer that its next event has to write.
MEMBER_NEXT, MEMBER_ID, MEMBER_SPLITS, MEMBER_START = 0, 1, 2, 3
PENDING_NEXT, PENDING_ID, PENDING_SPLITS, PENDING_LAST = 0, 1, 2, 3


class Buffer(NamedTuple):
    """`counts` are the entries and the pointers in use."""

    entries: Int64s
    pointers: Int64s
    counts: Int64s


class Output(NamedTuple):
    """Matches so far; `counts` are the matches and the events written."""

    offsets: Int64s
    event: Int64s
    path: Int64s
    counts: Int64s


@compiled
def _grown(array, size):  # type: ignore[no-untyped-def]
    larger = np.empty((size, array.shape[1]), array.dtype)
    larger[: array.shape[0]] = array
    return larger


@compiled
def _with_room(buffer, entries, pointers):  # type: ignore[no-untyped-def]
    """Return a buffer with room for that many more."""
    rows, links = buffer.entries, buffer.pointers
    if buffer.counts[0] + entries > rows.shape[0]:
        rows = _grown(rows, 2 * (rows.shape[0] + entries))
    if buffer.counts[1] + pointers > links.shape[0]:
        links = _grown(links, 2 * (links.shape[0] + pointers))
    return Buffer(rows, links, buffer.counts)


@compiled
def _new_buffer():  # type: ignore[no-untyped-def]
    return Buffer(
        np.empty((1024, 2), np.int64), np.empty((1024, 5), np.int64), np.zeros(2, np.int64)
    )


@compiled
def _new_output(longest):  # type: ignore[no-untyped-def]
    return Output(
        np.zeros(1024, np.int64),
        np.empty(4096, np.int64),
        np.empty(longest, np.int64),
        np.zeros(2, np.int64),
    )


@compiled
def _add_entry(buffer, event):  # type: ignore[no-untyped-def]
    entry = buffer.counts[0]
    buffer.entries[entry, ENTRY_EVENT], buffer.entries[entry, FIRST_POINTER] = event, NONE
    buffer.counts[0] += 1
    return entry


@compiled
def _add_pointer(buffer, entry, target, first, second, third):  # type: ignore[no-untyped-def]
    pointer = buffer.counts[1]
    row = buffer.pointers[pointer]
    row[NEXT], row[TARGET] = buffer.entries[entry, FIRST_POINTER], target
    row[FIRST_ID], row[SECOND_ID], row[THIRD_ID] = first, second, third
    buffer.entries[entry, FIRST_POINTER] = pointer
    buffer.counts[1] += 1


@compiled
def _follow(buffer, entry, first, second, absorbed_by):  # type: ignore[no-untyped-def]
    """Return the predecessor of an entry in the view of one version, NONE at the first event.

    A merged run has its own pointers until it was merged, from then on those of the run that
    `absorbed_by` names: the nearest one counts.
    """
    pointer, best, distance = buffer.entries[entry, FIRST_POINTER], NONE, 1 << 60
    while pointer != NONE:
        row = buffer.pointers[pointer]
        owner, steps = first, 0
        while owner != NONE and owner != row[FIRST_ID]:
            owner = absorbed_by[owner] if owner < absorbed_by.size else NONE
            steps += 1
        if owner != NONE and steps < distance:
            is_exact = row[SECOND_ID] == second
            if steps > 0 or is_exact or (row[THIRD_ID] == NONE and row[SECOND_ID] < second):
                best, distance = row[TARGET], steps
        pointer = row[NEXT]
    return best


@compiled
def _emit(output, buffer, entry, first, second, absorbed_by):  # type: ignore[no-untyped-def]
    """Write the match that a version ends with an entry; return the output, maybe larger."""
    length, at = 0, entry
    while at != NONE:
        output.path[length] = buffer.entries[at, ENTRY_EVENT]
        length += 1
        at = _follow(buffer, at, first, second, absorbed_by)
    offsets, event = output.offsets, output.event
    matches, written = output.counts[0], output.counts[1]
    if matches + 2 > offsets.size:
        larger = np.empty(2 * offsets.size, np.int64)
        larger[: offsets.size] = offsets
        offsets = larger
    if written + length > event.size:
        larger = np.empty(2 * (written + length), np.int64)
        larger[:written] = event[:written]
        event = larger
    for place in range(length):
        event[written + place] = output.path[length - 1 - place]
    output.counts[0], output.counts[1] = matches + 1, written + length
    offsets[matches + 1] = written + length
    return Output(offsets, event, output.path, output.counts)


@compiled
def _takes(run, predicate, price):  # type: ignore[no-untyped-def]
    if predicate == P1:
        return True
    if predicate == P2:
        return price > run[LAST_PRICE]
    return price > run[LOWEST]


@compiled
def _comes_first(run, other):  # type: ignore[no-untyped-def]
    """Whether the match of one run is preferred to another with the same last event."""
    if run[START] != other[START]:
        return run[START] < other[START]
    if run[SPLIT] < other[SPLIT]:
        return run[TOOK] == 0
    return other[TOOK] != 0


@compiled
def _begin(run, identifier, entry, at, price):  # type: ignore[no-untyped-def]
    run[:] = 0
    run[RUN_ID], run[LAST], run[START] = identifier, entry, at
    run[LAST_PRICE], run[LOWEST] = price, price


@compiled
def basic(  # noqa: PLR0915
    stream: Partitions, rule: Rule, is_apart: bool, constructs: bool, writes_buffer: bool
) -> Found:
    """Move all runs one by one with every event; `is_apart` asks for non-overlapping matches."""
    buffer, output = _new_buffer(), _new_output(rule.window)
    absorbed_by = np.empty(0, np.int64)
    runs, chosen = np.empty((64, RUN_FIELDS), np.int64), np.empty(RUN_FIELDS, np.int64)
    started, matches, run_steps = 0, 0, 0
    for partition in range(stream.offsets.size - 1):
        live = 0
        for at in range(stream.offsets[partition], stream.offsets[partition + 1]):
            if 2 * live + 2 > runs.shape[0]:
                runs = _grown(runs, 4 * live + 4)
            buffer = _with_room(buffer, 4, 2 * live + 2)
            event, price = stream.event[at], stream.price[at]
            fits_b = stream.volume[at] < VOLUME_LIMIT
            survivors, clones = 0, 0
            in_a, in_b, in_c, is_chosen = NONE, NONE, NONE, False
            for index in range(live):
                run = runs[index]
                if at - run[START] >= rule.window:
                    continue
                if run[IS_IN_C]:
                    if price > run[FIRST_PRICE] and price < run[LAST_PRICE]:
                        if writes_buffer:
                            if in_c == NONE:
                                in_c = _add_entry(buffer, event)
                            _add_pointer(buffer, in_c, run[LAST], run[RUN_ID], run[SPLITS], 0)
                        if not is_apart:
                            matches += 1
                            if constructs:
                                output = _emit(
                                    output, buffer, in_c, run[RUN_ID], run[SPLITS], absorbed_by
                                )
                        elif not is_chosen or _comes_first(run, chosen):
                            is_chosen = True
                            chosen[:] = run
                        continue
                    if rule.is_contiguous:
                        continue
                else:
                    takes = _takes(run, rule.predicate, price)
                    if fits_b:
                        if writes_buffer:
                            if in_b == NONE:
                                in_b = _add_entry(buffer, event)
                            _add_pointer(buffer, in_b, run[LAST], run[RUN_ID], run[SPLITS], 0)
                        if rule.has_third:
                            clone = runs[live + clones]
                            clone[:] = run
                            clone[LAST], clone[IS_IN_C] = in_b, 1
                            clone[SPLIT], clone[TOOK] = at, takes
                            clones += 1
                        elif not is_apart:
                            matches += 1
                            if constructs:
                                output = _emit(
                                    output, buffer, in_b, run[RUN_ID], run[SPLITS], absorbed_by
                                )
                        elif not is_chosen or _comes_first(run, chosen):
                            is_chosen = True
                            chosen[:] = run
                        run[SPLITS] += 1
                    if takes:
                        if writes_buffer:
                            if in_a == NONE:
                                in_a = _add_entry(buffer, event)
                            _add_pointer(buffer, in_a, run[LAST], run[RUN_ID], run[SPLITS], NONE)
                        run[LAST], run[LAST_PRICE] = in_a, price
                        run[LOWEST] = min(run[LOWEST], price)
                    elif rule.is_contiguous:
                        continue
                if survivors != index:
                    runs[survivors] = run
                survivors += 1
            if is_chosen:
                matches += 1
                if constructs:
                    last = in_c if rule.has_third else in_b
                    output = _emit(
                        output, buffer, last, chosen[RUN_ID], chosen[SPLITS], absorbed_by
                    )
                live = 0
                continue
            for clone in range(clones):
                runs[survivors] = runs[live + clone]
                survivors += 1
            if price % FIRST_PRICE_DIVISOR == 0:
                entry = _add_entry(buffer, event) if writes_buffer else NONE
                _begin(runs[survivors], started, entry, at, price)
                runs[survivors, FIRST_PRICE] = price
                started += 1
                survivors += 1
            live = survivors
            run_steps += live
    return Found(
        matches,
        output.offsets[: output.counts[0] + 1],
        output.event[: output.counts[1]],
        run_steps,
        0,
        buffer.counts[1],
    )


@compiled
def _are_equivalent(run, other, predicate):  # type: ignore[no-untyped-def]
    """Whether two runs at a[i] agree in all that later edges read."""
    if predicate == P1:
        return True
    if predicate == P2:
        return run[LAST_PRICE] == other[LAST_PRICE]
    return run[LOWEST] == other[LOWEST]


@compiled
def _absorb(run, other, members, pending, free):  # type: ignore[no-untyped-def]
    """Make `other` part of `run`: its members, and where its own pointers end; return `free`."""
    member = other[MEMBERS]
    while members[member, MEMBER_NEXT] != NONE:
        member = members[member, MEMBER_NEXT]
    members[member, MEMBER_NEXT] = run[MEMBERS]
    run[MEMBERS] = other[MEMBERS]
    row = pending[free]
    row[PENDING_ID], row[PENDING_SPLITS] = other[RUN_ID], other[SPLITS]
    row[PENDING_LAST], row[PENDING_NEXT] = other[LAST], other[PENDING]
    last = free
    while pending[last, PENDING_NEXT] != NONE:
        last = pending[last, PENDING_NEXT]
    pending[last, PENDING_NEXT] = run[PENDING]
    run[PENDING] = free
    run[START] = max(run[START], other[START])
    return free + 1


@compiled
def _add_pointers(buffer, entry, run, pending, third):  # type: ignore[no-untyped-def]
    """Write the pointers of a combined run; those of runs merged since its last event too."""
    _add_pointer(buffer, entry, run[LAST], run[RUN_ID], run[SPLITS], third)
    waiting = run[PENDING]
    while waiting != NONE:
        row = pending[waiting]
        _add_pointer(buffer, entry, row[PENDING_LAST], row[PENDING_ID], row[PENDING_SPLITS], third)
        waiting = row[PENDING_NEXT]


@compiled
def merging(  # noqa: PLR0915
    stream: Partitions, rule: Rule, constructs: bool, writes_buffer: bool
) -> Found:
    """Move combined runs: runs that are equal in all that later edges read go on as one.

    `run_steps` counts combined runs. A combined run lives as long as its youngest member; matches
    are made for the members that have not expired. There is no third component.
    """
    buffer, output = _new_buffer(), _new_output(rule.window)
    runs = np.empty((64, RUN_FIELDS), np.int64)
    members, pending = np.empty((64, 4), np.int64), np.empty((64, 4), np.int64)
    absorbed_by = np.full(64, NONE, np.int64)
    started, waiting, matches, run_steps = 0, 0, 0, 0
    for partition in range(stream.offsets.size - 1):
        live = 0
        for at in range(stream.offsets[partition], stream.offsets[partition + 1]):
            if live + 1 > runs.shape[0]:
                runs = _grown(runs, 2 * live + 2)
            if started + 1 > members.shape[0]:
                members, pending = _grown(members, 2 * started), _grown(pending, 2 * started)
                larger = np.full(2 * started, NONE, np.int64)
                larger[:started] = absorbed_by
                absorbed_by = larger
            # Every run that was ever merged writes at most two pointers, the others one more each.
            buffer = _with_room(buffer, 3, 2 * live + 2 * started + 2)
            event, price = stream.event[at], stream.price[at]
            fits_b = stream.volume[at] < VOLUME_LIMIT
            survivors, in_a, in_b = 0, NONE, NONE
            for index in range(live):
                run = runs[index]
                if at - run[START] >= rule.window:
                    continue
                takes = _takes(run, rule.predicate, price)
                if fits_b:
                    if writes_buffer:
                        if in_b == NONE:
                            in_b = _add_entry(buffer, event)
                        _add_pointers(buffer, in_b, run, pending, 0)
                    before, member = NONE, run[MEMBERS]
                    while member != NONE:
                        row = members[member]
                        member = row[MEMBER_NEXT]
                        if at - row[MEMBER_START] >= rule.window:
                            if before == NONE:
                                run[MEMBERS] = member
                            else:
                                members[before, MEMBER_NEXT] = member
                            continue
                        before = row[MEMBER_ID]
                        matches += 1
                        if constructs:
                            second = row[MEMBER_SPLITS]
                            if before == run[RUN_ID]:
                                second = run[SPLITS]
                            output = _emit(output, buffer, in_b, before, second, absorbed_by)
                    run[SPLITS] += 1
                if takes:
                    if writes_buffer:
                        if in_a == NONE:
                            in_a = _add_entry(buffer, event)
                        _add_pointers(buffer, in_a, run, pending, NONE)
                    run[LAST], run[LAST_PRICE], run[PENDING] = in_a, price, NONE
                    run[LOWEST] = min(run[LOWEST], price)
                elif rule.is_contiguous:
                    continue
                if survivors != index:
                    runs[survivors] = run
                survivors += 1
            if price % FIRST_PRICE_DIVISOR == 0:
                entry = _add_entry(buffer, event) if writes_buffer else NONE
                _begin(runs[survivors], started, entry, at, price)
                runs[survivors, MEMBERS], runs[survivors, PENDING] = started, NONE
                row = members[started]
                row[MEMBER_NEXT], row[MEMBER_ID] = NONE, started
                row[MEMBER_SPLITS], row[MEMBER_START] = 0, at
                started += 1
                survivors += 1
            live = 0
            for index in range(survivors):
                run, is_merged = runs[index], False
                for other in range(live):
                    if _are_equivalent(runs[other], run, rule.predicate):
                        for_later = run[RUN_ID]
                        members[for_later, MEMBER_SPLITS] = run[SPLITS]
                        waiting = _absorb(runs[other], run, members, pending, waiting)
                        absorbed_by[for_later] = runs[other, RUN_ID]
                        is_merged = True
                        break
                if not is_merged:
                    if live != index:
                        runs[live] = run
                    live += 1
            run_steps += live
    return Found(
        matches,
        output.offsets[: output.counts[0] + 1],
        output.event[: output.counts[1]],
        run_steps,
        0,
        buffer.counts[1],
    )
