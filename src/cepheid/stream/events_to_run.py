"""Which of the settled events a step runs again."""

from __future__ import annotations

from collections.abc import Sequence

from cepheid.engine.events.key_hashes import can_be_hashed
from cepheid.program.program import Program
from cepheid.stream.alive_events import EventsOfRuns, has_alive
from cepheid.stream.ends_of_window import EndsOfWindow, is_summed
from cepheid.stream.events_since_starts import EventsSinceStarts
from cepheid.stream.settled_events import Move, SettledEvents
from cepheid.stream.step_rules import has_marks, is_blocked_early, page_keys
from cepheid.stream.touched_events import TouchedEvents


def touched_events(move: Move, reach: int | None, programs: Sequence[Program]) -> SettledEvents:
    """Return the events that matter to a step of these programs; all, if they have no key."""
    keys, lasting = page_keys(programs), move.bundle.lasting
    is_marked = lasting is not None and has_marks(lasting.program)
    is_blocked = lasting is not None and is_blocked_early(lasting.program)
    if (
        not (keys or is_marked or is_blocked or has_alive(move) or is_summed(move))
        or move.ends
        or not all(can_be_hashed(move.schema.field(e).type) for e in keys)
    ):
        return SettledEvents(move, reach)
    if is_summed(move):
        return EndsOfWindow(move, reach, keys, tuple(programs))
    if has_alive(move) and move.state.marks is not None:
        return EventsOfRuns(move, reach)
    if is_marked:
        return EventsSinceStarts(move, reach, keys, tuple(programs))
    return TouchedEvents(move, reach, keys, tuple(programs))
