"""Events that arrive: which are late, and the others as they are kept."""

from __future__ import annotations

import functools
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.analysis.expressions import ComputedColumn
from cepheid.engine.events.event_kinds import event_kinds
from cepheid.engine.events.order_events import (
    is_derived,
    order_codes,
    reject_extreme_times,
    starts_of_runs,
)
from cepheid.engine.events.ticks import to_ticks
from cepheid.engine.events.warn_of_events import warn_of_dropped
from cepheid.engine.matches.order_trends import value_ranks
from cepheid.engine.process.name_errors import errors_of, errors_of_one
from cepheid.errors import DataError, StateError
from cepheid.program.arrow_arrays import to_arrow, to_numpy
from cepheid.program.compute_columns import with_computed
from cepheid.program.position_automaton import PositionTest
from cepheid.program.position_masks import position_masks
from cepheid.program.program import Program, Ranking
from cepheid.program.sharing.sharing_sets import plain_test
from cepheid.stream.guards import NO_GUARDS, Guards
from cepheid.stream.set_aside import set_aside
from cepheid.stream.stream_state import ChunkKind, StreamState

Int64s = NDArray[np.int64]
Booleans = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class AdmittedEvents:
    """Events in order of time, with the columns that programs read; and those that are late.

    `latest` is the latest time of all events that are not late, `last_key` the order key of the
    last of them or of an earlier one; None if there is none. Only a stream in order needs the key.
    `aside` has the events that have no place in time, with their reasons.
    """

    events: pa.Table
    late: pa.Table
    aside: pa.Table
    latest: int | None = None
    last_key: pa.Table | None = None


@dataclass(frozen=True, slots=True)
class Admission:
    """What of events is admitted: columns that are kept, and events that a program needs.

    An event is needed if it passes one of the `tests`. `lead` is the program with the longest
    window. `keys` are attributes that partitions of all programs have in common. With `is_lenient`,
    a test that cannot be computed is no error: all events are kept, and whose test it is will fail
    when it is folded.
    """

    columns: frozenset[str]
    programs: tuple[Program, ...]
    lead: Program
    tests: tuple[PositionTest, ...]
    keys: tuple[str, ...]
    is_lenient: bool = False

    @property
    def computed(self) -> Iterator[ComputedColumn]:
        """The columns that programs add to the events; they are not kept."""
        return (column for each in self.programs for column in each.computed)

    def needed(self, events: pa.Table) -> Booleans:
        """Return which events are kept; tell of those that would fit, but belong to no partition.

        Those are kept that can be part of something, block, break or be counted.
        """
        keeps_all = any(each.keeps_all_types for each in self.programs)
        needed = np.ones(events.num_rows, np.bool_) if keeps_all else self._fits(events)
        missing = [pc.is_null(events[each]) for each in self.keys if events[each].null_count]
        if not missing:
            return needed
        without: Booleans = to_numpy(functools.reduce(pc.or_, missing))
        fits = self._fits(events) if keeps_all else needed
        warn_of_dropped(self.keys, int(np.count_nonzero(without & fits)))
        breaks_others = any(each.ranking is Ranking.STREAM for each in self.programs)
        return needed if breaks_others else needed & ~without

    def _fits(self, events: pa.Table) -> Booleans:
        """Return which events pass a test."""
        try:
            if len(self.programs) == 1:  # masks of one cost half of what kinds do
                return fits_a_position(self.lead, events)
            rows = self._fitting_rows(events)
        except DataError:
            if not self.is_lenient:
                raise
            rows = None
        fits = np.full(events.num_rows, rows is None)
        if rows is not None:
            fits[rows] = True
        return fits

    def _fitting_rows(self, events: pa.Table) -> Int64s | None:
        """Return the rows of events that pass a test; None: all do."""
        each_alone = (functools.partial(_named_fit, each, events) for each in self.programs)
        with errors_of_one(() if self.is_lenient else each_alone):
            type_column, columns = self.lead.type_column, _columns(events)
            return event_kinds(self.tests, type_column, columns, events.num_rows).rows


def admission_of(programs: tuple[Program, ...], columns: Iterable[str] = ()) -> Admission:
    """Return what programs admit; some columns are kept in any case."""
    first, *others = programs
    return Admission(
        frozenset(columns).union(*(each.stored_columns for each in programs)),
        programs,
        max(programs, key=lambda each: each.window_length or 0),
        tuple(dict.fromkeys(plain_test(e) for each in programs for e in each.all_tests)),
        tuple(k for k in first.partition_by if all(k in each.partition_by for each in others)),
    )


