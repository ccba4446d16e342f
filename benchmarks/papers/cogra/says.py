"""What COGRA says again and again about its curves, as claims."""

from __future__ import annotations

from benchmarks.papers.claims import Claim, at_least, at_most, number, quotient, rises
from benchmarks.papers.cogra.contenders import TWO_STEPS
from benchmarks.papers.cogra.figure import Curves
from benchmarks.papers.experiment import Cell
from benchmarks.papers.sweep import OURS

CLEARLY = 10.0


def last_ratio(
    curves: Curves, one: str, other: str, *, from_the_left: bool = False
) -> float | None:
    """Divide one curve by another at the last point where both were measured, or at the first."""
    found = [each for each in map(quotient, curves[one], curves[other]) if each is not None]
    return (found[0] if from_the_left else found[-1]) if found else None


def wins(
    curves: Curves, other: str, paper: str, least: float = CLEARLY, *, from_the_left: bool = False
) -> Claim:
    """Say that another contender needs so many times what Cepheid, in COGRA's place, needs.

    At the hardest point where both ran: the last one, or the first in a chart over groups.
    """
    ratio = last_ratio(curves, other, OURS, from_the_left=from_the_left)
    return Claim(
        f"{other} needs at least {least:g} times what {OURS} needs at the hardest point where both "
        f"ran ({number(ratio)} times; {paper} in the paper)",
        at_least(ratio, least),
    )


def two_steps_rise(curves: Curves) -> Claim:
    """Say that the two-step approach grows, or gave up before it could be seen."""
    cells = [each for each in curves[TWO_STEPS] if each.value is not None]
    ends = f"{number(cells[0].value)} to {number(cells[-1].value)}" if cells else "nothing"
    return Claim(f"the two-step approach grows: {ends}", rises(cells))


def two_steps_fail(curves: Curves, *, at_first: bool = False) -> Claim:
    """Say that the two-step approach does not get to the hard end of the chart."""
    hard = curves[TWO_STEPS][0 if at_first else -1]
    return Claim("the two-step approach does not finish at the hard end", hard.value is None)


def keeps(curves: Curves, name: str, most: float, *, of_paper: bool = True) -> Claim:
    """Say that a curve stays about the same from end to end."""
    factor = spread([each for each in curves[name] if each.value])
    return Claim(
        f"{name} stays about the same ({number(factor)} times between lowest and highest)",
        at_most(factor, most),
        of_paper=of_paper,
    )


def spread(cells: list[Cell]) -> float | None:
    """Return the highest value divided by the lowest."""
    values = [each.value for each in cells if each.value]
    return max(values) / min(values) if values else None
