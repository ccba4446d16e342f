"""How far a step settles a stream: the tick before which all events are known."""

from __future__ import annotations

from collections.abc import Sequence

from cepheid.engine.events.ticks import LARGEST, too_far
from cepheid.program.program import Program
from cepheid.stream.admit_events import AdmittedEvents
from cepheid.stream.next_timer import closes_later
from cepheid.stream.stored_chunk import StoredChunk
from cepheid.stream.stream_state import ChunkKind, StreamState


def later(one: int | None, other: int | None) -> int | None:
    """Return the later of two ticks, of which any may be missing."""
    return max((each for each in (one, other) if each is not None), default=None)


def next_horizon(
    program: Program,
    state: StreamState,
    admitted: AdmittedEvents,
    until: int | None,
    *,
    ordered: bool,
) -> int | None:
    """Return the tick before which all is settled; it never goes back.

    In a stream in order no event comes after the last one at the same time, unless order columns
    tell them apart.
    """
    horizon = later(state.horizon, until)
    if ordered and admitted.latest is not None:
        after = admitted.latest + (0 if program.order else 1)
        return later(horizon, min(after, LARGEST))
    return horizon


def end_of_time(
    programs: Sequence[Program],
    state: StreamState,
    stored: list[StoredChunk],
    horizon: int | None,
    *,
    ordered: bool,
) -> int | None:
    """Return a horizon at which everything is final that events of the past can be part of.

    What is settled already came before the horizon, and no window that it is in, or whose end is
    awaited, lasts longer than one more. It is not later than that: windows up to it are looked at.

    Raises:
        DataError: an event is so late that 64 bits have no such horizon; a result would be lost.
    """
    latest = max((each.latest for each in stored), default=None)
    last = later(horizon, latest)
    if last is None:
        return None
    if state.of_kind(ChunkKind.KNOWN):
        latest = later(latest, state.horizon)
    windows = [each.window_length or 0 for each in programs]
    awaited = max((each.window_length or 0 for each in programs if closes_later(each)), default=0)
    if latest is not None and latest + awaited + (not ordered or awaited > 0) > LARGEST:
        raise too_far(latest, programs[0].time, awaited)
    return min(last + max(windows) + 1, LARGEST)
