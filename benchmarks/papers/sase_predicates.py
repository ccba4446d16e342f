"""Pushing predicates and windows down (SASE, section 5.3, figure 10 and what the text reports)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from benchmarks.papers.claims import at_least, at_most, figures, less, quotient
from benchmarks.papers.experiment import Cell, Claim, Experiment, Outcome
from benchmarks.papers.race import TURNS
from benchmarks.papers.sase_contenders import (
    active_instances,
    engine,
    multi_partitioned,
    partitioned,
    partitioned_with_selection,
)
from benchmarks.papers.sase_stream import Workload, number_of_events
from benchmarks.papers.sweep import OURS, THROUGHPUT, Entry, Sweep, sweep

SELECTION, MULTI, DYNAMIC = "Selection", "Multi-PAIS", "Dynamic Filtering"
STRATEGIES = (SELECTION, MULTI, DYNAMIC)
WINDOW = 10_000
SECOND_VALUES = 20
VALUES = (10, 20, 50, 100, 200, 500, 1000, 10_000)
SIMILAR_FROM = 500
PER_EVENTS = 10_000

DIFFERS = (
    "A fixed number of events instead of batches until the throughput converges; the algorithms "
    "are compiled with Numba instead of Java, and partitions are found by an array instead of a "
    "hash table."
)


def _two_tests(scale: float, *, turns: int = TURNS) -> Sweep[int]:
    def workload(values: int) -> Workload:
        events = number_of_events(1_000_000, scale)
        return Workload(events, WINDOW, values=(values, SECOND_VALUES))

    def entries(values: int) -> Mapping[str, Entry]:
        both = workload(values)
        of_first = replace(both, values=(values,)).selectivity * both.events
        return {
            OURS: Entry(engine(both)),
            DYNAMIC: Entry(partitioned(both)),
            MULTI: Entry(multi_partitioned(both), of_first),
            SELECTION: Entry(partitioned_with_selection(both), of_first),
        }

    return sweep(VALUES, "V1", lambda values: workload(values).table(), entries, turns=turns)


def figure_10a(scale: float) -> Outcome:
    """Compare the throughput of three strategies for the second equivalence test."""
    swept = _two_tests(scale)
    series = {name: swept.throughput(name) for name in (OURS, DYNAMIC, SELECTION, MULTI)}
    return Outcome(swept.points, series, swept.ratios((DYNAMIC, SELECTION, MULTI)))


def claims_10a(outcome: Outcome) -> list[Claim]:
    """Say that Dynamic Filtering wins where V1 is small."""
    series = outcome.curves
    over_selection = quotient(series[DYNAMIC][0], series[SELECTION][0])
    over_multi = quotient(series[DYNAMIC][0], series[MULTI][0])
    multi_behind = quotient(series[SELECTION][0], series[MULTI][0])
    spread = _spread([series[name] for name in STRATEGIES])
    return [
        Claim(
            "Dynamic Filtering wins by a wide margin at V1 = 10"
            + figures(" ({} times Selection, {} times Multi-PAIS)", over_selection, over_multi),
            _both(at_least(over_selection, 2), at_least(over_multi, 2)),
        ),
        Claim(
            "Multi-PAIS is even worse than Selection at V1 = 10"
            + figures(" (Selection has {} times its throughput)", multi_behind),
            at_least(multi_behind, 1),
            why="its second stacks are arrays, which cost less than what they save",
        ),
        Claim(
            "from V1 = 500 on all three are similar"
            + figures(" (at most a factor {} apart)", spread),
            at_most(spread, 1.5),
        ),
    ]


def figure_10b(scale: float) -> Outcome:
    """Count the sequences that the three strategies build."""
    swept = _two_tests(scale, turns=1)
    series = {name: swept.built(name, per_events=PER_EVENTS) for name in STRATEGIES}
    series |= {f"matches ({OURS})": swept.matches(per_events=PER_EVENTS)}
    return Outcome(swept.points, series, [])


def claims_10b(outcome: Outcome) -> list[Claim]:
    """Say that Multi-PAIS builds many sequences in vain."""
    multi, dynamic, selection = (outcome.curves[name][0] for name in (MULTI, DYNAMIC, SELECTION))
    fewer = quotient(multi, selection)
    return [
        Claim(
            "at V1 = 10 Multi-PAIS builds many more sequences than Dynamic Filtering"
            + figures(" ({} and {})", multi.value, dynamic.value),
            at_least(quotient(multi, dynamic), 10),
        ),
        Claim(
            "at V1 = 10 Multi-PAIS builds somewhat fewer sequences than Selection"
            + figures(" ({} times as many)", fewer),
            at_most(fewer, 1),
        ),
    ]


def _both(one: bool | None, other: bool | None) -> bool | None:
    return None if one is None or other is None else one and other


def _spread(curves: Sequence[Sequence[Cell]]) -> float | None:
    """Return the largest quotient between curves where the paper calls them similar."""
    spreads = []
    for point, *cells in zip(VALUES, *curves, strict=True):
        values = [each.value for each in cells if each.value is not None]
        if point >= SIMILAR_FROM and len(values) > 1:
            spreads.append(max(values) / min(values))
    return max(spreads, default=None)


AIS, PAIS = "AIS, test in Selection", "PAIS"
BUILT = "sequences built by AIS"
PAIS_VALUES = (10, 100, 1000, 10_000)


def first_test(scale: float) -> Outcome:
    """Compare PAIS with a plan that evaluates the only equivalence test in Selection."""

    def workload(values: int) -> Workload:
        return Workload(number_of_events(25_000, scale), WINDOW, values=(values,))

    def entries(values: int) -> Mapping[str, Entry]:
        one = workload(values)
        all_sequences = one.without_tests().selectivity * one.events
        return {
            OURS: Entry(engine(one)),
            PAIS: Entry(partitioned(one)),
            AIS: Entry(active_instances(one), all_sequences),
        }

    swept = sweep(PAIS_VALUES, "V1", lambda values: workload(values).table(), entries)
    series = {name: swept.throughput(name) for name in (OURS, PAIS, AIS)}
    counts = {BUILT: swept.built(AIS, per_events=swept.events[0])}
    return Outcome(swept.points, series, swept.ratios((PAIS, AIS)), counts)


def claims_of_first_test(outcome: Outcome) -> list[Claim]:
    """Say that a plan without PAIS is no alternative."""
    series = outcome.curves
    least = min(filter(None, map(quotient, series[PAIS], series[AIS])), default=None)
    built = max((each.value or 0.0 for each in series[BUILT]), default=0.0)
    return [
        Claim(
            "pushing the test down is a must"
            + figures(": PAIS has at least {} times the throughput", least)
            + figures(", and the other plan builds up to {} sequences", built or None),
            at_least(least, 10),
        )
    ]


NOWHERE, IN_SCAN, IN_CONSTRUCTION, IN_BOTH = "window on top", "in SS", "in SC", "in SS and SC"
WINDOWS = (1000, 3000, 10_000, 30_000)


def windows(scale: float) -> Outcome:
    """Compare where PAIS checks the window."""
    events = number_of_events(100_000, scale)

    def workload(window: int) -> Workload:
        return Workload(events, window, values=(100,))

    def entries(window: int) -> Mapping[str, Entry]:
        one = workload(window)
        # Without a window in SSC, an event finds all earlier ones: a third of a window of all.
        unbounded = replace(one, window=events).selectivity * events / one.length
        return {
            OURS: Entry(engine(one)),
            IN_BOTH: Entry(partitioned(one)),
            IN_CONSTRUCTION: Entry(partitioned(one, in_scan=False)),
            IN_SCAN: Entry(partitioned(one, in_construction=False), unbounded),
            NOWHERE: Entry(partitioned(one, in_scan=False, in_construction=False), unbounded),
        }

    table = workload(WINDOW).table()
    swept = sweep(WINDOWS, "W", lambda _: table, entries)
    baselines = (IN_BOTH, IN_CONSTRUCTION, IN_SCAN, NOWHERE)
    series = {name: swept.throughput(name) for name in (OURS, *baselines)}
    counts = {
        f"sequences built with the {name}": swept.built(name, per_events=PER_EVENTS)
        for name in (IN_BOTH, NOWHERE)
    }
    return Outcome(swept.points, series, swept.ratios(baselines), counts)


def claims_of_windows(outcome: Outcome) -> list[Claim]:
    """Say that windows are better pushed down."""
    series = outcome.curves
    faster = quotient(series[IN_BOTH][0], series[NOWHERE][0])
    built = (series[f"sequences built with the {name}"][0] for name in (IN_BOTH, NOWHERE))
    fewer = quotient(*built)
    return [
        Claim(
            "windows in SS and SC reduce the intermediate results"
            + figures(" (at W = 1,000 to {} of those without)", fewer),
            less(fewer, 0.5),
        ),
        Claim(
            f"windows in SS and SC raise the throughput{figures(' ({} times)', faster)}",
            less(1.0, faster),
        ),
    ]


FIGURE_10A = Experiment(
    name="sase-fig-10a",
    title="Three strategies for a second equivalence test, V2 = 20: throughput",
    x_label="domain size V1 of attr1",
    y_label=THROUGHPUT,
    paper=(
        "Dynamic Filtering outperforms the other two by a wide margin where V1 is small. "
        "Multi-PAIS is even worse than Selection. After V1 = 500 the three perform similarly."
    ),
    differs=DIFFERS,
    run=figure_10a,
    claims=claims_10a,
    log_x=True,
)
FIGURE_10B = Experiment(
    name="sase-fig-10b",
    title="Three strategies for a second equivalence test, V2 = 20: sequences built",
    x_label="domain size V1 of attr1",
    y_label="sequences built in 10,000 events",
    paper=(
        "Multi-PAIS builds many more sequences than Dynamic Filtering, and somewhat fewer than "
        "Selection, because its stacks do not know which events agree on both attributes."
    ),
    differs=DIFFERS + f" {OURS} builds no sequence that is not a match; its curve is the result.",
    run=figure_10b,
    claims=claims_10b,
    log_x=True,
    log_y=True,
)
FIRST_TEST = Experiment(
    name="sase-pais",
    title="Pushing the first equivalence test down: PAIS (text of section 5.3)",
    x_label="domain size V1 of attr1",
    y_label=THROUGHPUT,
    paper=(
        "The plan that evaluates the equivalence test in Selection could not complete the "
        "experiment: it created hundreds of millions of intermediate results. Pushing at least one "
        "test down is a must."
    ),
    differs=DIFFERS + " Fewer events, so that the plan without PAIS comes to an end.",
    run=first_test,
    claims=claims_of_first_test,
    log_x=True,
    log_y=True,
)
PUSHED_WINDOWS = Experiment(
    name="sase-windows",
    title="Pushing windows down to sequence scan and construction (text of section 5.3), V1 = 100",
    x_label="window W (events)",
    y_label=THROUGHPUT,
    paper=(
        "Details are omitted: pushing windows down to both sequence scan and sequence construction "
        "is effective in reducing intermediate results."
    ),
    differs=DIFFERS + " The paper gives no parameters; one equivalence test, L = 3.",
    run=windows,
    claims=claims_of_windows,
    log_x=True,
    log_y=True,
)
