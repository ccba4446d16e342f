"""Drive a stream through steps, with the state going through bytes in between."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
from hypothesis import assume
from hypothesis import strategies as st

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.matches.forms.compressed import CompressedMatches
from cepheid.engine.matches.forms.compressed_bytes import from_bytes
from cepheid.program.compute_columns import computed_schema
from cepheid.program.copy_events import with_copies
from cepheid.program.lower import lower
from cepheid.program.program import Clock, MatchOutput, Program
from cepheid.stream.stream_state import StreamState
from cepheid.stream.stream_step import Step
from tests.properties.comparison import SCHEMA
from tests.properties.queries import Case
from tests.stream.script import result_of, step_alone

Row = dict[str, Any]
FAR = 10_000  # beyond every window of a test


@dataclass(frozen=True)
class Batch:
    """Events that arrive together, and the watermark when they do."""

    events: Sequence[Row]
    until: int | None
    ends: bool = False  # no event comes any more


def program_of(case: Case, schema: pa.Schema = SCHEMA) -> Program:
    roles = ColumnRoles(time="time", type="type", order=case.order)
    return lower(cepheid.query(case.text).plan(event_schema(schema, roles)))


def drive(
    program: Program,
    batches: Iterable[Batch],
    *,
    ordered: bool = False,
    schema: pa.Schema = SCHEMA,
) -> list[Step]:
    """Make one step per batch; where nothing arrives, only what a step announced may be new.

    Events that belong to several partitions are copied before they come to a step.
    """
    state, steps = StreamState(), list[Step]()
    for batch in batches:
        arrived = pa.Table.from_pylist(list(batch.events), schema=schema) if batch.events else None
        if arrived is not None:
            all_types = program.keeps_all_types
            arrived = with_copies(arrived, program.copies, keeps_all=all_types)
        done = step_alone(
            program,
            state,
            arrived,
            batch.until,
            ordered=ordered,
            late_before=batch.until,
            ends=batch.ends,
        )
        next_timer = steps[-1].next_timer if steps else None
        is_early = next_timer is None or batch.until is None or batch.until <= next_timer
        if arrived is None and is_early and not batch.ends:
            assert not done.results
        if batch.ends:
            assert done.next_timer is None
            assert not done.state.chunks
        data = done.state.to_bytes()
        state = StreamState.from_bytes(data)
        assert state.to_bytes() == data
        steps.append(done)
    return steps


def rows_of(program: Program, steps: Iterable[Step], schema: pa.Schema = SCHEMA) -> list[Row]:
    """Return the results of all steps; graphs are expanded."""
    return [row for each in steps for row in _rows(program, each, schema)]


def _rows(program: Program, done: Step, schema: pa.Schema) -> list[Row]:
    output = program.output
    if not (isinstance(output, MatchOutput) and output.is_compressed):
        return list(result_of(done).to_pylist())
    rows: list[Row] = []
    result = result_of(done)
    for graph in result.column("graph").to_pylist() if result.num_columns else ():
        events, ordered, stored = from_bytes(graph)
        known = computed_schema(schema, program.computed)
        matches = CompressedMatches(program, output, events, known, ordered, stored)
        found = list(matches)
        assert matches.count() == len(found)
        rows += found
    return rows


def closed(case: Case, program: Program) -> Case:
    """Add events that fit nothing and close every window of events, in every partition."""
    if program.clock is Clock.TIME:
        return case
    last = max((each["time"] for each in case.events), default=0)
    blank = {"seq": 0, "k": 0, "x": 0}
    assume(set(program.partition_by) <= set(blank))  # an event that fits nothing has no other key
    names = [each for each in program.partition_by if each in blank]
    keys = dict.fromkeys(tuple(each[name] for name in names) for each in case.events)
    fill = [
        {**blank, **dict(zip(names, key, strict=True)), "type": "D", "time": last + 1 + place}
        for place, key in enumerate([*keys] * ((program.window_length or 0) + 1))
    ]
    return replace(case, events=[*case.events, *fill])


@st.composite
def splits(draw: st.DrawFn, events: Sequence[Row], *, delay: int) -> list[Batch]:
    """Micro-batches of events that are at most so late, and a last one that settles everything."""
    lateness = [draw(st.integers(0, delay)) for _ in events]
    order = sorted(range(len(events)), key=lambda each: events[each]["time"] + lateness[each])
    batches: list[Batch] = []
    latest, place = None, 0
    while place < len(order):
        size = draw(st.integers(0, 3))
        chosen = [events[each] for each in order[place : place + size]]
        place += size
        # The watermark of a batch comes from the batches before it.
        until = None if latest is None else latest - delay
        batches.append(Batch(chosen, until))
        latest = max([each["time"] for each in chosen] + ([] if latest is None else [latest]),
                     default=None)  # fmt: skip
    if draw(st.booleans()):
        batches.append(Batch([], None if latest is None else latest - delay))
    batches.append(Batch([], FAR))
    return batches


@st.composite
def ended(draw: st.DrawFn, batches: list[Batch]) -> list[Batch]:
    """Declare the end instead of letting time go on: after the last events, or with them."""
    *others, _ = batches
    if others and draw(st.booleans()):
        return [*others[:-1], replace(others[-1], ends=True)]
    return [*others, Batch([], others[-1].until if others else None, ends=True)]


@st.composite
def with_late_events(draw: st.DrawFn, batches: list[Batch]) -> tuple[list[Batch], list[Row]]:
    """Let some events of the batches come once more, when they are late; and return these."""
    late: list[Row] = []
    result, seen = [], list[Row]()
    for batch in batches:
        until = batch.until
        old = [each for each in seen if until is not None and each["time"] < until]
        again = draw(st.lists(st.sampled_from(old), max_size=2)) if old else []
        late += again
        seen += batch.events
        result.append(Batch(draw(st.permutations([*batch.events, *again])), until))
    return result, late


@st.composite
def ordered_splits(draw: st.DrawFn, events: Sequence[Row], order: tuple[str, ...]) -> list[Batch]:
    """Micro-batches of a stream in order: events with the same order key arrive together."""
    names = ("time", *order)
    keys = sorted({tuple(each[name] for name in names) for each in events})
    batches: list[Batch] = []
    place = 0
    while place < len(keys):
        size = draw(st.integers(0, 3))
        chosen = set(keys[place : place + size])
        place += size
        batch = [each for each in events if tuple(each[name] for name in names) in chosen]
        # Without delay the watermark is the latest time before; it may also not move.
        seen = [key[0] for key in keys[: place - size]]
        batches.append(Batch(batch, max(seen) if seen and draw(st.booleans()) else None))
    batches.append(Batch([], FAR))
    return batches
