"""Other data characteristics: prices that rise with p = 0.55 instead of 0.7 (text of section 6)."""

from __future__ import annotations

from benchmarks.papers.claims import figures, less, quotient, ratio_claim
from benchmarks.papers.experiment import Cell, Claim, Experiment, Outcome
from benchmarks.papers.sase_plus.by_query import ARRAY, QUERY, SAME_STREAM, SKIPPING, THROUGHPUT
from benchmarks.papers.sase_plus.contenders import BACKTRACK, BASIC, CEPHEID, MERGING
from benchmarks.papers.sase_plus.points import INCREASE, all_results
from benchmarks.papers.sase_plus.queries import P1_S2, P1_S3, P2_S2, P2_S3, P3_S2, P3_S3, SIX

LOWER = 0.55
NAMES = (CEPHEID, BASIC, BACKTRACK, MERGING)
LENGTH = 0.1  # of the paper's stream: both values of p are measured


def _name(contender: str, increase: float) -> str:
    return f"{contender}, p = {increase:g}"


def run(scale: float) -> Outcome:
    """Measure the six queries with both values of p."""
    series: dict[str, list[Cell]] = {}
    counts = {}
    for increase in (INCREASE, LOWER):
        compared = [all_results(each, LENGTH * scale, increase) for each in SIX]
        for name in NAMES:
            series[_name(name, increase)] = [each.throughput(name) for each in compared]
        counts[f"matches, p = {increase:g}"] = [
            Cell(each.measured[BASIC].answer.matches) for each in compared
        ]
    return Outcome([each.name for each in SIX], series, [], counts)


def claims(outcome: Outcome) -> list[Claim]:
    """Say what fewer matches change."""
    curves = outcome.curves
    places = {each: SIX.index(each) for each in SIX}
    claims = []
    for name in (BASIC, CEPHEID):
        low, high = (curves[_name(name, each)] for each in (LOWER, INCREASE))
        gains = {each: quotient(low[places[each]], high[places[each]]) for each in SIX}
        claims += [
            ratio_claim(
                f"throughput of {name} for {each.name} with p = 0.55 ÷ that with 0.7",
                gains[each],
                1.0,
                "prices come to a multiple of 500, where matches begin, less often",
            )
            for each in (P1_S2, P1_S3)
        ]
        claims += [
            Claim(
                f"{name} has more throughput for {each.name}" + figures(" ({} times)", gains[each]),
                less(1.0, gains[each]),
                why="the matches are fewer, but most of the time is not spent on them",
            )
            for each in (P2_S2, P2_S3, P3_S2, P3_S3)
        ]
    leads = {
        (one, increase): [
            quotient(curves[_name(one, increase)][place], curves[_name(other, increase)][place])
            for place in map(SIX.index, SKIPPING)
        ]
        for one, other in ((BASIC, BACKTRACK), (MERGING, BASIC))
        for increase in (LOWER, INCREASE)
    }
    for place, each in enumerate(SKIPPING):
        ahead, merged = (leads[one, LOWER][place] for one in (BASIC, MERGING))
        claims.append(
            Claim(
                f"basic is ahead of backtrack for {each.name}{figures(' ({} times)', ahead)}",
                less(1.0, ahead),
                why=ARRAY,
            )
        )
        before = leads[MERGING, INCREASE][place]
        claims.append(
            Claim(
                f"merging gains more over basic for {each.name}"
                + figures(" ({} to {} times)", before, merged),
                less(before, merged),
                why="compiled, building the matches is not what both have in common most",
            )
        )
    return claims


BY_INCREASE = Experiment(
    "sase-plus-increase",
    "Prices that rise less often: p = 0.55 instead of 0.7 (text of section 6)",
    QUERY,
    THROUGHPUT,
    "With p = 0.55 queries with p1 perform the same, those with p2 and p3 have fewer matches and a "
    "higher throughput. Basic still wins over backtrack, by less; merging gains more.",
    f"{SAME_STREAM} Here a tenth of that, for both values of p.",
    run,
    claims,
    log_y=True,
)
