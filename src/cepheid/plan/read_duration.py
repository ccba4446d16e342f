"""Durations as users write them in options: a number and a unit."""

from __future__ import annotations

import re

from cepheid.analysis.infer_window import NANOSECONDS

AMOUNT = re.compile(r"\s*(?P<number>\d+)\s*(?P<unit>[A-Za-z]+)\s*")


def milliseconds(text: str) -> int:
    """Return the length of a duration.

    >>> milliseconds("10 minutes")
    600000

    Raises:
        ValueError: it is not a number with a unit.
        ArithmeticError: it is shorter than Spark can count.
    """
    found = AMOUNT.fullmatch(text)
    length = None if found is None else NANOSECONDS.get(found["unit"].casefold())
    if found is None or length is None:
        raise ValueError(text)
    whole, rest = divmod(int(found["number"]) * length, NANOSECONDS["ms"])
    if rest:
        raise ArithmeticError(text)
    return whole
