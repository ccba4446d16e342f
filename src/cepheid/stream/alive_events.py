"""The events of runs that are alive, where predicates across events tell runs apart.

Then a run may wait as long as the window lasts, and its start says little about how many events
matter. But a run never looks at an event that it did not take when that came. Let no event fit two
positions, and none that begins a run be a later event of another one. Under skip-till-next a run
that takes an event goes on as another run, or as several if events are of one tick. Now fold only
the events of runs that are alive. Every event there that begins a run is the first one of a run
that is alive, and each run takes its own next event: any other one that it met before it did not
take. So the same runs are alive, and no others, because whoever was replaced is replaced by an
event that was kept. That is so as long as a run goes on in one way. If it took two events of one
tick, one of its two runs may be over; where both events are kept, others would bring it back. Then
the events are not kept.

The events are a table (`marks` of StreamState) that follows from the durable state. Where it is
missing, all events of the window are run again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.matches.pending_runs import pending_rows
from cepheid.errors import LiveStateError
from cepheid.program.arrow_arrays import to_arrow
from cepheid.program.program import Program
from cepheid.stream.needed_events import EventKeys
from cepheid.stream.next_timer import fits_border
from cepheid.stream.settled_events import Move, SettledEvents
from cepheid.stream.step_rules import keeps_runs

MOST_EVENTS = 2**14


def has_alive(move: Move) -> bool:
    """Whether the query of a step needs only events of runs that are alive, by its rules."""
    query = move.bundle.lasting
    return query is not None and query.since is None and keeps_runs(query.program)


@dataclass(frozen=True)
class EventsOfRuns(SettledEvents):
    """The settled events of runs that are alive."""

    @cached_property
    def known(self) -> pa.Table:
        """The events that were settled before."""
        marks = self.move.state.marks
        assert marks is not None
        return self.move.united([marks])

    @property
    def has_known(self) -> bool:
        """Whether events that were settled before can matter."""
        return bool(self.known.num_rows)

    def marks(self) -> pa.Table | None:
        """Return the events of runs that are alive after this step."""
        return alive_events(self.move, self.events)


def alive_events(move: Move, events: pa.Table) -> pa.Table | None:
    """Return the events of runs that are alive; None if they are many, or others matter, too."""
    program = move.lead
    assert move.horizon is not None
    columns = dict(zip(events.column_names, events.columns, strict=True))
    try:
        rows = pending_rows(program, columns, events.num_rows, move.horizon, RankedFolds())
    except LiveStateError:  # one graph would be too large
        return None
    if rows is None or rows.size > MOST_EVENTS:
        return None
    kept = events.take(to_arrow(rows))
    if _are_concurrent(program, kept.filter(to_arrow(~fits_border(program, kept, at_end=False)))):
        return None
    computed = {each.name for each in move.bundle.computed}
    names = [each for each in events.column_names if each not in computed]
    return kept.select(names)


def _are_concurrent(program: Program, events: pa.Table) -> bool:
    """Whether two events of a partition have one order key."""
    keys = EventKeys(program, events)
    pairs = np.stack([keys.code, keys.rank])
    return bool(np.unique(pairs, axis=1).shape[1] < events.num_rows)
