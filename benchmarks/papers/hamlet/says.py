"""What HAMLET says about its curves, and what we want of ours, as claims."""

from __future__ import annotations

from benchmarks.papers.claims import Claim, at_least, at_most, number, quotient
from benchmarks.papers.hamlet.contenders import ALWAYS, MCEP, NEVER
from benchmarks.papers.hamlet.figure import Curves
from benchmarks.papers.sweep import OURS

NOISE = 1.05


def wins(curves: Curves, other: str, paper: str, least: float, *, by_time: bool = True) -> Claim:
    """Say by how much Cepheid, in HAMLET's place, wins at the last point where both ran."""
    pairs = zip(curves[other], curves[OURS], strict=True)
    found = [quotient(*(pair if by_time else pair[::-1])) for pair in pairs]
    known = [each for each in found if each is not None]
    ratio = known[-1] if known else None
    return Claim(
        f"{OURS} is at least {least:g} times as good as {other} at the last point where both ran "
        f"({number(ratio)} times; {paper} in the paper)",
        at_least(ratio, least),
    )


def similar(curves: Curves, other: str, most: float) -> Claim:
    """Say that another one needs about as much memory, at the last point where both ran."""
    found = [each for each in map(quotient, curves[other], curves[OURS]) if each is not None]
    ratio = found[-1] if found else None
    return Claim(
        f"{other} needs a similar amount ({number(ratio)} times)",
        None if ratio is None else 1 / most <= ratio <= most,
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
        f"{OURS}'s time grows at most {most:g} times from the first to the last point "
        f"({number(factor)} times)",
        at_most(factor, most),
    )


def static_is_worse(curves: Curves, paper: str, *, by_time: bool = True) -> Claim:
    """Say that always sharing is worse than deciding, over all points."""
    ratio = total(curves, ALWAYS, OURS) if by_time else total(curves, OURS, ALWAYS)
    return Claim(
        f"deciding at run time beats always sharing ({number(ratio, 3)} times; {paper})",
        at_least(ratio, 1.0),
    )


def decides_well(curves: Curves) -> list[Claim]:
    """Say that deciding is as good as the better of both ways, and better than the worse one."""
    ratios = [total(curves, each, OURS) for each in (ALWAYS, NEVER)]
    known = [each for each in ratios if each is not None]
    better, worse = (min(known), max(known)) if len(known) == 2 else (None, None)
    return [
        Claim(
            f"deciding takes no longer than the better one of always and never, but for "
            f"{NOISE - 1:.0%} of noise (that takes {number(better, 3)} times as long)",
            at_least(better, 1 / NOISE),
            of_paper=False,
        ),
        Claim(
            f"and the worse one takes at least 1.2 times as long ({number(worse, 3)} times)",
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
