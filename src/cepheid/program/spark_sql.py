"""Computed columns in the words of Spark SQL, with the meaning that they have in process.

What differs in Spark is written out: NaN equals NaN there and is the largest number, integers wrap
or are an error, LIKE has an escape sign of its own. A function that Spark has in no such way is
left to Python.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import assert_never

from cepheid.analysis.attribute_types import TEMPORAL, AttributeType
from cepheid.analysis.cast_types import OF_FLOATS
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    Apply,
    AttributeReference,
    BlockAggregate,
    Compare,
    Condition,
    Constant,
    Minus,
    Operation,
    Truth,
    Value,
)
from cepheid.analysis.functions import BY_NAME
from cepheid.errors import InternalError
from cepheid.language.numbers import exactly
from cepheid.program.like_patterns import like_signs

BOOLEAN, INTEGER, FLOAT = AttributeType.BOOLEAN, AttributeType.INTEGER, AttributeType.FLOAT
DECIMAL, STRING, DATE = AttributeType.DECIMAL, AttributeType.STRING, AttributeType.DATE
TIMESTAMP, ZONED = AttributeType.TIMESTAMP, AttributeType.ZONED
TYPE_NAMES = {
    INTEGER: "bigint",
    AttributeType.DURATION: "bigint",
    AttributeType.NULL: "bigint",
    FLOAT: "double",
    STRING: "string",
    BOOLEAN: "boolean",
    DATE: "date",
    TIMESTAMP: "timestamp_ntz",
    ZONED: "timestamp",
}
IN_PYTHON = ("rlike", "regexp_extract")
WITH_LITERALS = ("like", "ilike", "substr", "replace", "split_part")
CHECKED = {"+": "try_add", "-": "try_subtract", "*": "try_multiply"}
GUARDS = {
    INTEGER: r"^\s*[+-]?[0-9]{1,40}\s*$",
    FLOAT: r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$",
    DECIMAL: r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$",
    DATE: r"^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}\s*$",
    TIMESTAMP: r"^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?)?\s*$",
}
DATE_UNITS = {"year": "YEAR", "quarter": "QUARTER", "month": "MONTH", "week": "WEEK"}


class SparkWriter:
    """Writes values; `in_python` gets the calls that are computed beforehand, by column name."""

    def __init__(self) -> None:
        self.in_python: dict[str, Apply] = {}

    def column(self, value: Value) -> str:
        """Return an expression for a whole column."""
        kind = TYPE_NAMES.get(value.type)
        text = self.value(value)
        return text if kind is None else f"cast({text} AS {kind})"

    def value(self, value: Value) -> str:
        """Return an expression for a value."""
        match value:
            case Constant():
                return _constant(value)
            case AttributeReference():
                return quoted(value.attribute)
            case Minus():
                operand = self.value(value.operand)
                is_whole = value.type in (INTEGER, AttributeType.DURATION)
                return f"try_subtract(0L, {operand})" if is_whole else f"(- {operand})"
            case Operation():
                return self._operation(value)
            case Apply():
                return self._apply(value)
            case BlockAggregate():
                raise InternalError("an aggregate over a block is not of one event")
        assert_never(value)

    def condition(self, condition: Condition) -> str:
        """Return an expression for a condition."""
        match condition:
            case Truth():
                return "true" if condition.value else "false"
            case AllOf() | AnyOf():
                word = " AND " if isinstance(condition, AllOf) else " OR "
                return f"({word.join(map(self.condition, condition.operands))})"
            case Compare():
                return self._compare(condition)
        assert_never(condition)

    def _compare(self, atom: Compare) -> str:
        left, right = atom.left, atom.right
        if AttributeType.NULL in (left.type, right.type):
            return "cast(NULL AS boolean)"
        texts = [self._beside(left, right), self._beside(right, left)]
        plain = f"({texts[0]} {atom.operator} {texts[1]})"
        if FLOAT not in (left.type, right.type):
            return plain
        texts = [f"cast({each} AS double)" for each in texts]
        sure = "true" if atom.operator == "!=" else "false"
        plain = f"{texts[0]} {atom.operator} {texts[1]}"
        unknown = f"{texts[0]} IS NULL OR {texts[1]} IS NULL"
        is_nan = f"isnan({texts[0]}) OR isnan({texts[1]})"
        return f"(CASE WHEN {unknown} THEN NULL WHEN {is_nan} THEN {sure} ELSE {plain} END)"

    def _beside(self, value: Value, other: Value) -> str:
        """Return one side of a comparison; a text beside a time is a time of that kind."""
        if isinstance(value, Constant) and isinstance(value.value, str):
            if other.type is DATE and len(value.value) == len("2024-01-31"):
                return f"cast({_text(value.value)} AS date)"
            if other.type in TEMPORAL:
                kind = "timestamp" if other.type is ZONED else "timestamp_ntz"
                return f"cast({_text(value.value)} AS {kind})"
        return self.value(value)

    def _operation(self, node: Operation) -> str:
        left, right = self.value(node.left), self.value(node.right)
        if node.operator == "/" or node.type is FLOAT:
            left, right = f"cast({left} AS double)", f"cast({right} AS double)"
        if node.operator in "/%":
            return f"({left} {node.operator} nullif({right}, 0))"
        if node.type is FLOAT:
            return f"({left} {node.operator} {right})"
        if node.type is not DECIMAL:
            left, right = f"cast({left} AS bigint)", f"cast({right} AS bigint)"
        return f"{CHECKED[node.operator]}({left}, {right})"

    # --- functions ------------------------------------------------------------------------------

    def _apply(self, node: Apply) -> str:
        if _is_in_python(node):
            return self._column_in_python(node)
        parts = [
            self.condition(each)
            if isinstance(each, AllOf | AnyOf | Compare | Truth)
            else self.value(each)
            for each in node.arguments
        ]
        match node.function:
            case "condition":
                return parts[0]
            case "is_null":
                return f"({parts[0]} IS NULL)"
            case "in":
                return self._is_in(node)
            case "like" | "ilike":
                return _like(node, parts[0])
            case "case":
                return _case(node, parts)
            case "cast":
                return _cast(node, parts[0])
            case "path":
                return _path(node, parts[0])
            case "hex":
                return f"lower(hex({parts[0]}))"
            case "later":
                return _later(node, parts)
            case "date_trunc":
                return _date_trunc(node, parts[1])
            case "least" | "greatest" | "coalesce":
                parts = [_as_type(each, node.type) for each in parts]
        return _template(node, parts)

    def _column_in_python(self, node: Apply) -> str:
        """Return the name of a column that Python computes after those that it reads."""
        texts = [self.value(each) for each in node.arguments
                 if not isinstance(each, AllOf | AnyOf | Compare | Truth)]  # fmt: skip
        known = [each for each, call in self.in_python.items() if call == node]
        name = known[0] if known else f"__cepheid_{len(self.in_python)}"
        self.in_python[name] = node
        if node.function == "cast":  # pandas does not tell NaN from NULL
            return f"(CASE WHEN isnan({texts[0]}) THEN 'nan' ELSE {quoted(name)} END)"
        return quoted(name)

    def _is_in(self, node: Apply) -> str:
        operand, *members = node.arguments
        assert not isinstance(operand, AllOf | AnyOf | Compare | Truth)
        texts = [self._beside(each, operand) for each in members if isinstance(each, Constant)]
        return f"({self.value(operand)} IN ({', '.join(texts)}))"


def _is_in_python(node: Apply) -> bool:
    """Whether Spark has no such function; how it spells floats depends on the release of Java."""
    first, *others = node.arguments
    if node.function in WITH_LITERALS and not all(isinstance(each, Constant) for each in others):
        return True
    is_float = isinstance(first, Value) and first.type is FLOAT
    return node.function in IN_PYTHON or (is_float and node.option == OF_FLOATS)


def quoted(name: str) -> str:
    """Return the name of a column in SQL.

    >>> quoted("a`b")
    '`a``b`'
    """
    return "`" + name.replace("`", "``") + "`"


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"


def _constant(constant: Constant) -> str:
    value, kind = constant.value, constant.type
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if kind is DATE:
            return f"cast({_text(value)} AS date)"
        if kind is TIMESTAMP:
            has_zone = value.endswith("Z") or "+" in value[10:] or "-" in value[10:]
            return f"cast({_text(value)} AS {'timestamp' if has_zone else 'timestamp_ntz'})"
        return _text(value)
    is_long = isinstance(value, int) and -(2**63) < value < 2**63
    if is_long and kind is not DECIMAL:
        return f"{value}L"
    if kind is DECIMAL or isinstance(value, int | Decimal):
        return f"{exactly(value):f}BD"
    return f"cast('{value!r}' AS double)"


def _as_type(text: str, kind: AttributeType) -> str:
    name = TYPE_NAMES.get(kind)
    return text if name is None else f"cast({text} AS {name})"


def _template(node: Apply, parts: list[str]) -> str:
    function = BY_NAME[node.function]
    template = function.spark
    if isinstance(template, Mapping):
        first = node.arguments[0]
        assert not isinstance(first, AllOf | AnyOf | Compare | Truth)
        if first.type not in template:  # NULL throughout
            return "NULL"
        template = template[first.type]
    if "{*}" in template:
        return template.replace("{*}", ", ".join(parts))
    if node.function == "round":
        digits = node.arguments[1]
        assert isinstance(digits, Constant)
        parts[1] = str(digits.value)
    if node.function in ("substr", "split_part"):
        parts[1:] = [f"cast({each} AS int)" if each.endswith("L") else each for each in parts[1:]]
    return "(" + template.format(*parts) + ")"


def _like(node: Apply, text: str) -> str:
    pattern = node.arguments[1]
    assert isinstance(pattern, Constant)
    if pattern.value is None:
        return "cast(NULL AS boolean)"
    special = {"%": "\\%", "_": "\\_", "\\": "\\\\"}
    signs = [sign if is_wild else special.get(sign, sign)
             for sign, is_wild in like_signs(str(pattern.value), node.option)]  # fmt: skip
    wanted = _text("".join(signs))
    if node.function == "ilike":
        return f"(lower({text}) LIKE lower({wanted}))"
    return f"({text} LIKE {wanted})"


def _case(node: Apply, parts: list[str]) -> str:
    results = [_as_type(each, node.type) for each in parts[1:-1:2]]
    pairs = zip(parts[:-1:2], results, strict=True)
    whens = "".join(f"WHEN {one} THEN {other} " for one, other in pairs)
    return f"(CASE {whens}ELSE {_as_type(parts[-1], node.type)} END)"


def _cast(node: Apply, text: str) -> str:
    operand = node.arguments[0]
    assert not isinstance(operand, AllOf | AnyOf | Compare | Truth)
    kind = TYPE_NAMES.get(node.type, f"decimal({node.option})")
    if operand.type is STRING and node.type in GUARDS:
        guard = _text(GUARDS[node.type])
        return f"(CASE WHEN {text} RLIKE {guard} THEN try_cast(trim({text}) AS {kind}) END)"
    if operand.type is FLOAT and node.type is INTEGER:
        inside = f"{text} >= -9223372036854775808D AND {text} < 9223372036854775808D"
        return f"(CASE WHEN {inside} THEN try_cast({text} AS bigint) END)"
    if operand.type in (FLOAT, DECIMAL) and node.type is BOOLEAN:
        return f"({text} != 0)"
    return f"try_cast({text} AS {kind})"


def _path(node: Apply, text: str) -> str:
    for step in json.loads(node.option):
        if isinstance(step, str):
            text = f"{text}.{quoted(step)}"
        else:
            key = step["key"]
            text = f"try_element_at({text}, {_text(key) if isinstance(key, str) else key})"
    return text


def _later(node: Apply, parts: list[str]) -> str:
    time, length = parts
    days = f"cast({length} div 86400000000L AS int)"
    rest = f"cast({length} % 86400000000L AS decimal(18, 0))"
    seconds = f"cast({rest} / 1000000BD AS decimal(18, 6))"
    length = f"make_dt_interval({days}, 0, 0, {seconds})"
    if node.type is DATE:
        return f"cast(try_add(cast({time} AS timestamp_ntz), {length}) AS date)"
    return f"try_add({time}, {length})"


def _date_trunc(node: Apply, time: str) -> str:
    """Spark's own date_trunc would give a time without zone one."""
    unit = node.arguments[0]
    assert isinstance(unit, Constant)
    word = str(unit.value).lower()
    kind = TYPE_NAMES[node.type]
    if word in DATE_UNITS:
        return f"cast(trunc(cast({time} AS date), '{DATE_UNITS[word]}') AS {kind})"
    if word == "day" or node.type is DATE:
        return f"cast(cast({time} AS date) AS {kind})"
    second = f"extract(SECOND FROM {time})"
    minute = f"minute({time})" if word == "hour" else "0"
    rest = {"second": f"{second} - floor({second})"}.get(word, second)
    return f"({time} - make_dt_interval(0, 0, {minute}, cast({rest} AS decimal(18, 6))))"
