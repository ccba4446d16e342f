"""What functions say of one event, in plain Python (docs/reference/functions.md)."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from typing import Any

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    Apply,
    AttributeReference,
    Compare,
    Condition,
    Constant,
    Minus,
    Operation,
    Truth,
    Value,
)
from cepheid.analysis.schema import EventSchema
from tests.oracle.arithmetic import compare, operate, to_float

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
MICROSECOND = datetime.timedelta(microseconds=1)
NUMBER = r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*"


def with_computed(row: Mapping[str, Any], schema: EventSchema) -> Mapping[str, Any]:
    """Return a row with the columns that the query computes of it."""
    if not schema.computed:
        return row
    computed = {name: _or_beyond(each.value, row) for name, each in schema.computed.items()}
    return Row({**row, **computed})


class Beyond(ArithmeticError):
    """A whole number that does not fit 64 bits."""


class Row(dict[str, Any]):
    """A row that must not be asked for a number beyond 64 bits."""

    def __getitem__(self, name: str) -> Any:
        return self._known(super().__getitem__(name))

    def get(self, name: str, default: Any = None) -> Any:
        """Return a value, or raise what was raised when it was computed."""
        return self._known(super().get(name, default))

    def _known(self, value: Any) -> Any:
        if isinstance(value, Beyond):
            raise value
        return value


def _or_beyond(node: Value, row: Mapping[str, Any]) -> Any:
    try:
        return value_of(node, row)
    except Beyond as beyond:
        return beyond


def of_no_event(name: str, schema: EventSchema) -> Any:
    """A column where its variable is unbound: NULL, or what the query computes of NULL."""
    return value_of(schema.computed[name].value, {}) if name in schema.computed else None


def value_of(node: Value, row: Mapping[str, Any]) -> Any:
    """What an expression says of a row."""
    match node:
        case AttributeReference():
            return row.get(node.attribute)
        case Apply():
            return apply(node, lambda each: value_of(each, row), lambda each: truth_of(each, row))
        case Minus():
            return _whole(operate("-", 0, value_of(node.operand, row)), node.type)
        case Operation():
            left, right = value_of(node.left, row), value_of(node.right, row)
            if node.type is AttributeType.FLOAT:
                left, right = to_float(left), to_float(right)
            return _whole(operate(node.operator, left, right), node.type)
        case Constant():
            return constant(node)
    raise AssertionError(node)


def constant(node: Constant) -> Any:
    """The value of a literal."""
    match node:
        case Constant(type=AttributeType.DATE, value=str(text)):
            return datetime.date.fromisoformat(text)
        case Constant(type=AttributeType.TIMESTAMP, value=str(text)):
            return datetime.datetime.fromisoformat(text)
        case Constant(type=AttributeType.DECIMAL, value=number) if number is not None:
            return Decimal(str(number))
        case Constant(type=AttributeType.FLOAT):
            return to_float(node.value)
    return node.value


def _whole(value: Any, kind: AttributeType) -> Any:
    """Whole numbers have 64 bits."""
    if kind is AttributeType.INTEGER and value is not None and not -(2**63) <= value < 2**63:
        raise Beyond(value)
    return value


def truth_of(node: Condition, row: Mapping[str, Any]) -> bool | None:
    """Whether a condition holds for a row; None if that is not known."""
    match node:
        case Truth():
            return node.value
        case Compare():
            return compare(node.operator, value_of(node.left, row), value_of(node.right, row))
    found = [truth_of(each, row) for each in node.operands]
    decides = isinstance(node, AnyOf)
    if decides in found:
        return decides
    return None if None in found else not decides


def apply(
    node: Apply, value: Callable[[Value], Any], truth: Callable[[Condition], bool | None]
) -> Any:
    """What a function gives."""
    name = node.function
    if name == "condition":
        return truth(node.arguments[0])  # type: ignore[arg-type]
    if name == "case":
        for condition, result in zip(node.arguments[:-1:2], node.arguments[1:-1:2], strict=True):
            if truth(condition) is True:  # type: ignore[arg-type]
                return _as(value(result), node.type)  # type: ignore[arg-type]
        return _as(value(node.arguments[-1]), node.type)  # type: ignore[arg-type]
    if name == "coalesce":  # what comes later is not computed
        found = (value(each) for each in node.arguments)  # type: ignore[arg-type]
        return next((_as(each, node.type) for each in found if each is not None), None)
    arguments = [value(each) for each in node.arguments  # type: ignore[arg-type]
                 if not isinstance(each, AllOf | AnyOf | Compare | Truth)]  # fmt: skip
    if name in ("least", "greatest"):
        known = [_as(each, node.type) for each in arguments if each is not None]
        if not known:
            return None
        return (min if name == "least" else max)(known, key=_order)
    if name == "is_null":
        return arguments[0] is None
    if name == "in":
        found = [compare("=", arguments[0], each) for each in arguments[1:]]
        return True if True in found else None if None in found else False
    if name == "path":
        return _at(arguments[0], json.loads(node.option))
    if None in arguments:
        return None
    return FUNCTIONS[name](node, *arguments)


def _order(value: Any) -> tuple[bool, Any]:
    is_nan = isinstance(value, float) and math.isnan(value)
    return (is_nan, 0 if is_nan else value)


def _as(value: Any, kind: AttributeType) -> Any:
    if value is None:
        return None
    if kind is AttributeType.FLOAT:
        return float(value)
    return Decimal(value) if kind is AttributeType.DECIMAL else value


def _at(value: Any, steps: list[Any]) -> Any:
    for step in steps:
        if value is None:
            return None
        value = value[step] if isinstance(step, str) else dict(value).get(step["key"])
    return value


def _like(node: Apply, text: str, pattern: str) -> bool | None:
    if node.function == "rlike":
        try:
            return re.search(pattern, text) is not None
        except re.error:
            return None
    if node.function == "ilike":
        text, pattern = text.lower(), pattern.lower()
    regex, signs = "", iter(pattern)
    for sign in signs:
        if node.option and sign == node.option:
            regex += re.escape(next(signs, sign))
        else:
            regex += {"%": ".*", "_": "."}.get(sign, re.escape(sign))
    return re.fullmatch(regex, text, re.DOTALL) is not None


def _substr(_: Apply, text: str, start: int, length: int) -> str | None:
    if start == 0 or length < 0:
        return None
    begin = start - 1 if start > 0 else len(text) + start
    return text[max(begin, 0) : max(begin + length, 0)]


def _extract(_: Apply, text: str, pattern: str, group: int) -> str:
    found = re.search(pattern, text)
    if found is None or group > (found.re.groups):
        return ""
    return found[group] or ""


def _split_part(_: Apply, text: str, separator: str, number: int) -> str | None:
    if not separator or number < 1:
        return None
    parts = text.split(separator)
    return parts[number - 1] if number <= len(parts) else ""


def _round(_: Apply, number: Any, digits: int) -> Any:
    if isinstance(number, int):
        return number
    if isinstance(number, Decimal):
        return number.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    scaled = number * 10.0**digits
    if not abs(scaled) < 2**52:
        return number
    whole = math.trunc(scaled)
    if abs(scaled - whole) >= 0.5:
        whole += 1 if scaled > 0 else -1
    return whole / 10.0**digits


def _floor(round_off: Callable[[Any], Any]) -> Callable[..., Any]:
    def apply_to(_: Apply, number: Any) -> Any:
        if isinstance(number, float) and not math.isfinite(number):
            return number
        return type(number)(round_off(number))

    return apply_to


def _cast(node: Apply, value: Any) -> Any:
    match node.type:
        case AttributeType.STRING:
            return _spelled(value)
        case AttributeType.INTEGER:
            if isinstance(value, str):
                if not re.fullmatch(r"\s*[+-]?[0-9]+\s*", value):
                    return None
                value = int(value)
            if isinstance(value, float) and not math.isfinite(value):
                return None
            number = math.trunc(value)
            return number if -(2**63) <= number < 2**63 else None
        case AttributeType.FLOAT:
            if isinstance(value, str) and not re.fullmatch(NUMBER, value):
                return None
            return float(value)
        case AttributeType.BOOLEAN:
            if not isinstance(value, str):
                return value != 0
            word = value.strip().lower()
            if word in ("t", "true", "y", "yes", "1"):
                return True
            return False if word in ("f", "false", "n", "no", "0") else None
        case AttributeType.DECIMAL:
            return _to_decimal(value, *map(int, node.option.split(",")))
        case AttributeType.DATE:
            if isinstance(value, str):
                return _read(datetime.date.fromisoformat, value, 10)
            return value.date() if isinstance(value, datetime.datetime) else value
        case AttributeType.TIMESTAMP:
            if isinstance(value, str):
                return _read(datetime.datetime.fromisoformat, value, 10)
            if isinstance(value, datetime.datetime):
                return value.replace(tzinfo=None)
            return datetime.datetime.combine(value, datetime.time())
    raise AssertionError(node)


def _spelled(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        fraction = f"{value:.%f}".rstrip("0").rstrip(".") if value.microsecond else ""
        return f"{value:%Y-%m-%d %H:%M:%S}{fraction}"
    return str(value)


def _to_decimal(value: Any, precision: int, scale: int) -> Decimal | None:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str) and not re.fullmatch(NUMBER, value):
        return None
    exact = Fraction(value.strip() if isinstance(value, str) else str(value))
    digits = math.floor(abs(exact) * 10**scale + Fraction(1, 2))  # halves go away from zero
    if digits >= 10**precision:
        return None
    with localcontext(prec=precision):
        return Decimal(digits if exact >= 0 else -digits).scaleb(-scale)


def _read(read: Callable[[str], Any], text: str, least: int) -> Any:
    try:
        return read(text.strip()) if len(text.strip()) >= least else None
    except ValueError:
        return None


def _instant(time: datetime.date) -> datetime.datetime:
    if not isinstance(time, datetime.datetime):
        time = datetime.datetime.combine(time, datetime.time())
    return time if time.tzinfo is not None else time.replace(tzinfo=datetime.UTC)


def _microseconds(_: Apply, time: datetime.date) -> int:
    return (_instant(time) - EPOCH) // MICROSECOND


def _later(_: Apply, time: datetime.date, length: int) -> datetime.date:
    if isinstance(time, datetime.datetime) and time.tzinfo is not None:
        return (time.astimezone(datetime.UTC) + length * MICROSECOND).astimezone(time.tzinfo)
    if isinstance(time, datetime.datetime):
        return time + length * MICROSECOND
    return (_instant(time) + length * MICROSECOND).date()


def _date_trunc(_: Apply, unit: str, time: Any) -> Any:
    is_date = not isinstance(time, datetime.datetime)
    moment = datetime.datetime.combine(time, datetime.time()) if is_date else time
    parts = ("second", "minute", "hour", "day")
    if unit in parts:
        kept = {"microsecond": 0} | dict.fromkeys(parts[: parts.index(unit)], 0)
        moment = moment.replace(**kept)
    else:
        moment = moment.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
        if unit == "week":
            moment -= datetime.timedelta(days=moment.weekday())
        else:
            month = {"year": 1, "quarter": (moment.month - 1) // 3 * 3 + 1}
            moment = moment.replace(day=1, month=month.get(unit, moment.month))
    return moment.date() if is_date else moment


def _contains(_: Apply, whole: Any, part: Any) -> bool | None:
    if isinstance(whole, str):
        return part in whole
    return True if part in whole else None if None in whole else False


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("like", "ilike", "rlike"), _like),
    "lower": lambda _, text: text.lower(),
    "upper": lambda _, text: text.upper(),
    "length": lambda _, text: len(text),
    "substr": _substr,
    "trim": lambda _, text, signs: text.strip(signs),
    "ltrim": lambda _, text, signs: text.lstrip(signs),
    "rtrim": lambda _, text, signs: text.rstrip(signs),
    "concat": lambda _, *texts: "".join(texts),
    "starts_with": lambda _, text, part: text.startswith(part),
    "ends_with": lambda _, text, part: text.endswith(part),
    "contains": _contains,
    "replace": lambda _, text, part, new: text.replace(part, new) if part else text,
    "regexp_extract": _extract,
    "split_part": _split_part,
    "abs": lambda node, number: _whole(abs(number), node.type),
    "sign": lambda _, number: None if math.isnan(number) else (number > 0) - (number < 0),
    "round": _round,
    "floor": _floor(math.floor),
    "ceil": _floor(math.ceil),
    "sqrt": lambda _, number: None if number < 0 else math.sqrt(number),
    "power": lambda _, number, exponent: float(number) ** float(exponent),
    "ln": lambda _, number: None if number <= 0 else math.log(number),
    "log10": lambda _, number: None if number <= 0 else math.log10(number),
    "exp": lambda _, number: math.exp(number),
    "year": lambda _, time: time.year,
    "quarter": lambda _, time: (time.month + 2) // 3,
    "month": lambda _, time: time.month,
    "day": lambda _, time: time.day,
    "hour": lambda _, time: getattr(time, "hour", 0),
    "minute": lambda _, time: getattr(time, "minute", 0),
    "second": lambda _, time: getattr(time, "second", 0),
    "day_of_week": lambda _, time: time.isoweekday(),
    "day_of_year": lambda _, time: time.timetuple().tm_yday,
    "date_trunc": _date_trunc,
    "epoch": lambda node, time: _microseconds(node, time) / 1e6,
    "microseconds": _microseconds,
    "later": _later,
    "size": lambda _, array: len(array),
    "hex": lambda _, value: value.hex(),
    "cast": _cast,
}