def admit_events(
    admission: Admission,
    state: StreamState,
    arrived: pa.Table,
    *,
    ordered: bool,
    late_before: int | None,
    guards: Guards = NO_GUARDS,
) -> AdmittedEvents:
    """Take what arrived apart; what is wrong with it is said now, before it is kept."""
    program, names = admission.lead, admission.columns
    arrived, aside = set_aside(program, arrived, guards)
    ticks = to_ticks(arrived[program.time], program.time)
    if ordered:
        is_late, last_key = _not_after(program, state, plain_events(names, arrived), ticks)
    else:
        is_late, last_key = _too_late(program, state, arrived, ticks, late_before), None
    late = arrived.filter(to_arrow(is_late)) if is_late.any() else arrived.slice(0, 0)
    events = plain_events(names, arrived)
    if state.events is not None and not events.schema.equals(state.events):
        raise StateError(
            f"the events of '{program.name}' have other columns than those kept before:\n"
            f"{events.schema.to_string()}\ninstead of\n{state.events.to_string()}",
            hint="start with a new checkpoint",
        )
    if late.num_rows:
        events, ticks = events.filter(to_arrow(~is_late)), ticks[~is_late]
    reject_extreme_times(program, ticks)
    latest = int(ticks.max()) if ticks.size else None
    needed = admission.needed(with_computed(events, admission.computed))
    if not needed.all():
        events, ticks = events.filter(to_arrow(needed)), ticks[needed]
    return AdmittedEvents(in_order(events, ticks, program.order), late, aside, latest, last_key)


def plain_events(columns: Container[str], events: pa.Table) -> pa.Table:
    """Return some columns of events, none of them encoded, and no metadata."""
    names = [name for name in events.column_names if name in columns]
    table = events.select(names).replace_schema_metadata(None)
    fields = [
        pa.field(
            each.name, each.type.value_type if pa.types.is_dictionary(each.type) else each.type
        )
        for each in table.schema
    ]
    return table.cast(pa.schema(fields))


def _too_late(
    program: Program, state: StreamState, arrived: pa.Table, ticks: Int64s, late_before: int | None
) -> Booleans:
    """Return which events are behind the watermark.

    Results of other queries are as old as what they are made of; for them only what is settled
    counts.
    """
    limits = [each for each in (state.horizon, late_before) if each is not None]
    is_late = ticks < max(limits) if limits else np.zeros(ticks.size, np.bool_)
    derived = is_derived(program, _columns(arrived))
    if derived is None:
        return is_late
    is_old = np.zeros_like(is_late) if state.horizon is None else ticks < state.horizon
    of_query = to_numpy(pc.fill_null(derived, False))
    return np.where(of_query, is_old, is_late)


def _not_after(
    program: Program, state: StreamState, arrived: pa.Table, ticks: Int64s
) -> tuple[Booleans, pa.Table | None]:
    """Return which events of a stream in order do not come after all before, and the last key."""
    is_late = np.zeros(ticks.size, np.bool_)
    if state.horizon is not None:
        is_late = ticks < state.horizon
    if not program.order:
        return is_late, None
    names = [program.time, *program.order]
    kept = state.of_kind(ChunkKind.LAST_KEY)
    keys = arrived.select(names)
    if kept:
        keys = pa.concat_tables([keys, kept[0].table])
        ticks = to_ticks(keys[program.time], program.time)
    parts = [ticks, *order_codes(program, _columns(keys))]
    rank = ranks_of(parts)
    if kept:
        is_late |= rank[:-1] <= rank[-1]
        rank[:-1][is_late] = 0
    else:
        rank[is_late] = 0
    if not rank.any():
        return is_late, None
    return is_late, keys.slice(int(np.argmax(rank)), 1).combine_chunks()


def ranks_of(keys: list[Int64s]) -> Int64s:
    """Return the dense ranks of keys of several parts, from 1."""
    order = np.lexsort(keys[::-1])
    is_new = np.logical_or.reduce([starts_of_runs(each[order]) for each in keys])
    rank = np.empty(order.size, np.int64)
    rank[order] = np.cumsum(is_new)
    return rank


def fits_a_position(program: Program, events: pa.Table) -> Booleans:
    """Return which events can be part of a match or block one, and do not only break trends."""
    masks = position_masks(program, _columns(events), events.num_rows)
    fits: Booleans = np.bitwise_or.reduce(masks) != 0
    return fits


def _named_fit(program: Program, events: pa.Table) -> None:
    with errors_of(program.name):
        fits_a_position(program, events)


def in_order(events: pa.Table, ticks: Int64s, order: Iterable[str] = ()) -> pa.Table:
    """Sort events by time, then by all their values: the order in which rows came does not show."""
    if ticks.size < 2:
        return events.combine_chunks()
    rows = np.argsort(ticks, kind="stable")
    begins = starts_of_runs(ticks[rows])
    names = dict.fromkeys((*order, *events.column_names))
    for name in names:
        ends = np.append(begins[1:], True)
        tied = np.flatnonzero(~(begins & ends))
        if not tied.size:
            break
        ranks = value_ranks(events[name].take(to_arrow(rows[tied])))
        group = np.cumsum(begins)[tied]
        again = np.lexsort([ranks, group])
        rows[tied] = rows[tied][again]
        begins[tied] |= starts_of_runs(ranks[again])
    if np.array_equal(rows, np.arange(rows.size)):
        return events.combine_chunks()
    return events.take(to_arrow(rows)).combine_chunks()


def _columns(events: pa.Table) -> dict[str, Any]:
    return dict(zip(events.column_names, events.columns, strict=True))
