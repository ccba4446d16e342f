"""What HAMLET says about its curves, and what we want of ours, as claims."""

from __future__ import annotations

from benchmarks.papers.claims import at_least, at_most, figures, quotient, ratio_claim
from benchmarks.papers.experiment import Claim, Curves, Range
from benchmarks.papers.hamlet.contenders import ALWAYS, HAMLET, MCEP, NEVER
from benchmarks.papers.sweep import OURS

NOISE = 1.05


def wins(
    curves: Curves, other: str, paper: Range, why: str, *, by_time: bool = True
) -> list[Claim]:
    """Say by how much HAMLET wins at the last point where both ran, and Cepheid in its place."""
    return [
        ratio_claim(
            f"lead of {name} over {other} at the last point where both ran",
            _last(curves, name, other, by_time=by_time),
            paper,
            why,
        )
        for name in (HAMLET, OURS)
    ]


def _last(curves: Curves, name: str, other: str, *, by_time: bool) -> float | None:
    pairs = zip(curves[other], curves[name], strict=True)
    found = [quotient(*(pair if by_time else pair[::-1])) for pair in pairs]
    known = [each for each in found if each is not None]
    return known[-1] if known else None


def beats_hamlet(curves: Curves, *, by_time: bool = True) -> Claim:
    """Say whether Cepheid is ahead of HAMLET as published."""
    ratio = _last(curves, OURS, HAMLET, by_time=by_time)
    return Claim(
        f"{OURS} is as good as {HAMLET} at the last point where both ran"
        + figures(" ({} times)", ratio),
        at_least(ratio, 1.0),
        of_paper=False,
    )


def similar(curves: Curves, other: str) -> Claim:
    """Say that another one needs about as much memory, at the last point where both ran."""
    return ratio_claim(
        f"memory of {other} ÷ that of {OURS} at the last point where both ran",
        _last(curves, OURS, other, by_time=True),
        1.0,
        "GRETA is compiled for this pattern and has two numbers per event of a slice",
    )


def two_steps_fail(curves: Curves) -> Claim:
    """Say that building trends does not get to the hard end."""
    return Claim(
        "building trends does not finish at the hard end",
        curves[MCEP][-1].value is None,
        of_paper=False,
    )


def grows_little(curves: Curves, most: float) -> Claim:
    """Say that our time grows much less than the number of queries."""
    factor = quotient(curves[OURS][-1], curves[OURS][0])
    return Claim(
        f"{OURS}'s time grows at most {most:g} times from the first to the last point"
        + figures(" ({} times)", factor),
        at_most(factor, most),
    )


def static_is_worse(curves: Curves, paper: Range, *, by_time: bool = True) -> Claim:
    """Say that always sharing is worse than deciding, over all points."""
    ratio = total(curves, ALWAYS, OURS) if by_time else total(curves, OURS, ALWAYS)
    return ratio_claim(
        "lead of deciding at run time over sharing always, over all points",
        ratio,
        paper,
        "a stand-in for the data, with four bursts in ten that do not pay",
    )


def decides_well(curves: Curves) -> list[Claim]:
    """Say that deciding is as good as the better of both ways, and better than the worse one."""
    ratios = [total(curves, each, OURS) for each in (ALWAYS, NEVER)]
    known = [each for each in ratios if each is not None]
    better, worse = (min(known), max(known)) if len(known) == 2 else (None, None)
    return [
        Claim(
            f"deciding takes no longer than the better one of always and never, but for "
            f"{NOISE - 1:.0%} of noise"
            + figures(" (that takes {} times as long)", better, digits=3),
            at_least(better, 1 / NOISE),
            of_paper=False,
        ),
        Claim(
            "the worse one of always and never takes at least 1.2 times as long as deciding"
            + figures(" ({} times)", worse, digits=3),
            at_least(worse, 1.2),
            of_paper=False,
        ),
    ]


def total(curves: Curves, one: str, other: str) -> float | None:
    """Divide the sums of two curves, where every point was measured."""
    sums = []
    for name in (one, other):
        values = [each.value for each in curves[name]]
        known = [each for each in values if each is not None]
        if len(known) < len(values):
            return None
        sums.append(sum(known))
    return sums[0] / sums[1] if sums[1] else None
