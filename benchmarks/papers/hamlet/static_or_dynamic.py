"""Figures 11 and 12: deciding for every burst, against sharing always or never."""

from __future__ import annotations

from benchmarks.papers.claims import ratio_claim
from benchmarks.papers.experiment import Claim, Curves
from benchmarks.papers.hamlet import contenders as made
from benchmarks.papers.hamlet.contenders import ALWAYS, ONE_BY_ONE, WAYS
from benchmarks.papers.hamlet.diverse import COMPANY, queries, transactions
from benchmarks.papers.hamlet.figure import (
    EVENTS_PER_MINUTE,
    QUERIES,
    Axis,
    Chart,
    Judge,
    Point,
)
from benchmarks.papers.hamlet.says import decides_well, static_is_worse, total
from benchmarks.papers.sweep import OURS, Entry

FEWEST_EVENTS = 2000
USUAL_RATE, USUAL_QUERIES = 3000, 50
MINUTES, WINDOW_MINUTES = 20, 5  # of the stream, and between two results
NAMES = (*WAYS, ONE_BY_ONE)
DATA = (
    "A generated stand-in for the stock data: trades of 220 companies in bursts, whose length and "
    "prices change by the minute, between events of 12 other types. Windows of 5 to 20 minutes, "
    "every 5 or 10; four aggregates; five predicates on trades. Kleene patterns of length 1, and "
    "one attribute to group by: queries that group differently are not folded together. Latency "
    "is the time that 5 minutes of the stream take. `never` and `one by one` are not in the paper."
)
PAPER = (
    "The dynamic optimizer shares nine in ten bursts, and is 21 to 34 % faster than static plans "
    "that always share; its throughput is 27 to 52 % higher."
)
PAPER_MEMORY = "Memory is a quarter less with dynamic decisions, which need fewer snapshots."


def _point(per_minute: int, count: int, scale: float) -> Point:
    events = max(FEWEST_EVENTS, round(per_minute * MINUTES * scale))
    ours = made.engines(queries(count), COMPANY, NAMES)
    entries = {name: Entry(contender) for name, contender in ours.items()}
    return Point(transactions(events, per_minute), entries, per_minute * WINDOW_MINUTES)


BY_RATE = Axis(
    EVENTS_PER_MINUTE, (2000, 2500, 3000, 3500, 4000),
    lambda rate, scale: _point(rate, USUAL_QUERIES, scale), NAMES, memory=True,
)  # fmt: skip
BY_QUERIES = Axis(
    QUERIES, (20, 40, 60, 80, 100),
    lambda count, scale: _point(USUAL_RATE, count, scale), NAMES, memory=True,
)  # fmt: skip


def _latency(curves: Curves) -> list[Claim]:
    return [static_is_worse(curves, (1.27, 1.52)), *decides_well(curves)]


def _throughput(curves: Curves) -> list[Claim]:
    return [static_is_worse(curves, (1.27, 1.52), by_time=False)]


def _memory(curves: Curves) -> list[Claim]:
    ratio = total(curves, OURS, ALWAYS)
    return [
        ratio_claim(
            "memory with decisions ÷ that of sharing always, over all points",
            ratio,
            0.75,
            "snapshots are a small part of what Cepheid has in memory",
        )
    ]


def _chart(figure: str, axis: Axis, metric: str, judge: Judge) -> Chart:
    return Chart(
        f"hamlet-fig-{figure}",
        "Stock stand-in, diverse queries, dynamic and static sharing",
        axis,
        metric,
        PAPER_MEMORY if metric == "memory" else PAPER,
        judge,
        DATA,
        log_y=False,
    )


CHARTS = (
    _chart("11a", BY_RATE, "latency", _latency),
    _chart("11b", BY_QUERIES, "latency", _latency),
    _chart("11c", BY_RATE, "throughput", _throughput),
    _chart("11d", BY_QUERIES, "throughput", _throughput),
    _chart("12a", BY_RATE, "memory", _memory),
    _chart("12b", BY_QUERIES, "memory", _memory),
)
