"""What a step of WITHIN alone need not run again: the middle of the window, as matrices.

Settled events lie in *stretches* of time, which do not overlap. The events of a partition in one
are a matrix. A step folds the events that leave the window during the step, up to the beginning of
a stretch, and the new ones; all between are multiplied (engine/trends/known_middle.py). Matrices
follow from the durable state, as marks do (start_marks.py), and are kept in their place; where they
are missing, all events are run again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from cepheid.engine.events.key_hashes import can_be_hashed
from cepheid.engine.events.ticks import to_ticks
from cepheid.engine.trends.range_table import PANE, fold_stretches, merge_ranges, range_schema
from cepheid.errors import DataError
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.arrow_arrays import to_arrow, to_numpy
from cepheid.program.program import Program
from cepheid.program.slot_program import SlotProgram
from cepheid.program.when_final import has_start_negation
from cepheid.stream.pages import hashes_of
from cepheid.stream.pane_state import has_matrices
from cepheid.stream.settled_events import Move, SettledEvents

STRETCH = 4096  # events
MOST_PARTITIONS = 64  # with new events: where there are more, a matrix has few events
MOST_MATRICES = 2**14


def keeps_matrices(program: Program, events: pa.Schema) -> bool:
    """Whether the middle of a window that moves with every event can be known as matrices."""
    is_moving = program.slide is None and program.window_length is not None
    return is_moving and not has_start_negation(program) and has_matrices(program, events)


def is_summed(move: Move) -> bool:
    """Whether the query of a step can keep matrices.

    A step of a stream in order may end within a tick, so that stretches would not tell its events
    apart.
    """
    query = move.bundle.lasting
    if query is None or query.since is not None or move.ordered:
        return False
    return keeps_matrices(query.program, move.schema)


@dataclass(frozen=True)
class EndsOfWindow(SettledEvents):
    """The events at both ends of a window, and the matrices of those between."""

    @cached_property
    def known(self) -> pa.Table:
        """The events that were settled before, but for those in the middle."""
        return super().known if self._cut is None else self.known_before(self._cut)

    @cached_property
    def middle(self) -> pa.Table | None:
        """The matrices of events that are in the window throughout the step; None: there are none.

        Then all events are known one by one.
        """
        marks, cut = self.move.state.marks, self._cut
        if marks is None or cut is None:
            return None
        return marks.filter(to_arrow(to_numpy(marks.column(PANE)) >= cut))

    @cached_property
    def whole(self) -> SettledEvents:
        """The same without matrices."""
        return SettledEvents(self.move, self.reach)

    @cached_property
    def _cut(self) -> int | None:
        """The beginning of the first stretch that no event leaves during the step."""
        move, window = self.move, self.move.lead.window_length
        assert move.state.marks is not None
        assert move.horizon is not None
        assert window is not None
        if move.state.horizon is None or move.horizon - window > move.state.horizon:
            return None
        begins = to_numpy(move.state.marks.column(PANE))
        begins = begins[begins >= move.horizon - window]
        return int(begins.min()) if begins.size else None

    def marks(self) -> pa.Table | None:
        """Return the matrices after this step; None if there would be too many."""
        move, before = self.move, self.move.state.marks
        assert before is not None
        assert move.state.horizon is not None
        begins = to_numpy(before.column(PANE))
        last = int(begins.max()) if begins.size else move.state.horizon
        is_full = sum(high - max(low, each.place(last))
                      for each, low, high in self.known_chunks) >= STRETCH  # fmt: skip
        first = move.state.horizon if is_full else last
        return stretches_of(move, self.new, first, before)


def first_stretches(move: Move, settled: SettledEvents) -> pa.Table | None:
    """Return the matrices of all events that can still matter, if few partitions have them."""
    events, lead = settled.events, move.lead
    ticks = to_ticks(events[lead.time], lead.time)
    if not ticks.size or not has_few_partitions(move, settled.new):
        return None
    return stretches_of(move, events, int(ticks.min()), None)


def has_few_partitions(move: Move, events: pa.Table) -> bool:
    """Whether events are of a few partitions."""
    keys = move.lead.partition_by
    if not all(can_be_hashed(move.schema.field(each).type) for each in keys):
        return False
    return not keys or hashes_of(events, keys).size <= MOST_PARTITIONS


def stretches_of(
    move: Move, events: pa.Table, first: int, before: pa.Table | None
) -> pa.Table | None:
    """Return the matrices of events from tick `first` on, after those of before."""
    program, slots, output = matrix_parts(move.lead)
    window = program.window_length
    assert move.horizon is not None
    assert window is not None
    ticks = np.sort(to_ticks(events[program.time], program.time))
    begins = np.unique(np.append(first, ticks[STRETCH::STRETCH]))
    try:
        new = fold_stretches(program, slots, output, events, begins)
    except DataError:  # MIN or MAX of a value that has no key
        return None
    parts = [range_schema(program, move.schema).empty_table(), new]
    if before is not None:
        begin = to_numpy(before.column(PANE))
        same, earlier = (
            before.filter(to_arrow(begin == first)),
            before.filter(to_arrow(begin != first)),
        )
        parts = [
            earlier,
            merge_ranges(program, slots, output, move.schema, pa.concat_tables([same, new])),
        ]
    rows = pa.concat_tables(parts)
    rows = rows.filter(to_arrow(to_numpy(rows.column(PANE)) >= move.horizon - window))
    return rows if rows.num_rows <= MOST_MATRICES else None


def matrix_parts(program: Program) -> tuple[Program, SlotProgram, AggregateOutput]:
    """Return the program in which every event of a partition is a step; its slots and output."""
    slots, output = program.slots, program.output
    assert slots is not None
    assert isinstance(output, AggregateOutput)
    return replace(program, cuts_time=True), slots, output
