"""Fold events that come in chunks, in the order of time: what is kept is bounded by the window.

Queries with a window are run as a stream in order; results are given as soon as they are final.
Linear aggregates without a window are folded to matrices, one per partition and chunk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pyarrow as pa

from cepheid.engine.events.ticks import LARGEST, to_ticks
from cepheid.engine.process.name_errors import errors_of
from cepheid.engine.trends.partial_table import partial_schema, to_partial
from cepheid.engine.trends.range_table import compose, fold_range
from cepheid.engine.trends.result_table import finish
from cepheid.engine.trends.time_stretches import can_be_ranges
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Clock, Program
from cepheid.program.slot_program import SlotProgram
from cepheid.program.when_final import WhenFinal, when_final
from cepheid.stream.sorted_runs import Chunk
from cepheid.stream.stream_bundle import reason_unbounded, stream_of_one
from cepheid.stream.stream_state import StreamState
from cepheid.stream.stream_step import step


def folds_in_chunks(program: Program, events: pa.Schema) -> bool:
    """Whether events can come in chunks; otherwise everything must be kept until the end.

    Without a window any event can be part of a later match. A window of events is closed by later
    events of its partition only, which the last ones of the input do not have.
    """
    output = program.output
    if program.window_length is None:
        return can_be_ranges(program, events)
    if program.clock is Clock.TIME:
        return reason_unbounded(program) is None
    is_final_at_once = program.negation is None and program.pair is None
    return (
        not isinstance(output, AggregateOutput)
        and is_final_at_once
        and when_final(program) is WhenFinal.LAST_EVENT
    )


def fold_in_chunks(
    program: Program, chunks: Iterable[Chunk], *, partially: bool
) -> Iterator[pa.Table]:
    """Yield the results; with `partially` rows of groups that others add to."""
    if program.window_length is None:
        with errors_of(program.name):
            folded = _fold_to_matrices(program, chunks, partially=partially)
        yield folded
        return
    bundle = stream_of_one(program, partially=partially)
    state, latest = StreamState(), None
    for chunk in chunks:
        until = chunk.until
        if until is None:
            until = _after_all(program, chunk.events, latest)
        done = step(bundle, state, chunk.events, until, ordered=True)
        state, latest = done.state, until
        yield from done.results.values()


def _after_all(program: Program, events: pa.Table, before: int | None) -> int:
    """Return a tick at which nothing waits any more."""
    latest = before or 0
    if events.num_rows:
        latest = int(to_ticks(events[program.time], program.time).max())
    return min(latest + 2 * (program.window_length or 0) + 2, LARGEST)


def _fold_to_matrices(program: Program, chunks: Iterable[Chunk], *, partially: bool) -> pa.Table:
    slots, output = program.slots, program.output
    assert slots is not None
    assert isinstance(output, AggregateOutput)
    folded: list[pa.Table] = []
    schema = None
    for chunk in chunks:
        schema = chunk.events.schema
        folded.append(fold_chunk(program, slots, output, chunk.events))
    assert schema is not None
    rows = compose(program, slots, output, schema, pa.concat_tables(folded))
    if partially:
        return to_partial(partial_schema(program, output, schema), rows)
    return finish(program, output, schema, rows)


def fold_chunk(
    program: Program, slots: SlotProgram, output: AggregateOutput, events: pa.Table
) -> pa.Table:
    """Return the matrices of one chunk."""
    return fold_range(replace(program, cuts_time=True), slots, output, events)
