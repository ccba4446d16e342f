"""Figures 8(b), 8(c), 8(g) and table 3: W from 500 to 2000."""

from __future__ import annotations

import functools
import operator

from benchmarks.papers.claims import at_least, figures, quotient, ratio_claim
from benchmarks.papers.experiment import Cell, Claim, Experiment, Outcome
from benchmarks.papers.sase_plus.by_query import SAME_STREAM, SKIPPING, THROUGHPUT
from benchmarks.papers.sase_plus.contenders import (
    BASIC,
    BASIC_MATCHING,
    BASIC_WITHOUT_BUFFER,
    CEPHEID,
    CEPHEID_COMPRESSED,
    MERGING_MATCHING,
)
from benchmarks.papers.sase_plus.points import WINDOWS, sweep, sweep_matching
from benchmarks.papers.sase_plus.queries import P1_S3, P2_S2, P2_S3, P3_S2, P3_S3, Template
from benchmarks.papers.sase_plus.shapes import determination, exponent, spread

FIVE = (P1_S3, P2_S2, P2_S3, P3_S2, P3_S3)
WITH_OUTPUT = (P1_S3, P2_S3, P3_S2, P3_S3)
PARTITION_WINDOW = "partition window W, events"
POINTERS = "pointers that basic writes for"
POWER = "at W = 500 a part of the time is what any query costs, so that less of it grows with W"
SHORTER = (
    "The stream has 10 W events per symbol instead of 200 W: at W = 2000 the paper's would make "
    f"half a billion events of output. Otherwise as in figure 8(a): {SAME_STREAM}"
)


def figure_8b(scale: float) -> Outcome:
    """Throughput over W."""
    at = {each.name: sweep(each, scale) for each in FIVE}
    series = {
        f"{name} {query}": [each.throughput(name) for each in compared]
        for query, compared in at.items()
        for name in (CEPHEID, CEPHEID_COMPRESSED, BASIC)
    }
    ratios = []
    for query, compared in at.items():
        factors = [each.faster(CEPHEID, BASIC) for each in compared]
        ratios.append(f"{query}: Cepheid has {spread(factors)} times the speed of basic")
    return Outcome(WINDOWS, series, ratios)


def claims_8b(outcome: Outcome) -> list[Claim]:
    """Say how throughput falls with the window."""
    claims = []
    for name in (CEPHEID, BASIC):
        for each in (P1_S3, P3_S3):
            power = _power(outcome, f"{name} {each.name}")
            text = f"power of W by which the throughput of {name} falls for {each.name}"
            claims.append(ratio_claim(text, power and -power, 2.0, POWER))
        power = _power(outcome, f"{name} {P2_S2.name}")
        text = f"{name} hardly depends on W for p2 s2{figures(' (W^{})', power)}"
        claims.append(Claim(text, at_least(power, -0.5)))
    return claims


def _power(outcome: Outcome, name: str) -> float | None:
    values = [each.value for each in outcome.curves[name] if each.value is not None]
    return exponent(WINDOWS, values) if len(values) == len(WINDOWS) else None


def figure_8c(template: Template, scale: float) -> Outcome:
    """Cost over output complexity, the sum of the lengths of all matches."""
    compared = sweep(template, scale)
    outputs = [each.measured[CEPHEID].answer.events or 0 for each in compared]
    series = {
        name: [each.cell(name, float) for each in compared]
        for name in (CEPHEID, CEPHEID_COMPRESSED, BASIC)
    }
    ratios = [each.sentence(CEPHEID, [BASIC]) for each in compared]
    return Outcome(outputs, series, ratios)


def claims_8c(outcome: Outcome) -> list[Claim]:
    """Say that the cost is linear in the output."""
    claims = []
    for name in (CEPHEID, BASIC):
        sizes = [float(each) for each in outcome.points]
        seconds = [each.value or 0.0 for each in outcome.curves[name]]
        fit = determination(sizes, seconds)
        each_ns = [1e9 * s / max(1.0, size) for s, size in zip(seconds, sizes, strict=True)]
        told = ", ".join(f"{ns:.0f}" for ns in each_ns)
        text = f"{name}'s cost is linear in the output: R² {fit:.3f}, {told} ns per event of it"
        claims.append(Claim(text, fit > 0.95))
    return claims


def figure_8g(scale: float) -> Outcome:
    """Gain of merging over basic, both without match construction."""
    series: dict[str, list[Cell]] = {}
    ratios = []
    for template in SKIPPING:
        compared = sweep_matching(template, scale)
        for name in (MERGING_MATCHING, CEPHEID_COMPRESSED):
            series[f"{name} {template.name}"] = [
                each.cell(name, functools.partial(operator.truediv, each.seconds(BASIC_MATCHING)))
                for each in compared
            ]
        own = [each.faster(MERGING_MATCHING, BASIC_MATCHING) for each in compared]
        ratios.append(f"{template.name}: merging has {spread(own)} times the speed of basic")
        ratios += [
            each.sentence(CEPHEID_COMPRESSED, [BASIC_MATCHING, MERGING_MATCHING])
            for each in compared
            if CEPHEID_COMPRESSED in each.measured
        ]
    return Outcome(WINDOWS, series, ratios)


