"""Times in words."""

from __future__ import annotations

UNITS = ((1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s"))


def duration(seconds: float) -> str:
    """Return a time with two or three digits.

    >>> duration(0.00123), duration(12.3), duration(0.0)
    ('1.23 ms', '12.3 s', '0 ns')
    """
    fitting = [each for each in UNITS if seconds >= each[0]]
    size, unit = fitting[-1] if fitting else UNITS[0]
    return f"{seconds / size:.3g} {unit}"


def long_duration(seconds: float) -> str:
    """Return a time that may last days.

    >>> [long_duration(each) for each in (0.25, 75, 7200, 86400 * 2.5)]
    ['250 ms', '1.25 min', '2 h', '2.5 d']
    """
    for unit, name in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return duration(seconds)
