"""WITHIN and SLIDE: durations to ticks of the time column, or to counts of events."""

from __future__ import annotations

import math
from fractions import Fraction

from cepheid.analysis.attribute_types import TEMPORAL, AttributeType
from cepheid.analysis.bound import BoundWindow, WindowUnit
from cepheid.analysis.problems import Problems
from cepheid.analysis.schema import EventSchema
from cepheid.errors import nearest
from cepheid.language import ast

NANOSECONDS = {
    **dict.fromkeys(("ns", "nanosecond", "nanoseconds"), 1),
    **dict.fromkeys(("us", "microsecond", "microseconds"), 1_000),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 1_000_000),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 10**9),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60 * 10**9),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600 * 10**9),
    **dict.fromkeys(("d", "day", "days"), 86400 * 10**9),
    **dict.fromkeys(("w", "week", "weeks"), 7 * 86400 * 10**9),
}
EVENT_UNITS = ("event", "events")
CALENDAR_UNITS = ("month", "months", "year", "years")
MAXIMUM_TICKS = 2**62


def infer_window(
    window: ast.Window | None, schema: EventSchema, problems: Problems
) -> BoundWindow | None:
    """Return the window in ticks or events."""
    if window is None:
        return None
    length, unit = measure(window.within, schema, problems)
    slide, slide_unit = (None, unit)
    if window.slide is not None:
        slide, slide_unit = measure(window.slide, schema, problems, exact=True)
    if length is None or (window.slide is not None and slide is None):
        return None
    if window.slide is not None and slide is not None:
        if slide_unit is not unit:
            problems.add(
                "mixed-units",
                "WITHIN and SLIDE must both be times or both be counts of events",
                window.slide.span,
                "write WITHIN 10 min SLIDE 1 min, or WITHIN 500 EVENTS SLIDE 100 EVENTS",
            )
        elif slide > length:
            problems.add(
                "slide-too-long",
                "SLIDE is longer than WITHIN, so that events between windows would be lost",
                window.slide.span,
                "make SLIDE at most as long as WITHIN",
            )
    return BoundWindow(length, slide, unit, _text(window))


def measure(
    duration: ast.Duration, schema: EventSchema, problems: Problems, *, exact: bool = False
) -> tuple[int | None, WindowUnit]:
    """Return a duration in ticks (rounded up unless `exact`), or a count of events."""
    amount = duration.amount
    if isinstance(amount, ast.Parameter):
        return None, WindowUnit.TIME
    unit = duration.unit
    if amount <= 0:
        problems.add(
            "empty-window",
            "a window must be longer than 0",
            duration.span,
            "leave WITHIN out for no limit",
        )
        return None, WindowUnit.TIME
    if duration.more:
        return _sum(duration, schema, problems, exact=exact), WindowUnit.TIME
    if unit in EVENT_UNITS:
        if not isinstance(amount, int):
            problems.add(
                "bad-window",
                "a count of events must be whole",
                duration.span,
                f"write {math.ceil(amount)} EVENTS",
            )
            return None, WindowUnit.EVENTS
        if amount > MAXIMUM_TICKS:
            _report_too_long("the window has more events than can be counted", duration, problems)
            return None, WindowUnit.EVENTS
        return amount, WindowUnit.EVENTS
    # By its decimal text: 0.1 s is 100,000 microseconds, though the float 0.1 is a little more.
    ticks = _ticks(Fraction(repr(amount)), unit, duration, schema, problems)
    if ticks is None:
        return None, WindowUnit.TIME
    if exact and ticks.denominator != 1:
        problems.add(
            "slide-too-fine",
            "SLIDE is not a whole number of steps of the time column",
            duration.span,
            "use a longer SLIDE, or a time column of finer resolution",
        )
        return None, WindowUnit.TIME
    if ticks > MAXIMUM_TICKS:
        _report_too_long("the window is longer than the time column can count", duration, problems)
        return None, WindowUnit.TIME
    return -((-ticks).__floor__()), WindowUnit.TIME


def _sum(
    duration: ast.Duration, schema: EventSchema, problems: Problems, *, exact: bool
) -> int | None:
    """Return a length of several parts, `1h 30min`, as one of nanoseconds."""
    total = Fraction(0)
    for each in (duration, *duration.more):
        length = NANOSECONDS.get(each.unit or "")
        if length is None or isinstance(each.amount, ast.Parameter):
            problems.add(
                "unknown-unit",
                f"'{each.unit}' is not a unit of time",
                duration.span,
                "write 1h 30min, or one number and its unit",
            )
            return None
        total += Fraction(repr(each.amount)) * length
    whole = ast.Duration(math.ceil(total), "ns", span=duration.span)
    return measure(whole, schema, problems, exact=exact)[0]


def _report_too_long(message: str, duration: ast.Duration, problems: Problems) -> None:
    problems.add("bad-window", message, duration.span, "leave WITHIN out for no limit")


def _ticks(
    amount: Fraction,
    unit: str | None,
    duration: ast.Duration,
    schema: EventSchema,
    problems: Problems,
) -> Fraction | None:
    if unit is None:
        if schema.time_type in TEMPORAL:
            is_date = schema.time_type is AttributeType.DATE
            kind = (AttributeType.DATE if is_date else AttributeType.TIMESTAMP).value
            problems.add(
                "window-without-unit",
                f"a window on the {kind} column '{schema.time}' needs a unit",
                duration.span,
                f"write {duration.amount} seconds, minutes, hours or days",
            )
            return None
        return amount * schema.ticks_per_unit
    if unit in CALENDAR_UNITS:
        problems.add(
            "calendar-window",
            f"a {unit.removesuffix('s')} has no fixed length",
            duration.span,
            "write it in days",
        )
        return None
    if unit not in NANOSECONDS:
        near = nearest(unit, (*NANOSECONDS, "events"))
        hint = "use ms, s, min, hours, days or EVENTS"
        problems.add(
            "unknown-unit",
            f"'{unit}' is not a unit of time",
            duration.span,
            hint if near is None else f"did you mean '{near}'? {hint}",
        )
        return None
    return amount * NANOSECONDS[unit] * schema.ticks_per_second / 10**9


def _text(window: ast.Window) -> str:
    def spell(duration: ast.Duration) -> str:
        unit = "" if duration.unit is None else f" {duration.unit}"
        return " ".join([f"{duration.amount}{unit}", *map(spell, duration.more)])

    text = f"WITHIN {spell(window.within)}"
    return text if window.slide is None else f"{text} SLIDE {spell(window.slide)}"
