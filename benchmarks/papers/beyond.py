"""What the papers do not measure: cost by the window alone, by the output alone, and memory."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import cepheid
from benchmarks.papers.beyond_state import WINDOW_MEMORY, of_types
from benchmarks.papers.claims import at_least, at_most, figures, number, quotient
from benchmarks.papers.experiment import Cell, Claim, Experiment, Outcome
from benchmarks.papers.race import Answer, Contender
from benchmarks.papers.sase_contenders import engine
from benchmarks.papers.sase_stream import Workload
from benchmarks.papers.sweep import OURS, THROUGHPUT, Entry, sweep

WINDOWS = (1_000, 10_000, 100_000)
VALUES_PER_WINDOW = 0.05  # the partition attribute has so many values that results stay as many
EVENTS = 1_000_000

KLEENE_WINDOW = 12
KLEENE_EVENTS = 5_000  # 2^11 matches end at each of them
FILL = "filling the arrays"
BY_CLOCK = "speed of filling that Cepheid has, by the clock on the wall"


def _window_workload(window: int, events: int) -> Workload:
    return Workload(events, window, values=(max(2, int(window * VALUES_PER_WINDOW)),))


def _grow_window(scale: float) -> Outcome:
    events = max(20_000, int(EVENTS * scale))
    found = sweep(
        WINDOWS,
        "W",
        lambda window: _window_workload(window, events).table(),
        lambda window: {OURS: Entry(engine(_window_workload(window, events)))},
    )
    speed, matches = found.throughput(OURS), found.matches(per_events=1000)
    counts = ", ".join(number(each.value or 0, 3) for each in matches)
    return Outcome(WINDOWS, {OURS: speed}, [f"matches per 1,000 events: {counts}"])


def _window_claims(outcome: Outcome) -> list[Claim]:
    speed = outcome.curves[OURS]
    steps = [quotient(speed[place], speed[place + 1]) for place in range(len(WINDOWS) - 1)]
    return [
        Claim(
            f"from W = {small:,} to {large:,} the time grows at most 1.5 times"
            + figures(" ({} times)", step),
            at_most(step, 1.5),
        )
        for small, large, step in zip(WINDOWS, WINDOWS[1:], steps, strict=False)
    ]


WINDOW = Experiment(
    name="beyond-window",
    title="a window ten times as long with as many results",
    x_label="window W (events)",
    y_label=THROUGHPUT,
    paper="No paper measures it; the goal is at most 1.5 times the time for ten times the window.",
    differs="SEQ of three types of 20, one equivalence test; its attribute has W / 20 values, so "
    "that the number of results does not grow with W.",
    run=_grow_window,
    claims=_window_claims,
    log_x=True,
)


def _times(events: pa.Table) -> Answer:
    query = f"PATTERN A+ a WITHIN {KLEENE_WINDOW} RETURN a.time"
    found = cepheid.query(query).run(events, time="time", type="type")
    return Answer(_sizes(found.num_rows, sum(len(c.values) for c in found["a_time"].chunks)))


def _fill(rows: int, values: int) -> Contender:
    def run(_events: pa.Table) -> Answer:
        offsets, content = np.empty(rows + 1, np.int32), np.empty(values, np.int64)
        offsets.fill(1)
        content.fill(1)
        return Answer(_sizes(offsets.size - 1, content.size))

    return run


def _sizes(rows: int, values: int) -> pa.Table:
    """Stand for a result by its size: millions of lists are not summed up."""
    return pa.table({"matches": [rows], "events": [values]})


def _kleene_sizes(events: int) -> tuple[int, int]:
    """Return the number of matches, and of their events, of A+ over consecutive times."""
    before = np.minimum(np.arange(events), KLEENE_WINDOW - 1)
    return int((2**before).sum()), int((2**before + before * 2 ** np.maximum(before - 1, 0)).sum())


def _write_kleene(scale: float) -> Outcome:
    points = [max(50, int(KLEENE_EVENTS * scale * part)) for part in (0.1, 0.3, 1.0)]
    found = sweep(
        points,
        "events",
        lambda count: pa.table(
            {"time": np.arange(count), "type": pa.array(["A"] * count).dictionary_encode()}
        ),
        lambda count: {
            OURS: Entry(_times),
            FILL: Entry(_fill(*_kleene_sizes(count))),
        },
    )
    series = {name: found.throughput(name) for name in (OURS, FILL)}
    walls = [(each[FILL].seconds or 0.0) / (each[OURS].seconds or np.inf) for each in found.timings]
    return Outcome(points, series, found.ratios([FILL]), {BY_CLOCK: [Cell(each) for each in walls]})


def _kleene_claims(outcome: Outcome) -> list[Claim]:
    return [
        Claim(
            f"{_kleene_sizes(int(count))[0]:,} matches are written with at least 0.5 of the "
            f"speed of filling, by the clock on the wall{figures(' ({})', cell.value)}",
            at_least(cell.value, 0.5),
            why="the lists of a match are written one after the other, not in one go",
        )
        for count, cell in zip(outcome.points, outcome.curves[BY_CLOCK], strict=True)
    ]


KLEENE = Experiment(
    name="beyond-kleene",
    title="skip-till-any Kleene, bound by writing the output",
    x_label="events (2,048 matches end at each)",
    y_label=THROUGHPUT,
    paper="No paper measures it; the goal is half the speed of filling the same arrays.",
    differs=f"A+ within {KLEENE_WINDOW} over consecutive times, RETURN a.time: about 10 million "
    "matches at scale 1. The arrays are the offsets and the values of the lists.",
    run=_write_kleene,
    claims=_kleene_claims,
    log_x=True,
    log_y=True,
)


STREAM_EVENTS = (250_000, 1_000_000, 4_000_000)
BYTES = "peak of memory beyond the events (bytes)"


def _counted(query: str) -> Contender:
    def run(events: pa.Table) -> Answer:
        return Answer(cepheid.query(query).run(events, time="time", type="type"))

    return run


def _grow_stream(scale: float) -> Outcome:
    points = [max(1000, int(events * scale)) for events in STREAM_EVENTS]
    query = "PATTERN SEQ(A, B+) RETURN LOG2(COUNT(*))"
    found = sweep(
        points,
        "events",
        lambda events: of_types(events, ("A", "B")),
        lambda _: {OURS: Entry(_counted(query))},
        turns=1,
        memory=True,
    )
    memory = found.memory(OURS)
    per_event = quotient(memory[-1], Cell(points[-1]))
    return Outcome(points, {OURS: memory}, [figures("{} bytes per event at the end", per_event)])


def _stream_claims(outcome: Outcome) -> list[Claim]:
    memory, points = outcome.curves[OURS], [Cell(float(each)) for each in outcome.points]
    factor = quotient(memory[-1], memory[0])
    return [
        Claim(
            figures("{} times the events take", quotient(points[-1], points[0]))
            + f" at most 1.5 times the memory{figures(' ({} times)', factor)}",
            at_most(factor, 1.5),
        )
    ]


STREAM_MEMORY = Experiment(
    name="beyond-memory-stream",
    title="memory of type-grained aggregation over ever longer streams",
    x_label="events",
    y_label=BYTES,
    paper="COGRA shows that type-grained aggregates need constant memory; so should ours, beyond "
    "the events that the caller holds.",
    differs="SEQ(A, B+), one group, no window. The events are an Arrow table in memory, which is "
    "not counted.",
    run=_grow_stream,
    claims=_stream_claims,
    log_x=True,
    log_y=True,
)


EXPERIMENTS: tuple[Experiment, ...] = (WINDOW, KLEENE, STREAM_MEMORY, WINDOW_MEMORY)