def claims_8g(outcome: Outcome) -> list[Claim]:
    """Say what merging gains in matching, from the first window to the last."""
    return [
        ratio_claim(
            f"merging ÷ basic for {each.name} at W = {window:,}",
            outcome.curves[f"{MERGING_MATCHING} {each.name}"][place].value,
            (1.4, 2.1),
            "compiled, a run costs less, so that there is less to merge",
        )
        for each in SKIPPING
        for place, window in ((0, WINDOWS[0]), (-1, WINDOWS[-1]))
    ]


def table_3_merged(scale: float) -> Outcome:
    """Share of the runs that merging saves."""
    series, shares = {}, {}
    for template in SKIPPING:
        shares[template.name] = [
            100
            - 100
            * each.measured[MERGING_MATCHING].run_steps
            / max(1, each.measured[BASIC_MATCHING].run_steps)
            for each in sweep_matching(template, scale)
        ]
        series[template.name] = [Cell(each) for each in shares[template.name]]
    return Outcome(WINDOWS, series, [])


def claims_of_merged(outcome: Outcome) -> list[Claim]:
    """Say which share of runs is merged."""
    last = zip(SKIPPING, (75.3, 60.4, 50.6), strict=True)
    wanted = [(each, 0, 47.8) for each in SKIPPING] + [(each, -1, share) for each, share in last]
    return [
        ratio_claim(
            f"share of runs merged for {each.name} at W = {WINDOWS[place]:,}, in %",
            outcome.curves[each.name][place].value,
            paper,
            "a stand-in for the stream",
        )
        for each, place, paper in wanted
    ]


def table_3_buffer(scale: float) -> Outcome:
    """Time that the basic algorithm spends on the shared buffer."""
    series, counts = {}, {}
    for template in SKIPPING:
        compared = sweep_matching(template, scale)
        costs = [
            max(0.0, each.seconds(BASIC_MATCHING) - each.seconds(BASIC_WITHOUT_BUFFER))
            for each in compared
        ]
        series[template.name] = [Cell(each) for each in costs]
        pointers = [Cell(each.measured[BASIC_MATCHING].updates) for each in compared]
        counts[f"{POINTERS} {template.name}"] = pointers
    return Outcome(WINDOWS, series, [], counts)


def claims_of_buffer(outcome: Outcome) -> list[Claim]:
    """Say what the buffer costs, counted and not measured."""
    few, many = (outcome.curves[f"{POINTERS} {each.name}"][-1] for each in (P2_S3, P1_S3))
    share = quotient(few, many)
    return [
        ratio_claim("pointers of p2 s3 ÷ those of p1 s3 at W = 2,000", share, 1 / 3, "a stand-in")
    ]


BY_WINDOW = (
    Experiment(
        "sase-plus-fig-8b",
        "Varying the partition window",
        PARTITION_WINDOW,
        THROUGHPUT,
        "Throughput hardly depends on W for p2 s2 and falls quadratically for p1 s3 and p3 s3.",
        SHORTER,
        figure_8b,
        claims_8b,
        log_y=True,
    ),
    *(
        Experiment(
            f"sase-plus-fig-8c-{template.name.replace(' ', '')}",
            f"Cost over output complexity, {template.name}",
            "events in all matches",
            "seconds",
            "The cost is linear in the sum of the lengths of all matches, as W goes from 500 to "
            "2000.",
            f"One figure for each query; p2 s2 has next to no output and is left out. {SHORTER}",
            functools.partial(figure_8c, template),
            claims_8c,
        )
        for template in WITH_OUTPUT
    ),
    Experiment(
        "sase-plus-fig-8g",
        "Merging equivalent runs, by window, without match construction",
        PARTITION_WINDOW,
        "throughput divided by that of basic",
        "Merging gains a factor of 1.4 to 2.1.",
        f"{SAME_STREAM} Cepheid takes part with compressed output, which builds no matches.",
        figure_8g,
        claims_8g,
    ),
    Experiment(
        "sase-plus-table-3-merged",
        "Runs merged",
        PARTITION_WINDOW,
        "runs merged (%)",
        "p1 s3: 47.9, 50.9, 66.6, 75.3. p2 s3: 47.8, 48.3, 55.7, 60.4. p3 s3: 47.8, 45.8, 44.9, "
        "50.6.",
        f"{SAME_STREAM} The share is that of the average time step: one minus the combined runs "
        "divided by the runs of the basic algorithm. Cepheid's runs are not public.",
        table_3_merged,
        claims_of_merged,
    ),
    Experiment(
        "sase-plus-table-3-buffer",
        "Cost of buffer updates",
        PARTITION_WINDOW,
        "seconds",
        "p1 s3: 11.9 to 670 s, p2 s3: 5.4 to 221 s, p3 s3: 12.0 to 840 s.",
        f"{SAME_STREAM} The cost is the time of the basic algorithm with the buffer minus that "
        "without, both without match construction.",
        table_3_buffer,
        claims_of_buffer,
    ),
)
