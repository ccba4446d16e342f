"""Windows of ranges of time: finished where a range has all of one, composed across borders.

A row of a range is a pane near its border, see engine/trends/range_table.py; one more row has
the finished windows as a packet. Ranges do not overlap, but a pane at a border may be in two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.engine.bundle import bundle_of_one
from cepheid.engine.events.ticks import from_ticks, to_ticks
from cepheid.engine.run import EventColumns, RunMode, run
from cepheid.engine.trends.folds.panes import pane_length
from cepheid.engine.trends.partial_table import partial_schema, to_partial
from cepheid.engine.trends.range_table import compose, fold_range, range_schema
from cepheid.engine.trends.result_table import WINDOW_START, place_fields
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.arrow_arrays import to_arrow
from cepheid.program.program import Clock, Program
from cepheid.program.slot_program import SlotProgram
from cepheid.spark.shuffle.packed_events import from_packet, to_packets

Int64s = NDArray[np.int64]
FIRST, LAST, FINISHED = "first_window", "last_window", "finished"


class _Inside(NamedTuple):
    """The windows that a range has all events of: numbers of the first and the last."""

    first: int
    last: int


def windows_schema(program: Program, events: pa.Schema) -> pa.Schema:
    """Return the schema of the rows of all ranges: panes, which windows are finished, and these."""
    own = [pa.field(FIRST, pa.int64()), pa.field(LAST, pa.int64()), pa.field(FINISHED, pa.binary())]
    return pa.schema([*range_schema(program, events), *own])


def fold_windows(
    program: Program, slots: SlotProgram, output: AggregateOutput, events: pa.Table
) -> pa.Table:
    """Return the rows of one range."""
    schema = windows_schema(program, events.schema)
    ticks = to_ticks(events.column(program.time), program.time)
    inside = _inside(program, ticks)
    if inside is None:
        return _as_rows(fold_range(program, slots, output, events), schema, None)
    assert program.window_length is not None
    assert program.slide is not None
    begin, end = inside.first * program.slide, inside.last * program.slide
    is_at_border = (ticks < begin - program.slide + program.window_length) | (
        ticks >= end + program.slide
    )
    panes = fold_range(program, slots, output, events.filter(to_arrow(is_at_border)))
    is_inside = (ticks >= begin) & (ticks < end + program.window_length)
    inner = EventColumns.of(events.filter(to_arrow(is_inside)))
    ((_, finished),) = run(bundle_of_one(program), inner, RunMode(partially=(0,)))
    assert isinstance(finished, pa.Table)
    chosen = finished.filter(_is_of(program, output, events.schema, finished, [inside]))
    packets = {FINISHED: pa.array(to_packets(chosen), pa.binary())}
    return pa.concat_tables(
        [_as_rows(panes, schema, inside), _as_rows(pa.table(packets), schema, inside)]
    )


def compose_windows(
    program: Program,
    slots: SlotProgram,
    output: AggregateOutput,
    events: pa.Schema,
    rows: pa.Table,
) -> pa.Table:
    """Return partial values of all windows, see engine/trends/partial_table.py."""
    is_finished = rows.column(FINISHED).is_valid()
    packets = rows.column(FINISHED).filter(is_finished)
    found = [from_packet(each.as_buffer()) for each in packets]
    panes = rows.filter(pc.invert(is_finished))
    schema = partial_schema(program, output, events)
    if panes.num_rows:
        matrices = panes.drop_columns([FIRST, LAST, FINISHED])
        across = to_partial(schema, compose(program, slots, output, events, matrices))
        known = panes.filter(panes.column(FIRST).is_valid()).group_by([FIRST, LAST]).aggregate([])
        inside = [_Inside(*each.values()) for each in known.select([FIRST, LAST]).to_pylist()]
        found.append(across.filter(pc.invert(_is_of(program, output, events, across, inside))))
    return pa.concat_tables([schema.empty_table(), *found])


def _inside(program: Program, ticks: Int64s) -> _Inside | None:
    """Return the windows between the first and the last pane, which may be those of others too."""
    length, slide = program.window_length, program.slide
    if length is None or slide is None or program.clock is not Clock.TIME or not ticks.size:
        return None
    pane = pane_length(length, slide)
    begin = (int(ticks.min()) // pane + 1) * pane
    end = int(ticks.max()) // pane * pane
    first, last = -(-begin // slide), (end - length) // slide
    return _Inside(first, last) if first <= last else None


def _as_rows(table: pa.Table, schema: pa.Schema, inside: _Inside | None) -> pa.Table:
    """Return rows with all columns."""
    given = {name: table.column(name) for name in table.column_names}
    if inside is not None:
        size = table.num_rows
        given |= {FIRST: pa.repeat(inside.first, size), LAST: pa.repeat(inside.last, size)}
    columns = [given.get(each.name, pa.nulls(table.num_rows, each.type)) for each in schema]
    return pa.table(columns, names=schema.names).cast(schema)


def _is_of(
    program: Program,
    output: AggregateOutput,
    events: pa.Schema,
    rows: pa.Table,
    inside: list[_Inside],
) -> pa.ChunkedArray:
    """Return whether rows are of some windows."""
    found = pa.chunked_array([pa.repeat(False, rows.num_rows)])
    if not inside or program.slide is None:
        return found
    names = [each.name for each in place_fields(program, output, events)]
    start = rows.column(str(names.index(WINDOW_START)))
    kind = events.field(program.time).type
    for each in inside:
        bounds = np.array([each.first, each.last]) * program.slide
        first, last = from_ticks(bounds, kind).cast(start.type)
        is_of = pc.and_(pc.greater_equal(start, first), pc.less_equal(start, last))
        found = pc.or_(found, is_of)
    return found
