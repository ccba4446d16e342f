"""Numbers as they are written: no digit is lost on the way to a column that has them all."""

from __future__ import annotations

from decimal import Decimal


def to_number(written: Decimal) -> float | Decimal:
    """Return a float if it stands for all digits, else the decimal itself.

    >>> to_number(Decimal("0.1")), to_number(Decimal("9007199254740993.5"))
    (0.1, Decimal('9007199254740993.5'))
    """
    nearest = float(written)
    return nearest if nearest in (0.0, float("inf")) or exactly(nearest) == written else written


def exactly(value: float | Decimal) -> Decimal:
    """Return what a number says as it is written: 0.1 is one tenth.

    >>> exactly(0.1), exactly(3)
    (Decimal('0.1'), Decimal('3'))
    """
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
