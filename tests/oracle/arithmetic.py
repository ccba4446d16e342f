"""Values, NULL and exact sums (semantics, sections 1, 7 and 8)."""

from __future__ import annotations

import datetime
import math
import operator as python
import statistics
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": python.eq,
    "!=": python.ne,
    "<": python.lt,
    "<=": python.le,
    ">": python.gt,
    ">=": python.ge,
}


def compare(operator: str, left: Any, right: Any) -> bool | None:
    """None if an operand is NULL: SQL's unknown."""
    if left is None or right is None:
        return None
    if isinstance(left, datetime.date) and isinstance(right, datetime.date):
        left, right = _instant(left, _zone(right)), _instant(right, _zone(left))
    elif float in (type(left), type(right)):
        left, right = to_float(left), to_float(right)
    return COMPARISONS[operator](left, right)


def to_float(value: Any) -> Any:
    """Next to a float every number is one; others are compared with all their digits."""
    return float(value) if isinstance(value, int | Decimal) else value


def _zone(value: datetime.date) -> datetime.tzinfo:
    zone = value.tzinfo if isinstance(value, datetime.datetime) else None
    return datetime.UTC if zone is None else zone


def _instant(value: datetime.date, zone: datetime.tzinfo) -> datetime.datetime:
    """Dates are their midnight; without a zone a time is in that of what it is compared with.

    Like Spark, Python reads a time that clocks skip as if they had not, and takes the first of two.
    """
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime.combine(value, datetime.time())
    if value.tzinfo is None:
        value = value.replace(tzinfo=ZoneInfo(str(zone)))
    offset = value.utcoffset() or datetime.timedelta()
    return value.replace(tzinfo=None) - offset


def operate(operator: str, left: Any, right: Any) -> Any:
    """Arithmetic with NULL; division by zero is NULL, `%` has the sign of the dividend."""
    if left is None or right is None:
        return None
    if Decimal in (type(left), type(right)):
        with localcontext(prec=200):
            return _operate(operator, left, right)
    return _operate(operator, left, right)


def _operate(operator: str, left: Any, right: Any) -> Any:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return None if right == 0 else left / right
        case "%":
            if right == 0:
                return None
            if isinstance(left, int) and isinstance(right, int):
                rest = abs(left) % abs(right)
                return rest if left >= 0 else -rest
            if Decimal in (type(left), type(right)):
                return left % right  # with the sign of the dividend
            return math.fmod(left, right)
    raise AssertionError(operator)


def aggregate(function: str, values: Sequence[Any]) -> Any:
    """COUNT, SUM, AVG, MIN, MAX of values without NULL; NULL of nothing, except COUNT."""
    if function == "COUNT":
        return len(values)
    if not values:
        return None
    match function:
        case "SUM":
            return _number(_total(values), values)
        case "AVG":
            return float(_total(values) / len(values))
        case "MIN":
            return min(values, key=_order)
        case "MAX":
            return max(values, key=_order)
    raise AssertionError(function)


def summary(function: str, values: Sequence[Any]) -> Any:
    """What needs all values at once, of those that are not NULL."""
    match function.upper():
        case "COUNT_DISTINCT":
            return len(set(values))
        case "MEDIAN":
            return float(statistics.median(values)) if values else None
        case "STDDEV":
            return statistics.stdev(values) if len(values) > 1 else None
    raise AssertionError(function)


def _order(value: Any) -> tuple[bool, Any]:
    """NaN is larger than every number."""
    is_nan = isinstance(value, float) and math.isnan(value)
    return (is_nan, 0 if is_nan else value)


def _total(values: Sequence[Any]) -> Fraction | float:
    """Exact, whatever the order of the values, unless one is infinite or not a number."""
    if all(math.isfinite(each) for each in values):
        return sum(map(Fraction, values), Fraction(0))
    return sum(each for each in values if not math.isfinite(each))


def _number(total: Fraction | float, values: Sequence[Any]) -> int | float:
    if all(isinstance(each, int) for each in values):
        return int(total)
    try:
        return float(total)
    except OverflowError:
        return math.inf if total > 0 else -math.inf
