"""What aggregates keep of a stream that comes in micro-batches, by the window and by the stream."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import cepheid
from benchmarks.papers.claims import at_most, figures, quotient
from benchmarks.papers.experiment import Cell, Claim, Experiment, Outcome
from benchmarks.papers.progress import announce
from benchmarks.papers.sase_stream import SEED
from benchmarks.papers.sweep import OURS
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.program.lower import lower
from cepheid.program.program import Program
from cepheid.stream.stream_bundle import stream_of_one
from cepheid.stream.stream_state import StreamState
from cepheid.stream.stream_step import step

BATCH = 1_000
WINDOWS = (5_000, 25_000, 125_000)
STREAMS = {2: 250_000, 4: 500_000}  # of at least so many of the longest windows
QUERIES = {
    "adjacent": "PATTERN B b+ SEMANTICS skip-till-any-match WHERE b.price > NEXT(b).price",
    "type-grained": "PATTERN SEQ(A, B+)",
}


def of_types(events: int, names: tuple[str, ...]) -> pa.Table:
    """Return events of random types, with prices that walk."""
    rng = np.random.default_rng(SEED)
    codes = rng.integers(0, len(names), events, np.int8)
    return pa.table(
        {
            "time": np.arange(events),
            "type": pa.DictionaryArray.from_arrays(codes, pa.array(names)),
            "price": 1000 + np.cumsum(rng.integers(-5, 6, events)),
        }
    )


def _program(query: str, window: int, schema: pa.Schema) -> Program:
    text = f"{query} WITHIN {window} SLIDE {window} RETURN LOG2(COUNT(*))"
    return lower(cepheid.query(text).plan(event_schema(schema, ColumnRoles("time", "type"))))


def _most_kept(query: str, window: int, events: pa.Table) -> int:
    """Return how many bytes are kept between two micro-batches at most."""
    announce(f"{events.num_rows:,} events in windows of {window:,}")
    bundle = stream_of_one(_program(query, window, events.schema))
    state, most = StreamState(), 0
    for first in range(0, events.num_rows, BATCH):
        arrived = events.slice(first, BATCH)
        state = step(bundle, state, arrived, None, ordered=True).state
        most = max(most, state.size)
    return most


def _grow_window(scale: float) -> Outcome:
    windows = [max(BATCH, int(window * scale)) for window in WINDOWS]
    streams = [max(times * windows[-1], int(events * scale)) for times, events in STREAMS.items()]
    tables = {events: of_types(events, ("A", "B")) for events in streams}
    series = {
        f"{OURS}, {name}, {events:,} events": [
            Cell(_most_kept(query, window, table)) for window in windows
        ]
        for name, query in QUERIES.items()
        for events, table in tables.items()
    }
    notes = [
        "adjacent: a chunk of events is dropped when half of it is too old, so that up to twice a "
        "window is kept",
        "type-grained: up to 4,096 events are kept as they are before they become matrices",
    ]
    return Outcome(windows, series, notes)


def _claims(outcome: Outcome) -> list[Claim]:
    adjacent, grained = (
        [cells for name, cells in outcome.series.items() if f" {query}," in name]
        for query in QUERIES
    )
    claims: list[Claim] = []
    per_event = [
        Cell(quotient(cell, Cell(float(window))))
        for cell, window in zip(adjacent[0], outcome.points, strict=True)
    ]
    ordered = sorted(per_event, key=lambda each: each.value or 0.0)
    spread = quotient(ordered[-1], ordered[0])
    many = ", ".join(["{}"] * len(per_event))
    claims.append(
        Claim(
            "adjacent, the state is linear in W: its bytes per event differ by at most 2"
            + figures(
                f" ({many}, which differ by {{}})", *(each.value for each in per_event), spread
            ),
            at_most(spread, 2),
        )
    )
    last = quotient(grained[0][-1], grained[0][0])
    claims.append(
        Claim(
            "type-grained, the longest window takes at most 1.5 times the state of the shortest"
            + figures(" ({} times)", last),
            at_most(last, 1.5),
        )
    )
    longer = [
        quotient(long, short)
        for shorter in (adjacent, grained)
        for short, long in zip(*shorter, strict=True)
    ]
    claims += [
        Claim(
            "a stream twice as long takes at most 1.1 times the state"
            + figures(" ({} times)", each),
            at_most(each, 1.1),
        )
        for each in (max(longer, key=lambda value: value or 0.0),)
    ]
    return claims


WINDOW_MEMORY = Experiment(
    name="beyond-memory-window",
    title="what is kept of a stream, over ever longer windows and streams",
    x_label="window W (events)",
    y_label="state carried between micro-batches, at most (bytes)",
    paper="COGRA needs memory linear in the window where predicates read adjacent events, and "
    "constant memory for type-grained aggregates; neither grows with the stream.",
    differs=f"The stream comes in micro-batches of {BATCH:,} events; what is carried from one to "
    "the next is measured. Adjacent: falling prices, skip-till-any; type-grained: SEQ(A, B+). "
    "Windows do not overlap.",
    run=_grow_window,
    claims=_claims,
    log_x=True,
    log_y=True,
)
