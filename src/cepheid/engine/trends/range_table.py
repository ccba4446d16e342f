"""Ranges of time folded on different tasks: their matrices as columns, and back.

A row is a pane of a partition: its attributes, where it is in time, and the pane's matrix as bytes.
Only runs go over the border of a range; a contiguous run goes on there, because every event of the
partition, whatever its type, is a step of its range.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents, starts_of_runs
from cepheid.engine.events.partition_codes import partition_codes
from cepheid.engine.trends.folds.panes import (
    ALL_WINDOWS,
    fold_to_panes,
    joined_panes,
    make_panes,
    pane_length,
    ready_panes,
    rows_of_panes,
)
from cepheid.engine.trends.folds.slot_task import slot_machine, slot_task
from cepheid.engine.trends.groups import add_groups
from cepheid.engine.trends.integer_sums import bounds_by_largest, largest_sizes, rounded_sums
from cepheid.engine.trends.measures import EventMeasures
from cepheid.engine.trends.result_table import Finished, PlaceColumns
from cepheid.engine.trends.trend_events import TrendEvents
from cepheid.errors import DataError
from cepheid.kernels.position.merge_panes import merge_panes, multiply_onwards
from cepheid.kernels.position.pane_matrices import PaneMatrices
from cepheid.kernels.position.slot_machine import BEFORE_ALL, SlotMachine
from cepheid.kernels.values.value_arrays import Measures, Values
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.arrow_arrays import in_one, take, to_arrow, to_numpy
from cepheid.program.program import Program, Ranking
from cepheid.program.slot_program import SlotProgram

Int64s = NDArray[np.int64]
LARGEST_CHUNK = 2**30  # bytes; a binary array has 32 bits for places
RANGE, PANE, MATRIX = "range", "pane", "matrix"
LARGEST = "largest"  # sizes of values that rounded sums add up; NULL if not known


def range_schema(program: Program, events: pa.Schema) -> pa.Schema:
    """Return the schema of the rows of all ranges; partition attributes are numbered."""
    fields = [
        pa.field(str(number), events.field(name).type)
        for number, name in enumerate(program.partition_by)
    ]
    own = [pa.field(RANGE, pa.int64()), pa.field(PANE, pa.int64()), pa.field(MATRIX, pa.binary())]
    if isinstance(program.output, AggregateOutput) and rounded_sums(program.output):
        own.append(pa.field(LARGEST, pa.list_(pa.float64())))
    return pa.schema([*fields, *own])


def fold_range(
    program: Program, slots: SlotProgram, output: AggregateOutput, events: pa.Table
) -> pa.Table:
    """Return the matrices of one range of time."""
    return range_rows(events_of_range(program, output, events), slots, events.schema)


def range_rows(given: TrendEvents, slots: SlotProgram, events: pa.Schema) -> pa.Table:
    """Return the matrices of one range of time, whose events are here."""
    pane = pane_length(given.program.window_length, given.program.slide)
    begin = given.ordered.arrays.clock.min(initial=2**63 - 1)
    return matrix_rows(
        given, slots, given.ordered, pane, events, lambda each: np.full(each.size, begin)
    )


def fold_stretches(given: TrendEvents, events: pa.Schema, begins: Int64s) -> pa.Table:
    """Return the matrices of stretches of time, which begin at some ticks; these name them."""
    slots, ordered = given.program.slots, given.ordered
    assert slots is not None
    clock = np.searchsorted(begins, ordered.arrays.clock, side="right") - 1
    rows = matrix_rows(
        given, slots, with_clock(ordered, clock), 1, events, lambda pane: begins[pane]
    )
    place = rows.column_names.index(PANE)
    return rows.set_column(place, rows.schema.field(PANE), rows.column(RANGE))


def events_of_range(program: Program, output: AggregateOutput, events: pa.Table) -> TrendEvents:
    """Return the events of one range of time."""
    columns = dict(zip(events.column_names, events.columns, strict=True))
    return TrendEvents(program, output, columns, events.num_rows)


def with_clock(ordered: OrderedEvents, clock: Int64s) -> OrderedEvents:
    """Return the same events with other clocks, which do not fall."""
    return replace(ordered, arrays=ordered.arrays._replace(clock=clock))


def matrix_rows(
    given: TrendEvents,
    slots: SlotProgram,
    ordered: OrderedEvents,
    pane: int,
    events: pa.Schema,
    begins: Callable[[Int64s], Int64s],
) -> pa.Table:
    """Return the matrices of panes; `begins` says of a pane in which range it is."""
    program, output, columns = given.program, given.output, given.columns
    schema = range_schema(program, events)
    if not ordered.row.size:
        return schema.empty_table()
    if any(each.is_ranked for each in given.measures.sortables):
        raise DataError(
            "MIN of 2^63 - 2, or MAX of 1 - 2^63 or 2 - 2^63, cannot be found in ranges of time",
            hint="cast the column to a decimal, or run a bounded input with parallel_in_time=False",
        )
    ordered = _going_on(program, ordered)
    task = slot_task(program, slots, ordered, given.measures.arrays())
    panes = joined_panes(fold_to_panes(task, pane))
    first = ordered.row[ordered.arrays.step_offsets[ordered.arrays.partition_offsets[panes.owner]]]
    keys = [take(columns[name], to_arrow(first)) for name in program.partition_by]
    matrices = _to_bytes(panes.values, task.machine.owner.size)
    arrays = [*keys, to_arrow(begins(panes.pane)), to_arrow(panes.pane), matrices]
    if LARGEST in schema.names:
        largest = np.array(largest_sizes(output, given.measures))
        arrays.append(_to_lists(np.broadcast_to(largest, (panes.owner.size, largest.size))))
    return pa.Table.from_arrays(arrays, names=schema.names).cast(schema)


class RangePanes(NamedTuple):
    """The matrices of rows: by partition, in the order of time; `order` has the row of each."""

    machine: SlotMachine
    measures: Measures
    panes: PaneMatrices
    columns: Mapping[str, Any]
    order: Int64s


def read_panes(
    program: Program,
    slots: SlotProgram,
    output: AggregateOutput,
    events: pa.Schema,
    ranges: pa.Table,
) -> RangePanes:
    """Return the matrices of all ranges; of one pane, those of earlier ranges come first."""
    machine = slot_machine(slots, program.automaton, program.strategy)
    columns: Mapping[str, Any] = {
        name: ranges.column(str(number)) for number, name in enumerate(program.partition_by)
    }
    owner = partition_codes(columns, program.partition_by, ranges.num_rows).code
    begin, pane = (to_numpy(ranges.column(name)) for name in (RANGE, PANE))
    order = np.lexsort([begin, pane, owner])
    owner = np.unique(owner[order], return_inverse=True)[1].astype(np.int64)
    measures = _event_measures(output, events).arrays()
    values = _from_bytes(take(ranges.column(MATRIX), to_arrow(order)), machine, measures)
    none = np.zeros(order.size, np.int64)
    panes = PaneMatrices(owner, pane[order], none, values)
    return RangePanes(machine, measures, panes, columns, order)


def merge_ranges(
    program: Program,
    slots: SlotProgram,
    output: AggregateOutput,
    events: pa.Schema,
    ranges: pa.Table,
) -> pa.Table:
    """Return one row for every partition and pane: what its matrices in all ranges multiply to."""
    found = read_panes(program, slots, output, events, ranges)
    merged, begins = merged_panes(found)
    if begins.size == ranges.num_rows:
        return ranges
    table = _rows_of(program, events, ranges, found, begins, merged.values)
    if LARGEST in table.column_names:
        largest = np.maximum.reduceat(_largest(ranges, output)[found.order], begins)
        table = _with_largest(table, largest)
    return table


def products_to_end(
    program: Program,
    slots: SlotProgram,
    output: AggregateOutput,
    events: pa.Schema,
    ranges: pa.Table,
) -> list[tuple[int, pa.Table]]:
    """Return for every pane a row by partition: the product of this pane and all later ones.

    The latest pane comes first. Each partition has one matrix of a pane.
    """
    found = read_panes(program, slots, output, events, ranges)
    machine, panes = found.machine, ready_panes(found.panes)
    size, work = machine.owner.size, make_panes(1, machine, found.measures).values
    multiply_onwards(size, found.measures.moduli, panes, work)
    begins, number = np.unique(panes.pane, return_inverse=True)
    codes = panes.owner * begins.size + number
    owners = np.arange(int(panes.owner.max(initial=-1)) + 1)
    largest = np.array(largest_of(ranges, output))
    tables = list[tuple[int, pa.Table]]()
    for place in reversed(range(begins.size)):
        at = np.searchsorted(codes, owners * begins.size + place)
        at = at[at < np.searchsorted(codes, (owners + 1) * begins.size)]
        rows = at[:, None] * size + np.arange(size)
        values = Values._make(each[rows.reshape(-1)] for each in panes.values)
        table = _rows_of(program, events, ranges, found, at, values)
        if LARGEST in table.column_names:
            table = _with_largest(table, np.broadcast_to(largest, (at.size, largest.size)))
        tables.append((int(begins[place]), table))
    return tables


def _rows_of(
    program: Program,
    events: pa.Schema,
    ranges: pa.Table,
    found: RangePanes,
    places: Int64s,
    values: Values,
) -> pa.Table:
    """Return rows like those at some places of the matrices, with other values."""
    rows, schema = to_arrow(found.order[places]), range_schema(program, events)
    arrays = [take(found.columns[name], rows) for name in program.partition_by]
    arrays += [take(ranges.column(name), rows) for name in (RANGE, PANE)]
    arrays.append(_to_bytes(values, found.machine.owner.size))
    if LARGEST in schema.names:
        arrays.append(pa.nulls(places.size, schema.field(LARGEST).type))
    return pa.Table.from_arrays(arrays, names=schema.names).cast(schema)


def _with_largest(table: pa.Table, largest: NDArray[np.float64]) -> pa.Table:
    place = table.column_names.index(LARGEST)
    return table.set_column(place, table.schema.field(LARGEST), _to_lists(largest))


def merged_panes(found: RangePanes) -> tuple[PaneMatrices, Int64s]:
    """Return one matrix for every partition and pane, and where those that it is made of begin."""
    machine, measures, panes = found.machine, found.measures, found.panes
    begins = np.flatnonzero(starts_of_runs(panes.owner) | starts_of_runs(panes.pane))
    begins = begins[: panes.owner.size]
    if begins.size == panes.owner.size:
        return panes, begins
    merged = make_panes(begins.size, machine, measures)
    work = make_panes(1, machine, measures).values
    size = machine.owner.size
    assert merge_panes(size, measures.moduli, ready_panes(panes), work, merged) == begins.size
    return merged, begins


def compose(
    program: Program,
    slots: SlotProgram,
    output: AggregateOutput,
    events: pa.Schema,
    ranges: pa.Table,
    windows: tuple[int, int] = ALL_WINDOWS,
) -> Finished:
    """Return the values of all groups whose partitions are here, from all ranges.

    `windows` are the first and the last that are wanted.
    """
    machine, measures, panes, columns, order = read_panes(program, slots, output, events, ranges)
    length, slide = program.window_length, program.slide
    rows = rows_of_panes(machine, measures, [panes], length, slide, windows)
    first = np.searchsorted(panes.owner, rows.owner)
    attributes = [column for column, _ in output.groups]
    group = partition_codes(columns, attributes, ranges.num_rows).code
    groups = add_groups(rows, group[order][first], order[first], measures.moduli)
    extremes = [
        each.values(groups.values.least[:, number])
        for number, each in enumerate(_event_measures(output, events).sortables)
    ]
    places = PlaceColumns(program, output, columns, events).table(groups)
    largest = largest_of(ranges, output)
    bounds = bounds_by_largest(groups.values, output, largest)
    return Finished(places, groups.values, None, extremes, groups.is_expiry, bounds=bounds)


def _to_lists(content: NDArray[np.float64]) -> pa.Array:
    """Return the rows of a table of floats."""
    offsets = np.arange(0, content.size + 1, content.shape[1], dtype=np.int32)
    return pa.ListArray.from_arrays(to_arrow(offsets), to_arrow(content.reshape(-1)))


def largest_of(ranges: pa.Table, output: AggregateOutput) -> list[float]:
    """Return the largest sizes of values that the rounded sums of ranges add up."""
    found: list[float] = _largest(ranges, output).max(axis=0, initial=0.0).tolist()
    return found


def _largest(ranges: pa.Table, output: AggregateOutput) -> NDArray[np.float64]:
    """Return the largest sizes by row of the table; infinite where they are not known."""
    width = len(rounded_sums(output))
    found = np.full((ranges.num_rows, width), np.inf)
    if width:
        lists = in_one(ranges.column(LARGEST))
        found[to_numpy(lists.is_valid())] = to_numpy(lists.flatten()).reshape(-1, width)
    return found


def _going_on(program: Program, ordered: OrderedEvents) -> OrderedEvents:
    """Return events of which none is known to follow a gap: ranges before may end right there."""
    if program.ranking is Ranking.NONE:
        return ordered
    events = ordered.arrays
    begins = events.step_offsets[events.partition_offsets[:-1]]
    sizes = np.diff(np.append(begins, events.rank.size))
    rank = events.rank - np.repeat(events.rank[begins], sizes) + BEFORE_ALL + 1
    return replace(ordered, arrays=events._replace(rank=rank))


def _event_measures(output: AggregateOutput, events: pa.Schema) -> EventMeasures:
    empty = events.empty_table()
    columns = dict(zip(empty.column_names, empty.columns, strict=True))
    return EventMeasures(output, columns, np.empty(0, np.int64))


def _to_bytes(values: Values, size: int) -> Any:
    """Return every matrix as the bytes of its arrays, one after the other."""
    count = values.mantissa.shape[0] // size
    parts = [np.ascontiguousarray(each).reshape(count, -1).view(np.uint8) for each in values]
    content = np.concatenate(parts, axis=1)
    at_once = max(1, LARGEST_CHUNK // content.shape[1])
    chunks = [
        _binary(content[begin : begin + at_once]) for begin in range(0, max(1, count), at_once)
    ]
    return pa.chunked_array(chunks, pa.binary())


def _binary(content: NDArray[np.uint8]) -> pa.Array:
    """Return the rows of a table of bytes."""
    count, width = content.shape
    offsets = np.arange(0, count * width + 1, width, dtype=np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(content))]
    return pa.Array.from_buffers(pa.binary(), count, buffers)


def _content(matrices: Any) -> NDArray[np.uint8]:
    """Return the bytes of all rows of a column, one after the other."""
    parts = [np.empty(0, np.uint8)]
    for chunk in matrices.chunks if isinstance(matrices, pa.ChunkedArray) else [matrices]:
        if len(chunk):
            _, offsets, data = chunk.buffers()
            ends = np.frombuffer(offsets, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
            parts.append(np.frombuffer(data, np.uint8)[ends[0] : ends[-1]])
    return parts[-1] if len(parts) == 2 else np.concatenate(parts)


def _from_bytes(matrices: Any, machine: SlotMachine, measures: Measures) -> Values:
    size, numbers = machine.owner.size, measures.moduli.size
    widths = [numbers, numbers, numbers, measures.least_positions.size]
    dtypes: list[Any] = [np.float64, np.int64, np.int64, np.int64]
    ends = list(accumulate(8 * size * size * width for width in widths))
    content = _content(matrices).reshape(-1, ends[-1])
    arrays = []
    for begin, end, width, dtype in zip([0, *ends], ends, widths, dtypes, strict=False):
        own = np.ascontiguousarray(content[:, begin:end])
        arrays.append(own.view(dtype).reshape(len(matrices) * size, size, width))
    return Values(*arrays)
