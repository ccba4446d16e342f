"""Counts as a table: one row per group and window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.errors import DataError
from cepheid.kernels.arrays import AutomatonArrays, EventArrays
from cepheid.kernels.count_recent import count_recent
from cepheid.kernels.count_trends import count_per_partition, count_per_window
from cepheid.kernels.counters import CountRows
from cepheid.kernels.extended import sum_by_key
from cepheid.program.arrow_arrays import to_arrow
from cepheid.program.program import Clock, CountKind, CountOutput, Program
from cepheid.runtime.clock import from_ticks, window_type
from cepheid.runtime.kernel_arrays import automaton_arrays
from cepheid.runtime.order_events import (
    OrderedEvents,
    order_events,
    starts_of_runs,
)
from cepheid.runtime.partition_codes import partition_codes

Int64s = NDArray[np.int64]
WINDOW_START, WINDOW_END, TIME = "window_start", "window_end", "time"
ARROW_COUNTS = {
    CountKind.BIGINT: pa.int64(),
    CountKind.DOUBLE: pa.float64(),
    CountKind.LOG2: pa.float64(),
}
BIGINT_LIMIT = 2.0**63


def count_schema(program: Program, output: CountOutput, events: pa.Schema) -> pa.Schema:
    """Return the schema: the window or the time, the group attributes, the counts."""
    fields = []
    if program.slide is not None:
        by_time = program.clock is Clock.TIME
        kind = window_type(events.field(program.time).type) if by_time else pa.int64()
        fields += [pa.field(WINDOW_START, kind), pa.field(WINDOW_END, kind)]
    elif program.window_length is not None:
        moment = _moment_columns(program, output)
        fields += [pa.field(name, events.field(column).type) for column, name in moment]
    fields += [pa.field(name, events.field(column).type) for column, name in output.groups]
    fields += [pa.field(name, ARROW_COUNTS[kind]) for name, kind in output.counts]
    return pa.schema(fields)


def _moment_columns(program: Program, output: CountOutput) -> list[tuple[str, str]]:
    """Return column and output name of the order key, but for what the group shows anyway."""
    key = [(program.time, TIME), *((each, each) for each in program.order)]
    return [each for each in key if each not in output.groups]


def count_trends(program: Program, output: CountOutput, table: pa.Table) -> tuple[pa.Table, int]:
    """Return the counts, and how many events belong to no partition."""
    columns = dict(zip(table.column_names, table.columns, strict=True))
    ordered = order_events(program, columns, table.num_rows)
    automaton = automaton_arrays(program.automaton, program.strategy)
    attributes = [column for column, _ in output.groups]
    group_of_row = partition_codes(columns, attributes, table.num_rows).code
    totals = _totals(program, automaton, ordered, group_of_row[ordered.row])
    schema = count_schema(program, output, table.schema)
    rows = _CountTable(program, output, totals, columns)
    return pa.Table.from_arrays(rows.arrays(schema), schema=schema), ordered.dropped


@dataclass(frozen=True, slots=True)
class _Totals:
    """Sums per group and window; `row` is an event of the group (of the moment, for `time`)."""

    row: Int64s
    window: Int64s
    mantissa: NDArray[np.float64]
    tier: Int64s
    low: Int64s


def _totals(
    program: Program, automaton: AutomatonArrays, ordered: OrderedEvents, group: Int64s
) -> _Totals:
    if program.window_length is None:
        rows = count_per_partition(automaton, ordered.arrays)
    elif program.slide is None:
        return _recent(program, automaton, ordered, group)
    else:
        rows = count_per_window(automaton, ordered.arrays, program.window_length, program.slide)
    return _sum_groups(rows, ordered, group)


def _sum_groups(rows: CountRows, ordered: OrderedEvents, group: Int64s) -> _Totals:
    """Add the partitions of a group; groups and windows without a trend have no row."""
    first_event = ordered.arrays.step_offsets[ordered.arrays.partition_offsets[rows.owner]]
    found = rows.mantissa > 0
    first_event, window = first_event[found], rows.window[found]
    keys = np.stack([group[first_event], window], axis=1)
    _, representative, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    mantissa, tier, low = sum_by_key(
        inverse.reshape(-1).astype(np.int64),
        rows.mantissa[found],
        rows.tier[found],
        rows.low[found],
        representative.size,
    )
    row = ordered.row[first_event][representative]
    return _Totals(row, window[representative], mantissa, tier, low)


def _recent(
    program: Program, automaton: AutomatonArrays, ordered: OrderedEvents, group: Int64s
) -> _Totals:
    """Reorder the events by group, order key and partition, and count at every moment."""
    partition, key = ordered.partition_of_event, ordered.key_rank
    order = np.lexsort([partition, key, group])
    group, key, partition = group[order], key[order], partition[order]
    starts_moment = starts_of_runs(group) | starts_of_runs(key)
    starts_step = starts_moment | starts_of_runs(partition)
    steps = np.flatnonzero(starts_step)
    arrays = EventArrays(
        ordered.arrays.fires[order],
        ordered.arrays.clock[order],
        ordered.arrays.rank[order],
        np.append(steps, group.size).astype(np.int64),
        np.array([0, steps.size], np.int64),
    )
    moments = np.flatnonzero(starts_moment[steps])
    rows = count_recent(
        automaton,
        arrays,
        partition[steps],
        np.append(moments, steps.size).astype(np.int64),
        group[steps[moments]],
        program.window_length or 0,
        program.clock is Clock.EVENTS,
    )
    row = ordered.row[order][steps[rows.window]]
    return _Totals(row, rows.window, rows.mantissa, rows.tier, rows.low)


class _CountTable:
    def __init__(
        self, program: Program, output: CountOutput, totals: _Totals, columns: Mapping[str, Any]
    ) -> None:
        self.program = program
        self.output = output
        self.totals = totals
        self.columns = columns

    def arrays(self, schema: pa.Schema) -> list[Any]:
        rows = to_arrow(self.totals.row)
        arrays = self._windows()
        arrays += [_take(self.columns[column], rows) for column, _ in self.output.groups]
        described = pa.Table.from_arrays(arrays, names=schema.names[: len(arrays)])
        return arrays + [self._count(kind, described) for _, kind in self.output.counts]

    def _windows(self) -> list[Any]:
        program, rows = self.program, to_arrow(self.totals.row)
        if program.window_length is None:
            return []
        if program.slide is None:
            moment = _moment_columns(program, self.output)
            return [_take(self.columns[column], rows) for column, _ in moment]
        start = self.totals.window * program.slide
        bounds = [start, start + program.window_length]
        if program.clock is Clock.EVENTS:
            return [to_arrow(each) for each in bounds]
        kind = self.columns[program.time].type
        return [from_ticks(each, kind) for each in bounds]

    def _count(self, kind: CountKind, described: pa.Table) -> pa.Array:
        mantissa, tier = self.totals.mantissa, self.totals.tier
        if kind is CountKind.BIGINT:
            self._reject_overflow(described)
            return to_arrow(self.totals.low)
        if kind is CountKind.DOUBLE:
            exponent = np.minimum(512 * tier, 10_000).astype(np.int32)
            with np.errstate(over="ignore"):
                return to_arrow(np.ldexp(mantissa, exponent))
        none = mantissa == 0
        logarithm = np.log2(np.where(none, 1.0, mantissa)) + 512.0 * tier
        return to_arrow(logarithm, none)

    def _reject_overflow(self, described: pa.Table) -> None:
        """Below 2^63 the low word is exact; close to it its sign tells."""
        mantissa = self.totals.mantissa
        surely = (self.totals.tier > 0) | (mantissa > BIGINT_LIMIT * (1 + 1e-9))
        perhaps = (mantissa > BIGINT_LIMIT * (1 - 1e-9)) & (self.totals.low < 0)
        overflow = surely | perhaps
        if overflow.any():
            row = described.slice(int(np.flatnonzero(overflow)[0]), 1).to_pylist()
            place = ", ".join(f"{name} = {value}" for name, value in (row or [{}])[0].items())
            raise DataError(
                f"a count exceeds BIGINT ({place or 'the whole input'})",
                hint="use LOG2(COUNT(*)) or EXACT COUNT(*), or a shorter window",
            )


def _take(column: Any, rows: pa.Array) -> Any:
    taken = column.take(rows)
    return taken.combine_chunks() if isinstance(taken, pa.ChunkedArray) else taken
