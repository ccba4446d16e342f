"""Values, NULL and exact sums (semantics, sections 1, 7 and 8)."""

from __future__ import annotations

import datetime
import math
import operator as python
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

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
    return COMPARISONS[operator](_comparable(left), _comparable(right))


def _comparable(value: Any) -> Any:
    """Dates are their midnight, and a time without a zone is in UTC."""
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        value = datetime.datetime.combine(value, datetime.time())
    if isinstance(value, datetime.datetime) and value.tzinfo is None:
        value = value.replace(tzinfo=datetime.UTC)
    return value


def operate(operator: str, left: Any, right: Any) -> Any:
    """Arithmetic with NULL; division by zero is NULL, `%` has the sign of the dividend."""
    if left is None or right is None:
        return None
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
