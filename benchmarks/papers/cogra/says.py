"""What COGRA says again and again about its curves, as claims."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.papers.claims import at_most, ends, figures, quotient, ratio_claim, rises
from benchmarks.papers.cogra.contenders import TWO_STEPS
from benchmarks.papers.experiment import Cell, Claim, Curves, Range
from benchmarks.papers.sweep import OURS

SMALLER = (
    "far fewer events in a window than in the paper, where the gap grows with them; what builds "
    "trends is Cepheid's match engine, compiled, instead of SASE or Flink in Java"
)
MEMORY = (
    "far fewer events in a window than in the paper, and resident bytes of arrays instead of Java "
    "objects; Cepheid has a copy of the columns that it reads"
)


def last_ratio(
    curves: Curves, one: str, other: str, *, from_the_left: bool = False
) -> float | None:
    """Divide one curve by another at the last point where both were measured, or at the first."""
    found = [each for each in map(quotient, curves[one], curves[other]) if each is not None]
    return (found[0] if from_the_left else found[-1]) if found else None


def wins(
    curves: Curves,
    other: str,
    paper: float | Range,
    why: str = SMALLER,
    *,
    from_the_left: bool = False,
) -> Claim:
    """Say that another contender needs so many times what Cepheid, in COGRA's place, needs.

    At the hardest point where both ran: the last one, or the first in a chart over groups.
    """
    ratio = last_ratio(curves, other, OURS, from_the_left=from_the_left)
    return ratio_claim(
        f"{other} ÷ {OURS} at the hardest point where both ran",
        ratio,
        paper,
        why,
    )


def two_steps_rise(curves: Curves) -> Claim:
    """Say that the two-step approach grows, or gave up before it could be seen."""
    cells = [each for each in curves[TWO_STEPS] if each.value is not None]
    return Claim(f"the two-step approach grows{ends(cells)}", rises(cells))


def two_steps_fail(curves: Curves, *, at_first: bool = False) -> Claim:
    """Say that the two-step approach does not get to the hard end of the chart."""
    hard = curves[TWO_STEPS][0 if at_first else -1]
    return Claim("the two-step approach does not finish at the hard end", hard.value is None)


def keeps(curves: Curves, name: str, most: float, *, of_paper: bool = True) -> Claim:
    """Say that a curve stays about the same from end to end."""
    factor = spread([each for each in curves[name] if each.value])
    return Claim(
        f"{name} stays about the same" + figures(" ({} times between lowest and highest)", factor),
        at_most(factor, most),
        of_paper=of_paper,
    )


def spread(cells: Sequence[Cell]) -> float | None:
    """Return the highest value divided by the lowest."""
    values = [each.value for each in cells if each.value]
    return max(values) / min(values) if values else None
