"""When a stream has something to report although no event arrives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.ticks import LARGEST, later, to_ticks
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.position_masks import position_masks
from cepheid.program.program import Clock, Program
from cepheid.program.when_final import WhenFinal, when_final
from cepheid.stream.stored_chunk import StoredChunk

Settled = Sequence[tuple[StoredChunk, int, int]]
FEW_ROWS = 256


def closes_later(program: Program) -> bool:
    """Whether time alone can make results final."""
    if program.clock is not Clock.TIME or program.window_length is None:
        return False
    if isinstance(program.output, AggregateOutput):
        return program.slide is not None or program.output.shows_expiry
    return when_final(program) is not WhenFinal.LAST_EVENT


def next_closing(program: Program, events: pa.Table, horizon: int) -> int | None:
    """Return the first tick at which settled events may make something final, None if none can."""
    if not closes_later(program) or not events.num_rows:
        return None
    ticks, window = to_ticks(events[program.time], program.time), program.window_length or 0
    if program.slide is not None:
        return next_window_end(program, int(ticks.max()), horizon)
    is_expiry = isinstance(program.output, AggregateOutput)
    if not is_expiry and when_final(program) is WhenFinal.WINDOW:
        ends = ticks[fits_border(program, events, at_end=True)]
        last = later(ends // window * window, window) - 1
        return int(last[last >= horizon].min(initial=LARGEST)) if (last >= horizon).any() else None
    at_end = not is_expiry and when_final(program) is WhenFinal.LAST_SPAN
    last = later(ticks[fits_border(program, events, at_end=at_end)], window) - (not is_expiry)
    last = last[last >= horizon]
    return int(last.min()) if last.size else None


def first_closing(
    program: Program, settled: Settled, unite: Callable[[list[pa.Table]], pa.Table], horizon: int
) -> int | None:
    """Return the same for events in chunks; of these it reads as few as it can."""
    if not closes_later(program):
        return None
    window = program.window_length or 0
    if program.slide is not None:
        lasts = [int(chunk.ticks[high - 1]) if high < chunk.span.rows else chunk.latest
                 for chunk, _, high in settled]  # fmt: skip
        return next_window_end(program, max(lasts), horizon) if lasts else None
    best: int | None = None
    for chunk, low, high in settled:
        place, size = max(low, chunk.place(horizon - window)), FEW_ROWS
        while place < high and (best is None or int(chunk.ticks[place]) + window <= best):
            events = unite([chunk.table.slice(place, min(size, high - place))])
            found = next_closing(program, events, horizon)
            if found is not None:
                best = found if best is None else min(best, found)
                break
            place, size = place + size, 2 * size
    return best


def next_window_end(program: Program, latest: int, horizon: int) -> int | None:
    """Return the last tick of the first open window, if an event up to `latest` can be in it."""
    window, slide = program.window_length or 0, program.slide or 1
    end = ((horizon - window) // slide + 1) * slide + window
    return end - 1 if end <= latest + window else None


def fits_border(program: Program, events: pa.Table, *, at_end: bool) -> NDArray[np.bool_]:
    """Return which events fit a position where a match begins, or ends."""
    columns = dict(zip(events.column_names, events.columns, strict=True))
    masks = position_masks(program, columns, events.num_rows)
    fits = np.zeros(events.num_rows, np.bool_)
    place = 0
    side: Program | None = program
    while side is not None:
        border = side.automaton.last if at_end else side.automaton.first
        fits |= (masks[place] & np.uint64(border)) != 0
        place += 1 + len(side.negative_tests)
        side = None if side.pair is None else side.pair.second
    return fits
