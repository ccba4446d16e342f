"""Streams of some hundred events with few keys, so that a window is much longer than a step."""

import random
from collections.abc import Iterator
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


def random_events(draw: random.Random, count: int, keys: int) -> list[dict[str, Any]]:
    """Return events with ties, in order of time."""
    time, events = -20, []
    for _ in range(count):
        time += draw.choice([0, 1, 1, 2])
        event = {"type": draw.choice("AABBC"), "time": time, "seq": draw.choice([0, 0, 1])}
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


def of_a_stream(
    text: str, seed: int, folder: Path, data: st.DataObject
) -> tuple[list[str], list[str], int]:
    """Return the rows of a query on a stream, those on a table, and the events run again."""
    draw = random.Random(seed)
    events = random_events(draw, draw.choice([40, 120]), draw.choice([1, 2, 5]))
    program = program_of(Case(text, events, ORDER))
    batches = list(random_batches(draw, events))
    steps = drive_with_cache(program, batches, folder, data, ordered=False, schema=SCHEMA)
    found = [row for each in steps for one in each.results.values() for row in one.to_pylist()]
    table = pa.Table.from_pylist(events, schema=SCHEMA)
    wanted = cepheid.query(text).run(table, time="time", type="type", order=ORDER)
    again = sum(each.work.replayed for each in steps)
    return sorted(map(repr, found)), sorted(map(repr, wanted.to_pylist())), again
