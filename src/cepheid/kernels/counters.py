"""Count trends without building them: one number per position (A-Seq's prefix counters).

All events of a step that fire a position add the same number of runs to it, so a step is described
by how many events fire each position. For each position q of a step:
    new[q] = events firing q * (may start at q + sum of runs at the positions before q)
then runs that do not survive are dropped, and the new ones are added. The sums over the old values
come before any change, so concurrent events never follow each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import (
    AutomatonArrays,
    Float64s,
    Int64s,
    Masks,
)
from cepheid.kernels.extended import added, multiplied
from cepheid.kernels.grow import grown
from cepheid.kernels.jit import inner
from cepheid.kernels.step import survives


class Counters(NamedTuple):
    """State vectors, one row each: the runs at every position, then the finished total."""

    mantissa: Float64s
    tier: Int64s
    low: Int64s


class CountRows(NamedTuple):
    """Counts with the partition (or group) and the window (or last step) they belong to."""

    owner: Int64s
    window: Int64s
    mantissa: Float64s
    tier: Int64s
    low: Int64s


@inner
def make_counters(rows: int, positions: int) -> Counters:
    """Return state vectors with no runs."""
    return Counters(
        np.zeros((rows, positions + 1)),
        np.zeros((rows, positions + 1), np.int64),
        np.zeros((rows, positions + 1), np.int64),
    )


@inner
def clear_slots(counters: Counters, row: int, begin: int, end: int) -> None:
    """Set some slots of one state vector to zero."""
    for slot in range(begin, end):
        counters.mantissa[row, slot] = 0.0
        counters.tier[row, slot] = 0
        counters.low[row, slot] = 0


@inner
def count_fired(fires: Masks, begin: int, end: int, times: Int64s) -> None:
    """Write how many events of the step fire each position."""
    for position in range(times.size):
        bit = np.uint64(1) << np.uint64(position)
        count = 0
        for event in range(begin, end):
            if fires[event] & bit:
                count += 1
        times[position] = count


@inner
def advance(
    counters: Counters,
    row: int,
    automaton: AutomatonArrays,
    fired: np.uint64,
    times: Int64s,
    starts: bool,
    fresh: Counters,
) -> None:
    """Apply one step to one state vector; O(edges into the fired positions)."""
    positions = automaton.follow.size
    for position in range(positions):
        if times[position] == 0:
            continue
        bit = np.uint64(1) << np.uint64(position)
        begins = starts and (automaton.first & bit) != 0
        mantissa, tier, low = (1.0, 0, 1) if begins else (0.0, 0, 0)
        for edge in range(
            automaton.source_offsets[position], automaton.source_offsets[position + 1]
        ):
            source = automaton.sources[edge]
            mantissa, tier = added(
                mantissa, tier, counters.mantissa[row, source], counters.tier[row, source]
            )
            low += counters.low[row, source]
        mantissa, tier = multiplied(mantissa, tier, float(times[position]))
        fresh.mantissa[0, position] = mantissa
        fresh.tier[0, position] = tier
        fresh.low[0, position] = low * times[position]
    for position in range(positions):
        if not survives(automaton, position, fired):
            clear_slots(counters, row, position, position + 1)
    for position in range(positions):
        if times[position] == 0 or fresh.mantissa[0, position] == 0.0:
            continue
        _add(counters, row, position, fresh, position)
        if automaton.last & (np.uint64(1) << np.uint64(position)):
            _add(counters, row, positions, fresh, position)


@inner
def _add(counters: Counters, row: int, slot: int, fresh: Counters, position: int) -> None:
    counters.mantissa[row, slot], counters.tier[row, slot] = added(
        counters.mantissa[row, slot],
        counters.tier[row, slot],
        fresh.mantissa[0, position],
        fresh.tier[0, position],
    )
    counters.low[row, slot] += fresh.low[0, position]


class RowBuffer(NamedTuple):
    """Growing output; kept as one tuple so that kernels can hand it on."""

    rows: CountRows
    size: int


@inner
def append_row(buffer: RowBuffer, owner: int, window: int, source: Counters, row: int) -> RowBuffer:
    """Add one row with the finished total of a state vector."""
    rows, size = buffer
    if size == rows.owner.size:
        more = 2 * size + 16
        rows = CountRows(
            grown(rows.owner, more),
            grown(rows.window, more),
            grown(rows.mantissa, more),
            grown(rows.tier, more),
            grown(rows.low, more),
        )
    slot = source.mantissa.shape[1] - 1
    rows.owner[size] = owner
    rows.window[size] = window
    rows.mantissa[size] = source.mantissa[row, slot]
    rows.tier[size] = source.tier[row, slot]
    rows.low[size] = source.low[row, slot]
    return RowBuffer(rows, size + 1)


@inner
def empty_buffer() -> RowBuffer:
    """Return a buffer without rows."""
    none = np.empty(0, np.int64)
    return RowBuffer(CountRows(none, none, np.empty(0), none, none), 0)


@inner
def finished_rows(buffer: RowBuffer) -> CountRows:
    """Return the rows written so far."""
    rows, size = buffer
    return CountRows(
        rows.owner[:size],
        rows.window[:size],
        rows.mantissa[:size],
        rows.tier[:size],
        rows.low[:size],
    )
