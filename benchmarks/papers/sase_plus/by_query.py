"""Figures 8(a), 8(d), 8(e), 8(f) and table 2: the query types at W = 500."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence

from benchmarks.papers.experiment import Cell, Experiment, Outcome
from benchmarks.papers.sase_plus.compare import Comparison
from benchmarks.papers.sase_plus.contenders import (
    BACKTRACK,
    BASIC,
    BASIC_MATCHING,
    CEPHEID,
    CEPHEID_COMPRESSED,
    MERGING,
)
from benchmarks.papers.sase_plus.points import all_results, results_apart
from benchmarks.papers.sase_plus.queries import (
    P1_S2,
    P1_S3,
    P2_S2,
    P2_S3,
    P3_S2,
    P3_S3,
    SIX,
    STARRED_S2,
    STARRED_S3,
    Template,
)
from benchmarks.papers.sase_plus.shapes import is_near, seen, spread
from benchmarks.papers.sase_plus.stream import SYMBOLS

SAME_STREAM = (
    "The stream has the paper's length, 200 W per symbol, at scale 1. Prices are 0 to 999 and wrap "
    "at the ends, steps are 1: the paper does not say, but its table 2 needs something like it. "
    "The baselines are compiled for this one template, predicates included; the paper's system ran "
    "any query and was written in Java."
)
SKIPPING = (P1_S3, P2_S3, P3_S3)
QUERY, THROUGHPUT = "query", "events per second"

Compare = Callable[[Template, float], Comparison]


def _at(templates: Sequence[Template], compare: Compare, scale: float) -> dict[str, Comparison]:
    return {each.name: compare(each, scale) for each in templates}


def _throughputs(at: dict[str, Comparison], names: Sequence[str]) -> dict[str, list[Cell]]:
    return {name: [each.throughput(name) for each in at.values()] for name in names}


def _compared(at: dict[str, Comparison], others: Sequence[str]) -> list[str]:
    return [each.sentence(CEPHEID, others) for each in at.values()]


def figure_8a(scale: float) -> Outcome:
    """Throughput by predicate and strategy."""
    at = _at(SIX, all_results, scale)
    shape = []
    for name in (CEPHEID, BASIC):
        same = at[P1_S3.name].seconds(name) / at[P1_S2.name].seconds(name)
        apart = at[P2_S3.name].seconds(name) / at[P2_S2.name].seconds(name)
        close = at[P3_S3.name].seconds(name) / at[P1_S3.name].seconds(name)
        shape += [
            seen(
                "p1 costs the same with s2 and s3",
                f"{name} {same:.2f} times",
                holds=is_near(same, 1, factor=1.3),
            ),
            seen(
                "p2 s3 costs ten times p2 s2",
                f"{name} {apart:.1f} times",
                holds=is_near(apart, 10, factor=2),
            ),
            seen(
                "p3 s3 costs about as much as p1 s3",
                f"{name} {close:.2f} times",
                holds=is_near(close, 1, factor=1.5),
            ),
        ]
    names = [CEPHEID, CEPHEID_COMPRESSED, BASIC]
    return Outcome(
        [*at], _throughputs(at, names), _compared(at, [CEPHEID_COMPRESSED, BASIC]), "; ".join(shape)
    )


def figure_8d(scale: float) -> Outcome:
    """Throughput of basic and backtrack, all results."""
    at = _at(SIX, all_results, scale)
    factors = {name: each.faster(BASIC, BACKTRACK) for name, each in at.items()}
    again = {name: each.measured[BACKTRACK].again / each.events for name, each in at.items()}
    long = [factors[name] for name in factors if name != P2_S2.name]
    shape = [
        seen(
            "basic has 200 to 300 times the throughput of backtrack except for p2 s2",
            f"{spread(long)} times",
            holds=min(long) > 100,
        ),
        seen(
            "with s3 backtrack reads every event again 0.6 times",
            ", ".join(f"{again[each.name]:.2f}" for each in SKIPPING),
            holds=all(is_near(again[each.name], 0.6, factor=1.3) for each in SKIPPING),
        ),
    ]
    names = [CEPHEID, BASIC, BACKTRACK]
    return Outcome(
        [*at], _throughputs(at, names), _compared(at, [BASIC, BACKTRACK]), "; ".join(shape)
    )


def figure_8e(scale: float) -> Outcome:
    """Throughput of basic and backtrack, non-overlapping results."""
    at = _at((P3_S2, P3_S3, STARRED_S2, STARRED_S3), results_apart, scale)
    alike = [at[each.name].faster(BASIC, BACKTRACK) for each in (P3_S2, P3_S3)]
    starred = at[STARRED_S3.name].faster(BASIC, BACKTRACK)
    again = at[STARRED_S3.name].measured[BACKTRACK].again / at[STARRED_S3.name].events
    shape = [
        seen(
            "basic and backtrack are close for p3",
            f"basic has {spread(alike)} times the throughput",
            holds=all(is_near(each, 1, factor=2) for each in alike),
        ),
        seen(
            "for p3* s3 basic has ten times the throughput of backtrack",
            f"{starred:.2g} times, and backtrack reads every event again {again:.1f} times",
            holds=is_near(starred, 10, factor=2),
        ),
    ]
    names = [CEPHEID, BASIC, BACKTRACK]
    return Outcome(
        [*at], _throughputs(at, names), _compared(at, [BASIC, BACKTRACK]), "; ".join(shape)
    )


def figure_8f(scale: float) -> Outcome:
    """Throughput of basic and merging."""
    at = _at(SIX, all_results, scale)
    gains = [at[each.name].faster(MERGING, BASIC) for each in SKIPPING]
    shape = seen(
        "merging gains a factor of 1.5, 1.4 and 1.5 for p1, p2 and p3 with s3",
        ", ".join(f"{each:.2f}" for each in gains),
        holds=all(is_near(each, 1.5, factor=1.3) for each in gains),
    )
    names = [CEPHEID, BASIC, MERGING]
    return Outcome([*at], _throughputs(at, names), _compared(at, [BASIC, MERGING]), shape)


def table_2(scale: float) -> Outcome:
    """Match lengths, runs, and the share of matching in the cost of the basic algorithm."""
    at = _at(SIX, all_results, scale)
    lengths, runs, matching, constructing, compressed = [], [], [], [], []
    for each in at.values():
        answer = each.measured[BASIC].answer
        lengths.append((answer.events or 0) / max(1, answer.matches))
        runs.append(SYMBOLS * each.measured[BASIC].run_steps / each.events)
        share = min(1.0, each.seconds(BASIC_MATCHING) / each.seconds(BASIC))
        matching.append(100 * share)
        constructing.append(100 * (1 - share))
        percent = functools.partial(operator.mul, 100 / each.seconds(CEPHEID))
        compressed.append(each.cell(CEPHEID_COMPRESSED, percent))
    expected = {P1_S3: 250, P2_S2: 4.5, P2_S3: 140, P3_S3: 250}
    found = dict(zip(at, lengths, strict=True))
    simultaneous = dict(zip(at, runs, strict=True))
    shape = [
        seen(
            "matches of p1 s3, p2 s2, p2 s3 and p3 s3 have 250, 4.5, 140 and 250 events",
            ", ".join(f"{found[each.name]:.3g}" for each in expected),
            holds=all(
                is_near(found[each.name], length, factor=1.2) for each, length in expected.items()
            ),
        ),
        seen(
            "2 runs per time step with s3, 0.01 with p2 s2",
            f"{simultaneous[P1_S3.name]:.2f}, {simultaneous[P2_S2.name]:.3f}",
            holds=is_near(simultaneous[P1_S3.name], 2, factor=1.2)
            and is_near(simultaneous[P2_S2.name], 0.01, factor=2),
        ),
        seen(
            "matching is 60 % to 100 % of the cost of the basic algorithm",
            f"{spread(matching)} %",
            holds=min(matching) > 50,
        ),
    ]
    series = {
        "match length": [Cell(each) for each in lengths],
        "runs per time step, basic": [Cell(each) for each in runs],
        "matching cost (%), basic": [Cell(each) for each in matching],
        "construction cost (%), basic": [Cell(each) for each in constructing],
        "cost without output (%), Cepheid": compressed,
    }
    ratios = _compared(at, [BASIC])
    return Outcome([*at], series, ratios, "; ".join(shape))


BY_QUERY = (
    Experiment(
        "sase-plus-fig-8a",
        "Varying the iterator predicate and the event selection strategy",
        QUERY,
        THROUGHPUT,
        "s2 and s3 are equal for p1 and close for p3; for p2, s3 costs ten times as much as s2.",
        SAME_STREAM,
        figure_8a,
        log_y=True,
    ),
    Experiment(
        "sase-plus-table-2",
        "Profile of the queries of figure 8(a)",
        QUERY,
        "see the series",
        "Matches of 250 events (p2 s2: 4.5, p2 s3: 140), 2 runs per time step (p2 s2: 0.01), "
        "60 % to 100 % of the cost in matching, the rest in construction.",
        f"{SAME_STREAM} The cost of matching is the time of the basic algorithm without match "
        "construction. Runs are those of the basic algorithm: Cepheid's are not public.",
        table_2,
    ),
    Experiment(
        "sase-plus-fig-8d",
        "Basic against backtrack, all results",
        QUERY,
        THROUGHPUT,
        "Basic has 200 to 300 times the throughput of backtrack, for p2 s2 1.3 times.",
        f"{SAME_STREAM} Backtrack has its events in an array and needs no shared buffer: it reads "
        "as many events again as the paper says, but that costs little here.",
        figure_8d,
        log_y=True,
    ),
    Experiment(
        "sase-plus-fig-8e",
        "Basic against backtrack, non-overlapping results",
        QUERY,
        THROUGHPUT,
        "Both are close for p3. For p3* s3, where most runs fail at c, basic has ten times the "
        "throughput of backtrack.",
        f"{SAME_STREAM} Of overlapping matches the one that ends first counts, then the one that "
        "starts first, for all contenders alike.",
        figure_8e,
        log_y=True,
    ),
    Experiment(
        "sase-plus-fig-8f",
        "Merging equivalent runs, by query",
        QUERY,
        THROUGHPUT,
        "Merging gains a factor of 1.5 for p1 s3, 1.4 for p2 s3 and 1.5 for p3 s3.",
        SAME_STREAM,
        figure_8f,
        log_y=True,
    ),
)
