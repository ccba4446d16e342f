"""Streams of some hundred events with few keys, so that a window is much longer than a step."""

import random
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

import cepheid
from tests.properties.cached_steps import drive_with_cache
from tests.properties.comparison import SCHEMA
from tests.properties.queries import Case
from tests.properties.stream_steps import FAR, Batch, program_of

ORDER = ("seq",)


def random_events(
    draw: random.Random, count: int, keys: int, *, has_ties: bool = True
) -> list[dict[str, Any]]:
    """Return events in order of time; some have the same order key, if there are ties."""
    time, events = -20, []
    for at in range(count):
        time += draw.choice([0, 1, 1, 2])
        seq = draw.choice([0, 0, 1]) if has_ties else at
        event = {"type": draw.choice("AABBC"), "time": time, "seq": seq}
        events.append(event | {"k": draw.randrange(keys), "x": draw.randint(-3, 3)})
    return events


def random_batches(draw: random.Random, events: list[dict[str, Any]]) -> Iterator[Batch]:
    """Yield micro-batches of events that are up to three ticks late; the last settles all."""
    delayed = sorted(events, key=lambda each: each["time"] + draw.random() * 3)
    place = 0
    while place < len(delayed):
        size = draw.choice([0, 1, 5, 9, 20])
        chosen = delayed[place : place + size]
        latest = max((each["time"] for each in delayed[:place]), default=None)
        place += size
        yield Batch(chosen, None if latest is None else latest - 3)
    yield Batch([], FAR)


def batches_in_order(draw: random.Random, events: list[dict[str, Any]]) -> Iterator[Batch]:
    """Yield micro-batches of a stream in order; events with one order key come together."""
    keys = [key for key, _ in groupby(sorted(map(_key, events)))]
    place, latest = 0, None
    while place < len(keys):
        size = draw.choice([0, 1, 5, 9, 20])
        chosen = {*keys[place : place + size]}
        place += size
        yield Batch([each for each in events if _key(each) in chosen], latest)
        latest = max(chosen)[0] if chosen and draw.random() < 0.5 else latest
    yield Batch([], FAR)


def _key(event: dict[str, Any]) -> tuple[int, int]:
    return event["time"], event["seq"]


def of_a_stream(
    text: str,
    seed: int,
    folder: Path,
    data: st.DataObject,
    *,
    ordered: bool = False,
    has_ties: bool = True,
    loses: bool = True,
    counts: Sequence[int] = (40, 120),
) -> tuple[list[str], list[str], int]:
    """Return the rows of a query on a stream, those on a table, and the events run again."""
    draw = random.Random(seed)
    count, keys = draw.choice(counts), draw.choice([1, 2, 5])
    events = random_events(draw, count, keys, has_ties=has_ties)
    program = program_of(Case(text, events, ORDER))
    batches = list((batches_in_order if ordered else random_batches)(draw, events))
    steps = drive_with_cache(
        program, batches, folder, data, ordered=ordered, schema=SCHEMA, loses=loses
    )
    found = [row for each in steps for one in each.results.values() for row in one.to_pylist()]
    table = pa.Table.from_pylist(events, schema=SCHEMA)
    wanted = cepheid.query(text).run(table, time="time", type="type", order=ORDER)
    again = sum(each.work.replayed for each in steps)
    return sorted(map(repr, found)), sorted(map(repr, wanted.to_pylist())), again
