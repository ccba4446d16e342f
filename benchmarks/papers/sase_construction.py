"""Sequence construction: Basic and AIS (SASE, section 5.2, figures 8 and 9)."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.papers.claims import at_least, figures, less, quotient, ratio_claim, rises
from benchmarks.papers.experiment import Cell, Claim, Experiment, Outcome
from benchmarks.papers.sase_contenders import (
    active_instances,
    basic,
    basic_with_bits,
    engine,
)
from benchmarks.papers.sase_stream import Workload, number_of_events, simulated_types
from benchmarks.papers.sweep import OURS, THROUGHPUT, Entry, sweep

BASIC, AIS, BITS = "Basic", "AIS", "Basic, states as bits"
EVENTS = 1_000_000
LENGTH = 3
WINDOW, VALUES = 10_000, 10_000
VALUES_OF_FIGURE_8 = (100, 300, 1000, 3000, 10_000)
WINDOWS_OF_FIGURE_9 = (10_000, 25_000, 50_000, 75_000, 100_000)

WRITTEN = (
    "Basic's stack is a ring of arrays, which is walked back much faster than a list of Java "
    "objects; AIS looks at no event of another type"
)
DIFFERS = (
    "As in the paper, the equivalence test is not evaluated but simulated by V1^(2/3) times as "
    "many event types, and windows are pushed down. A fixed number of events instead of batches "
    "until the throughput converges. Basic and AIS are compiled with Numba instead of Java. "
    "Basic's stack is a ring of W cells. AIS looks at no event of another type, while the paper's "
    "NFA steps on every event. The gap between Basic and AIS depends on how Basic is written: the "
    "curve with states as bits, not in the paper, is the same search without pointers; the claims "
    "are about Basic as described."
)


def _entries(workload: Workload) -> Mapping[str, Entry]:
    contenders = {OURS: engine, AIS: active_instances, BASIC: basic, BITS: basic_with_bits}
    sequences = workload.selectivity * workload.events
    return {name: Entry(make(workload), sequences) for name, make in contenders.items()}


def figure_8(scale: float) -> Outcome:
    """Vary the domain size."""

    def workload(values: int) -> Workload:
        events = number_of_events(EVENTS, scale)
        return Workload(events, WINDOW, LENGTH, types=simulated_types(values, LENGTH))

    swept = sweep(
        VALUES_OF_FIGURE_8,
        "V1",
        lambda values: workload(values).table(),
        lambda values: _entries(workload(values)),
    )
    series = {name: swept.throughput(name) for name in (OURS, AIS, BASIC, BITS)}
    return Outcome(swept.points, series, swept.ratios((AIS, BASIC, BITS)))


def claims_8(outcome: Outcome) -> list[Claim]:
    """Say that AIS wins where the domain is small, and that the gap narrows."""
    series = outcome.curves
    first, last = (quotient(series[AIS][place], series[BASIC][place]) for place in (0, -1))
    of_bits = quotient(series[AIS][0], series[BITS][0])
    return [
        ratio_claim("AIS ÷ Basic at V1 = 100", first, 18.0, WRITTEN),
        Claim(f"the gap narrows as V1 grows{figures(', to {} times', last)}", less(last, first)),
        ratio_claim("AIS ÷ Basic at V1 = 10,000", last, 1.0, WRITTEN),
        *(Claim(f"{name} rises with V1", rises(series[name])) for name in (BASIC, AIS)),
        Claim(
            "AIS wins by far at V1 = 100 with states as bits, too"
            f"{figures(' ({} times)', of_bits)}",
            at_least(of_bits, 4),
            of_paper=False,
        ),
        Claim(f"{OURS} rises with V1", rises(series[OURS]), of_paper=False),
    ]


def figure_9(scale: float) -> Outcome:
    """Vary the window."""

    def workload(window: int) -> Workload:
        events = number_of_events(EVENTS, scale)
        return Workload(events, window, LENGTH, types=simulated_types(VALUES, LENGTH))

    table = workload(WINDOW).table()
    swept = sweep(
        WINDOWS_OF_FIGURE_9, "W", lambda _: table, lambda window: _entries(workload(window))
    )
    series = {name: swept.throughput(name) for name in (OURS, AIS, BASIC, BITS)}
    return Outcome(swept.points, series, swept.ratios((AIS, BASIC, BITS)))


def claims_9(outcome: Outcome) -> list[Claim]:
    """Say that Basic loses throughput much faster than AIS."""
    kept = {name: quotient(cells[-1], cells[0]) for name, cells in outcome.curves.items()}
    faster = quotient(Cell(kept.get(AIS)), Cell(kept.get(BASIC)))
    return [
        Claim(
            "from W = 10,000 to 100,000 Basic loses throughput much faster than AIS"
            + figures(" (keeps {} of it, AIS {})", kept.get(BASIC), kept.get(AIS)),
            at_least(faster, 2),
        ),
        Claim(
            f"{OURS} loses less than Basic{figures(' (keeps {})', kept.get(OURS))}",
            less(kept.get(BASIC), kept.get(OURS)),
            of_paper=False,
        ),
    ]


FIGURE_8 = Experiment(
    name="sase-fig-8",
    title="Varying the domain size V1: Basic and AIS, SEQ(E1, E2, E3), W = 10,000",
    x_label="domain size V1 of attr1",
    y_label=THROUGHPUT,
    paper=(
        "AIS outperforms Basic by a large factor where the domain is small, 18 times at V1 = 100, "
        "since Basic walks back over the window for each construction. Both improve as V1 grows, "
        "and are close at V1 = 10,000."
    ),
    differs=DIFFERS,
    run=figure_8,
    claims=claims_8,
    log_x=True,
)
FIGURE_9 = Experiment(
    name="sase-fig-9",
    title="Varying the window W: Basic and AIS, SEQ(E1, E2, E3), V1 = 10,000",
    x_label="window W (events)",
    y_label=THROUGHPUT,
    paper=(
        "As W grows from 10,000 to 100,000, the throughput of Basic falls much faster than that of "
        "AIS: a construction costs Basic time linear in W, and its stack grows with W."
    ),
    differs=DIFFERS,
    run=figure_9,
    claims=claims_9,
)
