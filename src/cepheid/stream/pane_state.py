"""The state of a linear aggregate in windows that slide: a matrix for every partition and pane.

All settled events of a pane are one matrix, however many they are. So the state follows the number
of partitions and of panes in a window. Rows are those of engine/trends/range_table.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from cepheid.engine.trends.folds.panes import ALL_WINDOWS, pane_length
from cepheid.engine.trends.min_max_keys import has_own_keys
from cepheid.engine.trends.partial_table import partial_schema, to_partial
from cepheid.engine.trends.range_table import (
    PANE,
    compose,
    fold_range,
    merge_ranges,
    range_schema,
)
from cepheid.engine.trends.result_table import aggregate_schema, finish
from cepheid.errors import InternalError
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.arrow_arrays import to_arrow, to_numpy
from cepheid.program.compute_columns import computed_schema
from cepheid.program.program import Program
from cepheid.program.slot_program import SlotProgram
from cepheid.stream.step_rules import why_no_matrices


def keeps_panes(program: Program, events: pa.Schema) -> bool:
    """Whether a program keeps matrices instead of events of this schema."""
    is_sliding = program.slide is not None and why_no_matrices(program) is None
    return is_sliding and has_lasting_keys(program, events)


def has_lasting_keys(program: Program, events: pa.Schema) -> bool:
    """Whether MIN and MAX have keys that mean the same in every step: not of texts, decimals."""
    output = program.output
    if not isinstance(output, AggregateOutput):
        return False
    kinds = computed_schema(events, program.computed)
    return all(has_own_keys(_plain(kinds.field(e.attribute).type)) for e in output.minima)


def fold(program: Program, events: pa.Table) -> pa.Table:
    """Return the matrices of newly settled events.

    Raises:
        DataError: MIN or MAX of a value next to the limit of 64 bits that has no key.
    """
    slots, output, _, _ = _parts(program)
    # Every event of a partition is a step, so that a contiguous run that goes on is told from one
    # that another event has ended.
    return fold_range(replace(program, cuts_time=True), slots, output, events)


def merge(program: Program, events: pa.Schema, tables: Sequence[pa.Table]) -> pa.Table:
    """Return one row for every partition and pane; tables come in the order of time."""
    slots, output, _, _ = _parts(program)
    none = range_schema(program, events).empty_table()
    rows = pa.concat_tables([none, *tables], promote_options="default")
    return merge_ranges(program, slots, output, events, rows) if rows.num_rows else rows


def close(
    program: Program,
    events: pa.Schema,
    rows: pa.Table,
    before: int | None,
    until: int,
    *,
    partially: bool = False,
) -> tuple[pa.Table, pa.Table]:
    """Return the result of windows that end after `before` up to `until`, and what is still needed.

    With `partially` the result has partial rows, for groups whose partitions are in several places.
    """
    slots, output, length, slide = _parts(program)
    first = ALL_WINDOWS[0] if before is None else (before - length) // slide + 1
    last = (until - length) // slide
    begin = to_numpy(rows.column(PANE)) * pane_length(length, slide)
    is_closed = begin < last * slide + length
    closed = rows.filter(to_arrow(is_closed))
    kept = rows.filter(to_arrow(begin >= (last + 1) * slide))
    schema = aggregate_schema(program, output, events)
    partial = partial_schema(program, output, events)
    if last < first or not closed.num_rows:
        return (partial if partially else schema).empty_table(), kept
    finished = compose(program, slots, output, events, closed, (first, last))
    if partially:
        return to_partial(partial, finished), kept
    return finish(program, output, events, finished), kept


def next_close(program: Program, rows: pa.Table, until: int) -> int | None:
    """Return the first tick after `until` at which a window with events ends; None without any."""
    _, _, length, slide = _parts(program)
    if not rows.num_rows:
        return None
    begin = int(np.min(to_numpy(rows.column(PANE)))) * pane_length(length, slide)
    return (max(begin, until) - length) // slide * slide + slide + length


def _parts(program: Program) -> tuple[SlotProgram, AggregateOutput, int, int]:
    """Return slots, output, window and slide."""
    slots, output = program.slots, program.output
    length, slide = program.window_length, program.slide
    if slots is None or not isinstance(output, AggregateOutput) or length is None or slide is None:
        raise InternalError("the state of this query has no panes")
    return slots, output, length, slide


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind
