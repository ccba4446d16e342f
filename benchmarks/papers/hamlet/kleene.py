"""Figures 8, 9 and 10: the first workload against the state of the art, and the queries' number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pyarrow as pa

from benchmarks.papers.experiment import Claim, Curves
from benchmarks.papers.hamlet import contenders as made
from benchmarks.papers.hamlet.contenders import (
    GRETA,
    HAMLET,
    MCEP,
    ONE_BY_ONE,
    SHARON,
    WAYS,
)
from benchmarks.papers.hamlet.figure import (
    EVENTS_PER_MINUTE,
    QUERIES,
    Axis,
    Chart,
    Judge,
    Point,
)
from benchmarks.papers.hamlet.says import (
    beats_hamlet,
    grows_little,
    similar,
    two_steps_fail,
    wins,
)
from benchmarks.papers.hamlet.streams import (
    LIMITS,
    RIDE_TYPES,
    SMART_HOME,
    TAXI,
    DataSet,
    bursts,
    ridesharing,
)
from benchmarks.papers.hamlet.task import MINUTE, Task, pairs
from benchmarks.papers.race import Contender
from benchmarks.papers.sweep import OURS, Entry

FEWEST_EVENTS = 1000
MOST_TRENDS, MOST_SEQUENCES = 2e7, 5e9
FEW_QUERIES, MANY_QUERIES = 25, 50
RIDES = (20, 1000, 5000, 10_000, 15_000, 20_000)
USUAL_RIDES, USUAL_TAXIS, USUAL_LOADS = 10_000, 400, 20_000
TAXI_MINUTES, LOAD_MINUTES = 10.0, 0.5


@dataclass(frozen=True, slots=True)
class Rides:
    """A ridesharing stream: events per burst, districts, minutes."""

    burst: int
    districts: int
    minutes: float


SHORT, LONG = Rides(10, 25, 3), Rides(20, 20, 20)
BASELINES: Mapping[str, Callable[[Task], Contender]] = {
    HAMLET: made.hamlet,
    GRETA: made.greta,
    SHARON: made.sharon,
    MCEP: made.mcep,
}
GENERAL = (
    " Queries are known before the clock runs. They ask for SUM of a value in windows that do not "
    "overlap, and a third each for all values, those above 40 and above 60; in the paper all have "
    "the same predicates, and nothing has to be decided. Four bursts in ten have any value, the "
    "others one. Latency is the time that a window takes. The methods of the paper are written "
    "from its description and compiled with Numba instead of Java, put events into slices once for "
    "all queries, and add up in doubles. HAMLET collapses graphlets that are complete. The "
    "two-step approach is not started where it would build more than 20 million trends (less at a "
    "smaller scale), and SHARON not where its counts are more than 5 billion."
)
RIDE_DATA = (
    "The stream of `cepheid generate ridesharing`, which stands for the paper's own; trends have "
    f"events of one of {SHORT.districts} districts, in windows of a minute." + GENERAL
)
TAXI_DATA = (
    "A generated stand-in for the taxi data: bursts of Ride between events of 19 other types, in "
    f"6 zones; windows of {TAXI_MINUTES:g} minutes." + GENERAL
)
LOAD_DATA = (
    "A generated stand-in for the smart home data: bursts of Load between events of 19 other "
    "types, in 40 houses; windows of half a minute, so that counts fit a double." + GENERAL
)


def entries(task: Task, events: pa.Table, names: tuple[str, ...], scale: float) -> dict[str, Entry]:
    """Return the contenders of a point; who would take too long is known beforehand."""
    updates, trends = made.sizes(task, events)
    work = {MCEP: (trends, MOST_TRENDS), SHARON: (updates, MOST_SEQUENCES)}
    ours = made.engines(task.queries, task.group, names)
    found = {name: Entry(contender) for name, contender in ours.items()}
    for name in names:
        if name in BASELINES:
            needed, most = work.get(name, (0.0, 1.0))
            found[name] = Entry(BASELINES[name](task), needed, most * min(1.0, scale))
    return found


def _rides(
    rides: Rides, per_minute: int, queries: int, names: tuple[str, ...], scale: float
) -> Point:
    events = max(FEWEST_EVENTS, round(per_minute * rides.minutes * scale))
    table = ridesharing(events, per_minute, rides.burst, rides.districts)
    task = Task("Travel", pairs(RIDE_TYPES, queries), ("district",), "district", MINUTE, LIMITS)
    return Point(table, entries(task, table, names, scale), per_minute, _decisions(task, table))


def _bursts(
    data: DataSet, per_minute: int, queries: int, windows: tuple[float, int], scale: float
) -> Point:
    minutes, count = windows
    per_window = per_minute * minutes
    events = max(FEWEST_EVENTS, round(per_window * count * scale))
    table = bursts(data, events, per_minute)
    window = round(minutes * MINUTE)
    task = Task(data.shared, pairs(data.others, queries), (data.key,), data.key, window, LIMITS)
    return Point(table, entries(task, table, ONLINE, scale), per_window, _decisions(task, table))


def _decisions(task: Task, events: pa.Table) -> dict[str, int]:
    """Return how many bursts are shared and how many are not, by Cepheid and by HAMLET."""
    found = {OURS: made.our_decisions(task, events), HAMLET: made.hamlets_decisions(task, events)}
    return {
        f"bursts {what} by {name}": count
        for name, counts in found.items()
        for what, count in zip(("shared", "not shared"), counts, strict=True)
    }


ALL = (*WAYS, ONE_BY_ONE, HAMLET, GRETA, SHARON, MCEP)
RIDES_BY_RATE = Axis(
    EVENTS_PER_MINUTE, RIDES,
    lambda rate, scale: _rides(SHORT, rate, FEW_QUERIES, ALL, scale), ALL, memory=True,
)  # fmt: skip
RIDES_BY_QUERIES = Axis(
    QUERIES, (5, 10, 15, 20, 25),
    lambda count, scale: _rides(SHORT, USUAL_RIDES, count, ALL, scale), ALL, memory=True,
)  # fmt: skip
OURS_ONLY = (*WAYS, ONE_BY_ONE)
MORE_QUERIES = Axis(
    QUERIES, (5, 10, 25, 50, 75, 100),
    lambda count, scale: _rides(LONG, USUAL_RIDES, count, OURS_ONLY, scale), OURS_ONLY,
)  # fmt: skip
ONLINE = (*WAYS, ONE_BY_ONE, HAMLET, GRETA)
TAXI_BY_RATE = Axis(
    EVENTS_PER_MINUTE, (200, 250, 300, 350, 400),
    lambda rate, scale: _bursts(TAXI, rate, MANY_QUERIES, (TAXI_MINUTES, 5), scale), ONLINE,
)  # fmt: skip
TAXI_BY_QUERIES = Axis(
    QUERIES, (10, 20, 30, 40, 50),
    lambda count, scale: _bursts(TAXI, USUAL_TAXIS, count, (TAXI_MINUTES, 5), scale), ONLINE,
)  # fmt: skip
LOADS_BY_RATE = Axis(
    EVENTS_PER_MINUTE, (20_000, 25_000, 30_000, 35_000, 40_000),
    lambda rate, scale: _bursts(SMART_HOME, rate, MANY_QUERIES, (LOAD_MINUTES, 3), scale), ONLINE,
)  # fmt: skip
LOADS_BY_QUERIES = Axis(
    QUERIES, (10, 20, 30, 40, 50),
    lambda count, scale: _bursts(SMART_HOME, USUAL_LOADS, count, (LOAD_MINUTES, 3), scale), ONLINE,
)  # fmt: skip

LOW = (
    "HAMLET is faster than SHARON by 3 to 5 orders of magnitude, than GRETA by 1 to 2, and than "
    "MCEP 7 to 76 times."
)
LOW_MEMORY = "HAMLET, GRETA and MCEP need about as much, SHARON 2 to 3 orders of magnitude more."
SHORTER = (
    "a slice has tens to hundreds of shared events, where the paper's windows have thousands and "
    "the gap grows with them; and what it compares with is compiled, too"
)
FEW_EVENTS = (
    "with 20 events per minute, the last point where building trends ends, Cepheid's time is what "
    "any workload costs"
)
COUNTS = "SHARON's counts are those of one slice, which is used again, instead of Java objects"
HIGH = "HAMLET outperforms GRETA by 3 to 5 orders of magnitude."


def _low(*, by_time: bool) -> Judge:
    def claims(curves: Curves) -> list[Claim]:
        return [
            *wins(curves, SHARON, (1e3, 1e5), SHORTER, by_time=by_time),
            *wins(curves, GRETA, (10.0, 100.0), SHORTER, by_time=by_time),
            *wins(curves, MCEP, (7.0, 76.0), FEW_EVENTS, by_time=by_time),
            two_steps_fail(curves),
            beats_hamlet(curves, by_time=by_time),
        ]

    return claims


def _memory(curves: Curves) -> list[Claim]:
    return [similar(curves, GRETA), *wins(curves, SHARON, (100.0, 1000.0), COUNTS)]


def _high(*, by_time: bool) -> Judge:
    return lambda curves: [
        *wins(curves, GRETA, (1e3, 1e5), SHORTER, by_time=by_time),
        beats_hamlet(curves, by_time=by_time),
    ]


def _rides_chart(figure: str, axis: Axis, metric: str, judge: Judge) -> Chart:
    paper = LOW_MEMORY if metric == "memory" else LOW
    title = "Ridesharing, against the state of the art"
    return Chart(f"hamlet-fig-{figure}", title, axis, metric, paper, judge, RIDE_DATA)


def _bursts_chart(letter: str, data: DataSet, axis: Axis, metric: str) -> Chart:
    title, differs = (
        ("NYC taxi stand-in", TAXI_DATA) if data is TAXI else ("Smart home stand-in", LOAD_DATA)
    )
    return Chart(
        f"hamlet-fig-10{letter}",
        f"{title}, against GRETA",
        axis,
        metric,
        HIGH,
        _high(by_time=metric == "latency"),
        differs,
    )


CHARTS = (
    _rides_chart("8a", RIDES_BY_RATE, "latency", _low(by_time=True)),
    _rides_chart("8b", RIDES_BY_QUERIES, "latency", _low(by_time=True)),
    _rides_chart("8c", RIDES_BY_RATE, "throughput", _low(by_time=False)),
    _rides_chart("8d", RIDES_BY_QUERIES, "throughput", _low(by_time=False)),
    _rides_chart("9a", RIDES_BY_RATE, "memory", _memory),
    _rides_chart("9b", RIDES_BY_QUERIES, "memory", _memory),
    _bursts_chart("a", TAXI, TAXI_BY_RATE, "latency"),
    _bursts_chart("b", SMART_HOME, LOADS_BY_RATE, "latency"),
    _bursts_chart("c", TAXI, TAXI_BY_RATE, "throughput"),
    _bursts_chart("d", SMART_HOME, LOADS_BY_RATE, "throughput"),
    _bursts_chart("e", TAXI, TAXI_BY_QUERIES, "latency"),
    _bursts_chart("f", SMART_HOME, LOADS_BY_QUERIES, "latency"),
    _bursts_chart("g", TAXI, TAXI_BY_QUERIES, "throughput"),
    _bursts_chart("h", SMART_HOME, LOADS_BY_QUERIES, "throughput"),
    Chart(
        "hamlet-queries",
        "Ridesharing, up to 100 queries",
        MORE_QUERIES,
        "latency",
        "(Not in the paper.) Twenty times as many queries should not take much longer.",
        lambda curves: [grows_little(curves, 3)],
        "The stream of `cepheid generate ridesharing` with bursts of about 20 Travel events in "
        f"{LONG.districts} districts, in windows of a minute. Queries are known before the clock "
        "runs.",
        log_y=False,
    ),
)
