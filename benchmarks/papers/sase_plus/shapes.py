"""Numbers that tell the shape of a curve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def exponent(x: Sequence[float], y: Sequence[float]) -> float:
    """Return e of the best fit y = c x^e."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def determination(x: Sequence[float], y: Sequence[float]) -> float:
    """Return R² of the best straight line."""
    across, up = np.asarray(x, float), np.asarray(y, float)
    line = np.polyval(np.polyfit(across, up, 1), across)
    total = float(((up - up.mean()) ** 2).sum())
    return 1.0 - float(((up - line) ** 2).sum()) / total if total > 0 else 1.0


def spread(values: Sequence[float]) -> str:
    """Return the range of factors: `1.4 to 2.1`."""
    return f"{min(values):.2g} to {max(values):.2g}"
