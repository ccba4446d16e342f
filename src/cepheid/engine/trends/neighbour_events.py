"""Contiguous trends that compare neighbours, of a part of a stream: with the events before it.

Which variant of a position an event fits is told by the event before it (contiguous_slots.py). So
the last events of partitions before a stretch are given, too, and left out once that is told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.predicate_inputs import read_columns
from cepheid.engine.trends.contiguous_slots import linear_trends, with_variants
from cepheid.engine.trends.trend_events import TrendEvents
from cepheid.engine.trends.windows.wanted_windows import kept_events
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Program
from cepheid.program.slot_program import SlotProgram

Int64s = NDArray[np.int64]


class NeedsAllEventsError(Exception):
    """A result does not follow from matrices.

    Sums cancel beyond 64 bits, or there are ranks; or several events of a partition are concurrent,
    where neighbours are compared.
    """


@dataclass(frozen=True)
class NeighbourEvents(TrendEvents):
    """Events of the trends of `compared`; `program` and `output` are those of its variants.

    Events with a clock from the first of `outside` to before the second are there to be compared.
    """

    compared: Program | None = None
    outside: tuple[int, int] = (0, 0)

    @cached_property
    def all_ordered(self) -> OrderedEvents:
        """All events, also those that are there to be compared."""
        return super()._ordered()

    @cached_property
    def last_rows(self) -> Int64s:
        """The row of the last event of every partition."""
        arrays = self.all_ordered.arrays
        ends = arrays.step_offsets[arrays.partition_offsets[1:]] - 1
        rows: Int64s = self.all_ordered.row[ends]
        return rows

    def _ordered(self) -> OrderedEvents:
        ordered, begin_end = self.all_ordered, self.outside
        assert self.compared is not None
        inputs = read_columns(self.compared, ordered, self.columns)
        found = with_variants(self.compared, ordered, inputs.columns)
        if found is None:
            raise NeedsAllEventsError
        clock = found.arrays.clock
        return kept_events(found, (clock < begin_end[0]) | (clock >= begin_end[1]))


def matrix_parts(program: Program) -> tuple[Program, SlotProgram, AggregateOutput]:
    """Return the program in which every event of a partition is a step; its slots and output."""
    program = replace(program, cuts_time=True)
    if program.adjacent is not None:
        program = linear_trends(program).program
    slots, output = program.slots, program.output
    assert slots is not None
    assert isinstance(output, AggregateOutput)
    return program, slots, output
