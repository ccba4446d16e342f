"""What a paper says about a curve, tested on ours, and said in words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from benchmarks.papers.experiment import NEAR, Cell, Claim, Range

NOISE = (
    1.25  # a curve that falls by less than this factor between two points still counts as rising
)
SEEN, NOT_SEEN, NOT_MEASURED = "seen", "not seen", "not measured"


def ratio_claim(text: str, ours: float | None, paper: float | Range, why: str) -> Claim:
    """Return a claim with a ratio in it: seen only within a factor of 2 of the paper's.

    >>> near = ratio_claim("AIS wins", 10.0, 18.0, "compiled")
    >>> far = ratio_claim("AIS wins", 6.0, (18.0, 20.0), "compiled")
    >>> near.holds, far.holds, far.difference
    (True, False, 0.3333333333333333)
    """
    low, high = paper if isinstance(paper, tuple) else (paper, paper)
    holds = None if ours is None else low / NEAR <= ours <= high * NEAR
    return Claim(text, holds, ours=ours, paper=(low, high), why=why)


def verdict(claims: Sequence[Claim]) -> str:
    """Return how many claims of the paper were seen.

    >>> verdict([Claim("AIS wins", True), Claim("they meet", False)])
    'Seen in part (1 of 2)'
    """
    known = [claim for claim in claims if claim.of_paper and claim.holds is not None]
    right = sum(bool(claim.holds) for claim in known)
    if not known:
        return "Not measured"
    if right == len(known):
        return f"Seen again ({right} of {len(known)})"
    return f"{'Seen in part' if right else 'Not seen'} ({right} of {len(known)})"


def judge(claims: Sequence[Claim]) -> str:
    """Return in a few sentences whether the shape was seen again, claim by claim.

    >>> judge([Claim("AIS wins", True)])
    'Seen again (1 of 1). AIS wins: seen.'
    >>> judge([ratio_claim("A ÷ B", 4.0, 1.0, "compiled")])
    'Not seen (0 of 1). A ÷ B: not seen, 4 instead of 1 (4 times more): compiled.'
    """
    said = [each for each in claims if each.of_paper]
    own = [each for each in claims if not each.of_paper]
    sentences = [f"{verdict(claims)}.", *map(_sentence, said)]
    if own:
        sentences += ["Beside the paper.", *map(_sentence, own)]
    return " ".join(sentences)


def _sentence(claim: Claim) -> str:
    text = claim.text[:1].upper() + claim.text[1:]
    if claim.paper is None:
        why = f": {claim.why}" if claim.why and claim.holds is False else ""
        return f"{text}: {word(claim)}{why}."
    if claim.holds is None:
        return f"{text}: {word(claim)}."
    numbers = figures("{} instead of ", claim.ours) + range_text(claim.paper)
    if claim.holds:
        return f"{text}: {word(claim)}, {numbers}."
    return f"{text}: {word(claim)}, {numbers} ({difference_text(claim)}): {claim.why}."


def word(claim: Claim) -> str:
    """Return whether a claim was seen."""
    return {True: SEEN, False: NOT_SEEN, None: NOT_MEASURED}[claim.holds]


def range_text(paper: Range) -> str:
    """Return what the paper has.

    >>> range_text((2.0, 2.0)), range_text((1e3, 1e5)), range_text((100.0, float("inf")))
    ('2', '1,000 to 100,000', 'at least 100')
    """
    low, high = map(number, paper)
    if paper[1] == float("inf"):
        return f"at least {low}"
    return low if low == high else f"{low} to {high}"


def difference_text(claim: Claim) -> str:
    """Return by how much our ratio differs from the paper's.

    >>> difference_text(ratio_claim("", 5.0, 100.0, ""))
    '20 times less'
    """
    factor = claim.difference
    if factor is None or factor == 1:
        return ""
    return f"{number(factor)} times more" if factor > 1 else f"{number(1 / factor)} times less"


def quotient(one: Cell, other: Cell) -> float | None:
    """Return one value divided by another, if both were measured."""
    if one.value is None or not other.value:
        return None
    return one.value / other.value


def number(value: float, digits: int = 2) -> str:
    """Return a number for a sentence.

    >>> number(0.00234), number(18.04), number(513_036)
    ('0.0023', '18', '513,036')
    """
    return f"{value:.{digits}g}" if abs(value) < 100 else f"{value:,.0f}"


def figures(phrase: str, *values: float | None, digits: int = 2) -> str:
    """Return a phrase with measured figures in it, or nothing if one of them is missing.

    The sentence around it is whole without it, so that no hole is left.

    >>> figures(" ({} to {} times)", 2.0, 18.04), figures(" ({} to {} times)", 2.0, None)
    (' (2 to 18 times)', '')
    """
    known = [number(each, digits) for each in values if each is not None]
    return phrase.format(*known) if len(known) == len(values) else ""


def ends(cells: Sequence[Cell], unit: str = "") -> str:
    """Return the first and the last measured value of a curve, as the end of a sentence.

    >>> ends([Cell(0.1), Cell(None), Cell(63.0)], " µs"), ends([Cell(None)])
    (': 0.1 to 63 µs', '')
    """
    known = [each.value for each in cells if each.value is not None]
    return figures(f": {{}} to {{}}{unit}", known[0], known[-1]) if known else ""


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
