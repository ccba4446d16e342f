"""What a paper says about a curve, tested on ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from benchmarks.papers.experiment import Cell

NOISE = (
    1.25  # a curve that falls by less than this factor between two points still counts as rising
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement with our numbers in it; `holds` is None where a number is missing.

    Only what the paper says decides whether its shape was seen; `of_paper` is False for the rest.
    """

    text: str
    holds: bool | None
    of_paper: bool = True


def judge(claims: Sequence[Claim]) -> str:
    """Return in one sentence whether the shape was seen again, claim by claim.

    >>> judge([Claim("AIS wins", True), Claim("they meet", False)])
    'Seen in part (1 of 2). AIS wins: yes; they meet: no.'
    """
    known = [claim for claim in claims if claim.of_paper and claim.holds is not None]
    right = sum(bool(claim.holds) for claim in known)
    if not known:
        verdict = "Not measured"
    elif right == len(known):
        verdict = f"Seen again ({right} of {len(known)})"
    else:
        verdict = f"{'Seen in part' if right else 'Not seen'} ({right} of {len(known)})"
    said = [each for each in claims if each.of_paper]
    own = [each for each in claims if not each.of_paper]
    return f"{verdict}. {_listed(said)}." + (f" Beside the paper: {_listed(own)}." if own else "")


def _listed(claims: Sequence[Claim]) -> str:
    words = {True: "yes", False: "no", None: "not measured"}
    return "; ".join(f"{each.text}: {words[each.holds]}" for each in claims)


def quotient(one: Cell, other: Cell) -> float | None:
    """Return one value divided by another, if both were measured."""
    if one.value is None or not other.value:
        return None
    return one.value / other.value


def number(value: float | None, digits: int = 2) -> str:
    """Return a number for a sentence.

    >>> number(0.00234), number(18.04), number(None)
    ('0.0023', '18', '?')
    """
    return "?" if value is None else f"{value:.{digits}g}" if abs(value) < 100 else f"{value:,.0f}"


def at_least(value: float | None, least: float) -> bool | None:
    """Compare a value that may be missing."""
    return None if value is None else value >= least


def at_most(value: float | None, most: float) -> bool | None:
    """Compare a value that may be missing."""
    return None if value is None else value <= most


def less(one: float | None, other: float | None) -> bool | None:
    """Compare two values that may be missing."""
    return None if one is None or other is None else one < other


def rises(cells: Sequence[Cell]) -> bool | None:
    """Say whether a curve rises from end to end and never falls by more than the noise."""
    values = [each.value for each in cells if each.value is not None]
    if len(values) < 2:
        return None
    steps = pairwise(values)
    return values[-1] > values[0] and all(later * NOISE > earlier for earlier, later in steps)
