"""Functions, CASE, CAST, fields, times and lengths of time: what is computed of one event.

What a function says of one event becomes a column of the events before anything else is done, so
that the rest of the engine reads columns only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from cepheid.analysis.bind_values import ValueBinder, is_time_text
from cepheid.analysis.describe import describe
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    Apply,
    AttributeReference,
    BlockAggregate,
    Compare,
    ComputedColumn,
    Condition,
    Constant,
    Minus,
    Operation,
    Role,
    Truth,
    Value,
    references,
)
from cepheid.analysis.functions import BY_NAME, TRUNCATED, Function
from cepheid.analysis.infer_window import NANOSECONDS
from cepheid.analysis.rename_variables import of_event
from cepheid.analysis.schema import TEMPORAL, AttributeType, NestedType
from cepheid.errors import nearest, suggest
from cepheid.language import ast
from cepheid.language.printer import print_expression
from cepheid.language.source import Span
from cepheid.language.sql_words import FUNCTIONS as SQL_FUNCTIONS
from cepheid.language.sql_words import not_here

BOOLEAN, NULL, UNKNOWN = AttributeType.BOOLEAN, AttributeType.NULL, AttributeType.UNKNOWN
INTEGER, FLOAT, DECIMAL = AttributeType.INTEGER, AttributeType.FLOAT, AttributeType.DECIMAL
DURATION = AttributeType.DURATION
CAST_TYPES = {
    **dict.fromkeys(("INT", "INTEGER", "BIGINT", "LONG", "SMALLINT", "TINYINT"), INTEGER),
    **dict.fromkeys(("DOUBLE", "FLOAT", "REAL"), FLOAT),
    **dict.fromkeys(("STRING", "VARCHAR", "TEXT", "CHAR"), AttributeType.STRING),
    **dict.fromkeys(("BOOLEAN", "BOOL"), BOOLEAN),
    "DATE": AttributeType.DATE,
    "TIMESTAMP": AttributeType.TIMESTAMP,
    **dict.fromkeys(("DECIMAL", "NUMERIC"), DECIMAL),
}
# Numbers and times have no spelling that every engine agrees on.
CASTS = {
    INTEGER: {INTEGER, FLOAT, DECIMAL, BOOLEAN, AttributeType.STRING},
    FLOAT: {INTEGER, FLOAT, DECIMAL, BOOLEAN, AttributeType.STRING},
    DECIMAL: {INTEGER, FLOAT, DECIMAL, AttributeType.STRING},
    BOOLEAN: {BOOLEAN, INTEGER, AttributeType.STRING},
    AttributeType.STRING: {AttributeType.STRING, INTEGER, BOOLEAN, AttributeType.DATE},
    AttributeType.DATE: {AttributeType.DATE, AttributeType.STRING, *TEMPORAL},
    AttributeType.TIMESTAMP: {AttributeType.DATE, AttributeType.TIMESTAMP, AttributeType.STRING},
}
MICROSECOND = NANOSECONDS["us"]
EVENT = "@"
ACROSS = ("abs", "least", "greatest", "coalesce", "case")  # of numbers
JOINED = "|| joins texts: write OR between conditions, and CAST(x AS STRING) for other values"
ALL_FUNCTIONS = "docs/reference/functions.md lists all functions"


class FunctionBinder(ValueBinder):
    """Binds what reads one event, and makes a column of it."""

    depth = 0  # of functions around
    names_are_attributes = False

    def condition(self, node: ast.Expression, *, positive: bool) -> Condition | None:
        """Bind a condition; see `ConditionBinder`."""
        raise NotImplementedError

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Bind what is an argument: functions in it are no columns of their own."""
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    def other_value(self, node: ast.Expression) -> Value | None:
        """Bind a value that is no arithmetic."""
        with self.inside():
            match node:
                case ast.Function():
                    return self._function(node)
                case ast.Path():
                    return self._path(node)
                case ast.Case():
                    return self._case(node)
                case ast.Cast():
                    return self._cast(node)
                case ast.Interval():
                    return self._interval(node)
                case ast.TypedLiteral():
                    return self._typed(node)
                case ast.Star() | ast.Equivalence() | ast.StrategyTerm():
                    return super().other_value(node)
                case _:
                    condition = self.condition(node, positive=True)
                    return None if condition is None else Apply("condition", (condition,), BOOLEAN)

    # --- columns of events ----------------------------------------------------------------------

    def column_value(self, node: ast.Expression) -> Value | None:
        """Bind a value in which functions of one event are columns of the events."""
        value = self.value(node)
        return None if value is None else self.lifted(value, node)

    def lifted(self, value: Value, node: ast.Expression) -> Value | None:
        """Return a value in which functions of one event are columns of the events."""
        if self.depth:
            return value
        if has_literal_function(value) and reads_one(value):
            return self.computed(value)
        match value:
            case Apply():
                if reads_one(value):
                    return self.computed(value)
                return self._across(value, node)
            case Minus():
                operand = self.lifted(value.operand, node)
                return None if operand is None else replace(value, operand=operand)
            case Operation():
                left, right = self.lifted(value.left, node), self.lifted(value.right, node)
                if left is None or right is None:
                    return None
                return replace(value, left=left, right=right)
            case _:
                return value

    def whole_column(self, node: ast.Expression) -> AttributeReference | None:
        """Bind an expression of one event as one column, arithmetic too."""
        with self.inside():
            value = self.value(node)
        if value is None:
            return None
        if not reads_one(value):
            assert isinstance(value, Apply | Operation | Minus | BlockAggregate)
            self._across(value, node)
            return None
        return value if isinstance(value, AttributeReference) else self.computed(value)

    def group_value(self, node: ast.Expression) -> AttributeReference | None:
        """Bind an expression in GROUP BY, where a bare name is an attribute of every event."""
        self.names_are_attributes = True
        return self.whole_column(node)

    def bare_name(self, node: ast.Name) -> Value | None:
        """Bind a word; see `names_are_attributes`."""
        if not self.names_are_attributes:
            return super().bare_name(node)
        variable = self.scope.positive[0].variable
        return self.value(ast.Attribute(variable, node.text, span=node.span))

    def computed(self, value: Value) -> AttributeReference:
        """Return the column with what an expression says of one event."""
        found = [each for each in references(value) if isinstance(each, AttributeReference)]
        variable = found[0].variable if found else self.scope.positive[0].variable
        role = found[0].role if found else Role.EACH
        plain = of_event(value, EVENT)
        column = ComputedColumn(describe(plain), plain)
        self.schema.computed[column.name] = column
        return AttributeReference(variable, role, column.name, value.type)

    def _across(self, value: Value, node: ast.Expression) -> Value | None:
        """Bind a function of several events: kernels know a few of numbers, and no others."""
        is_number = value.type in (INTEGER, FLOAT, DURATION, UNKNOWN)
        if isinstance(value, Apply) and value.function in ACROSS and is_number:
            arguments = [
                self._lifted_condition(each, node)
                if isinstance(each, AllOf | AnyOf | Compare | Truth)
                else self.lifted(each, node)
                for each in value.arguments
            ]
            found = tuple(each for each in arguments if each is not None)
            return replace(value, arguments=found) if len(found) == len(arguments) else None
        names = list(dict.fromkeys(each.variable for each in references(value)))
        several = len(names) > 1
        what = f"events of {' and '.join(names)}" if several else f"several events of {names[0]}"
        self.problems.add(
            "function-across-events",
            f"'{print_expression(node)}' computes something of {what}",
            node.span,
            "of numbers abs, least, greatest, coalesce and CASE may read several events; apply "
            "other functions to the events one by one, or compute with the result",
        )
        return None

    def _lifted_condition(self, condition: Condition, node: ast.Expression) -> Condition | None:
        match condition:
            case Compare():
                left, right = self.lifted(condition.left, node), self.lifted(condition.right, node)
                if left is None or right is None:
                    return None
                return Compare(condition.operator, left, right)
            case AllOf() | AnyOf():
                operands = [self._lifted_condition(each, node) for each in condition.operands]
                found = tuple(each for each in operands if each is not None)
                return type(condition)(found) if len(found) == len(operands) else None
            case _:
                return condition

    # --- functions ------------------------------------------------------------------------------

    def _function(self, node: ast.Function) -> Value | None:
        function = BY_NAME.get(node.name)
        if function is None:
            self._report_unknown(node)
            return None
        if function.name == "mod" and len(node.arguments) == 2:
            return self.value(ast.Arithmetic("%", *node.arguments, span=node.span))
        values = [self.value(each) for each in node.arguments]
        if not self._count_is_right(node, function) or None in values:
            return None
        arguments = [each for each in values if each is not None]
        good = [self._takes(function, index, value, node.arguments[index])
                for index, value in enumerate(arguments)]  # fmt: skip
        if not all(good) or not self._options_are_right(function, arguments, node):
            return None
        if function.name == "nullif":
            return self._nullif(node, arguments)
        kind = function.result
        if isinstance(kind, int):
            same = arguments if function.most is None else [arguments[kind]]
            found = self._common([each.type for each in same], node.arguments, node)
            if found is None:
                return None
            kind = found
        arguments += self._defaults(function, len(arguments))
        first = arguments[0]
        if isinstance(first, AttributeReference):  # what it holds decides what is done
            arguments[0] = replace(first, type=self.nested_type(first))
        return Apply(function.name, tuple(arguments), kind)

    def nested_type(self, value: Value) -> AttributeType:
        """Return the type of a value; of a column also which kind of other values it holds."""
        if isinstance(value, AttributeReference) and value.type is AttributeType.OTHER:
            found = self.schema.nested.get(value.attribute)
            return value.type if found is None else found.type
        return value.type

    def _report_unknown(self, node: ast.Function) -> None:
        advice = SQL_FUNCTIONS.get(node.name.upper())
        known = [*BY_NAME, *(each.lower() for each in ast.AGGREGATE_FUNCTIONS)]
        near = nearest(node.name, known)
        hint = ALL_FUNCTIONS if near is None else f"did you mean {near}? {signature_of(near)}"
        self.problems.add(
            "unknown-function",
            f"there is no function {node.name}" if advice is None else not_here(node.name),
            Span(node.span.start, node.span.start + len(node.name)),
            hint if advice is None else advice,
        )

    def _count_is_right(self, node: ast.Function, function: Function) -> bool:
        count, most = len(node.arguments), function.most
        if count >= function.least and (most is None or count <= most):
            return True
        self.problems.add(
            "bad-arguments",
            f"{function.name} does not take {count} argument{'s' * (count != 1)}",
            node.span,
            f"write {function.signature}",
        )
        return False

    def _takes(
        self, function: Function, index: int, value: Value, argument: ast.Expression
    ) -> bool:
        parameter = function.parameter(index)
        text, kind = print_expression(argument), self.nested_type(value)
        if not parameter.takes(kind):
            how = f"write {function.signature}: {function.meaning}"
            self.problems.add(
                "type-mismatch",
                f"{function.name} needs {_article(parameter.kind)} here, but '{text}' is "
                f"{kind.phrase}",
                argument.span,
                JOINED if function.name == "concat" else how,
            )
            return False
        if parameter.is_literal and not isinstance(value, Constant):
            self.problems.add(
                "not-a-literal",
                f"{function.name} needs a literal or a parameter here, not '{text}'",
                argument.span,
                f"write {function.signature} with a {parameter.kind} that is the same for all "
                "events",
            )
            return False
        return True

    def _options_are_right(
        self, function: Function, arguments: Sequence[Value], node: ast.Function
    ) -> bool:
        """Check what literals a function takes."""
        literals = [each.value if isinstance(each, Constant) else None for each in arguments]
        hint = None
        match function.name, literals:
            case "date_trunc", [unit, *_] if str(unit).lower() not in TRUNCATED:
                hint = f"the unit is one of {', '.join(TRUNCATED)}"
            case "round", [_, int(digits), *_] if not 0 <= digits <= 15:
                hint = "round to 0 to 15 digits"
            case "substr", [_, 0, *_]:
                hint = "the first character is 1, and -1 is the last"
            case "substr", [_, _, int(length), *_] if length < 0:
                hint = "a length is 0 or more"
            case "split_part", [_, separator, number, *_] if (
                separator == "" or not isinstance(number, int) or number < 1
            ):
                hint = "give a separator, and a number from 1 on"
            case "regexp_extract", [_, pattern, *_]:
                hint = bad_pattern(str(pattern))
        if hint is not None:
            self.problems.add(
                "bad-arguments", f"'{print_expression(node)}' has no value", node.span, hint
            )
        return hint is None

    def _defaults(self, function: Function, given: int) -> list[Value]:
        left_out = [each for each in function.parameters[given:] if each.is_optional]
        values = {"characters": " ", "digits": 0, "group": 0, "length": 2**31 - 1}
        return [
            Constant(
                values[each.name],  # type: ignore[arg-type]
                AttributeType.STRING if each.kind == "string" else INTEGER,
            )
            for each in left_out
        ]

    def _nullif(self, node: ast.Function, arguments: Sequence[Value]) -> Value | None:
        same = ast.Comparison(node.arguments, ("=",), span=node.span)
        condition = self.condition(same, positive=True)
        if condition is None:
            return None
        nothing = Constant(None, NULL)
        return Apply("case", (condition, nothing, arguments[0]), arguments[0].type)

    def _common(
        self,
        types: Sequence[AttributeType],
        nodes: Sequence[ast.Expression],
        node: ast.Expression,
    ) -> AttributeType | None:
        """Return the type of values of which one is chosen."""
        found = set(types) - {NULL}
        if not found:
            return NULL
        if UNKNOWN in found:
            return UNKNOWN
        if len(found) == 1:
            return found.pop()
        if found <= {INTEGER, FLOAT, DECIMAL}:
            return FLOAT if FLOAT in found else DECIMAL
        words = " and ".join(sorted(each.phrase for each in found))
        self.problems.add(
            "type-mismatch",
            f"'{print_expression(node)}' would be {words}",
            node.span,
            "all values that it can have need one type; CAST makes them alike",
        )
        return None

    # --- CASE and CAST --------------------------------------------------------------------------

    def _case(self, node: ast.Case) -> Value | None:
        parts: list[Value | Condition | None] = []
        results: list[Value | None] = []
        for when, then in node.branches:
            test = when
            if node.operand is not None:
                test = ast.Comparison((node.operand, when), ("=",), span=when.span)
            results.append(self.value(then))
            parts += [self.condition(test, positive=True), results[-1]]
        last = Constant(None, NULL) if node.otherwise is None else self.value(node.otherwise)
        if None in parts or last is None:
            return None
        types = [each.type for each in (*results, last) if each is not None]
        kind = self._common(types, (), node)
        if kind is None:
            return None
        return Apply("case", (*(each for each in parts if each is not None), last), kind)

    def _cast(self, node: ast.Cast) -> Value | None:
        operand = self.value(node.operand)
        word = node.type.split("(", maxsplit=1)[0]
        kind = CAST_TYPES.get(word)
        if kind is None:
            self.problems.add(
                "unknown-type-name",
                f"there is no type {node.type}",
                node.span,
                suggest(word, CAST_TYPES, owner="CAST"),
            )
        if kind is None or operand is None:
            return None
        free = (NULL, UNKNOWN)
        if operand.type not in CASTS[kind] and operand.type not in free:
            self.problems.add(
                "type-mismatch",
                f"{operand.type.phrase} cannot be cast to {node.type}",
                node.span,
                _cast_hint(operand.type, kind),
            )
            return None
        option = ""
        if kind is DECIMAL:
            digits = [int(each) for each in re.findall(r"\d+", node.type)] or [38, 6]
            precision, scale = digits[0], (digits[1] if len(digits) > 1 else 0)
            if not 1 <= precision <= 38 or scale > precision:
                self.problems.add(
                    "bad-arguments", f"there is no type {node.type}", node.span,
                    "write DECIMAL(p, s) with p up to 38 and s up to p",
                )  # fmt: skip
                return None
            option = f"{precision},{scale}"
        return Apply("cast", (operand,), kind, option)

    # --- fields ---------------------------------------------------------------------------------

    def _path(self, node: ast.Path) -> Value | None:
        reference = self.value(node.reference)
        if not isinstance(reference, AttributeReference):
            return None
        kind = self.schema.nested.get(reference.attribute)
        is_open = kind is None and reference.type is UNKNOWN
        steps: list[str | dict[str, object]] = []
        text = f"{print_expression(node.reference)}"
        for step in node.steps:
            is_field = isinstance(step, str)
            found = None if is_open else self._step(kind, step, text, node)
            if found is None and not is_open:
                return None
            kind = found
            steps.append(step if isinstance(step, str) else {"key": step.value})
            text += f".{step}" if isinstance(step, str) else f"[{step.value!r}]"
            assert is_field or isinstance(step, ast.Literal)
        result = UNKNOWN if kind is None else kind.type
        return Apply("path", (reference,), result, json.dumps(steps))

    def _step(
        self, kind: NestedType | None, step: str | ast.Literal, text: str, node: ast.Path
    ) -> NestedType | None:
        wanted = AttributeType.STRUCT if isinstance(step, str) else AttributeType.MAP
        if kind is None or kind.type is not wanted:
            self.problems.add(
                "type-mismatch",
                f"'{text}' is not a {wanted.value}",
                node.span,
                "a.b.c reads the field of a struct, a.b['key'] the entry of a map",
            )
            return None
        if not isinstance(step, str):
            key, found = kind.fields["key"].type, AttributeType.STRING
            found = INTEGER if isinstance(step.value, int) else found
            if key is not found:
                self.problems.add(
                    "type-mismatch",
                    f"the keys of '{text}' are not {found.value}s",
                    node.span,
                    f"give {key.phrase}",
                )
                return None
            return kind.fields["item"]
        if step not in kind.fields:
            self.problems.add(
                "unknown-attribute",
                f"'{text}' has no field '{step}'",
                node.span,
                suggest(step, list(kind.fields), owner=text),
            )
        return kind.fields.get(step)

    # --- times ----------------------------------------------------------------------------------

    def _interval(self, node: ast.Interval) -> Value | None:
        total = Decimal(0)
        for amount, unit in node.parts:
            length = NANOSECONDS.get(unit)
            if length is None:  # of a text; the grammar knows the units
                self._report_interval(f"'{unit}' is not a unit of time", node)
                return None
            total += Decimal(str(amount)) * length
        if total % MICROSECOND:
            self._report_interval("a length of time has whole microseconds", node)
            return None
        return Constant(int(total / MICROSECOND), DURATION)

    def _report_interval(self, message: str, node: ast.Interval) -> None:
        self.problems.add(
            "bad-interval", message, node.span,
            "write 10 minutes, 1h 30min or INTERVAL '1 hour 30 minutes'",
        )  # fmt: skip

    def _typed(self, node: ast.TypedLiteral) -> Value | None:
        message = f"'{node.text}' is not a {node.type.lower()}"
        if node.type == "DECIMAL":
            try:
                return Constant(Decimal(node.text), DECIMAL)
            except InvalidOperation:
                self.problems.add("bad-number", message, node.span, "write DECIMAL '12.50'")
                return None
        if not is_time_text(node.text):
            self.problems.add(
                "bad-time",
                message,
                node.span,
                "write DATE '2024-01-31' or TIMESTAMP '2024-01-31 09:30:00'",
            )
            return None
        is_date = node.type == "DATE" and len(node.text) == len("2024-01-31")
        return Constant(node.text, AttributeType.DATE if is_date else AttributeType.TIMESTAMP)

    def temporal_arithmetic(self, sign: str, left: Value, right: Value) -> Value | None:
        """Return a sum or difference with times in it; None if it has no meaning."""
        left, right = self.in_ticks(left, right), self.in_ticks(right, left)
        kinds = (left.type, right.type)
        if left.type in TEMPORAL and right.type in TEMPORAL and sign == "-":
            sides = [Apply("microseconds", (each,), INTEGER) for each in (left, right)]
            return Operation("-", sides[0], sides[1], DURATION)
        if left.type in TEMPORAL and right.type is DURATION and sign in "+-":
            length = right if sign == "+" else Minus(right, DURATION)
            return Apply("later", (left, length), left.type)
        if kinds[0] is DURATION and right.type in TEMPORAL and sign == "+":
            return Apply("later", (right, left), right.type)
        if kinds == (DURATION, DURATION):
            if sign in "+-":
                return Operation(sign, left, right, DURATION)
            return Operation("/", left, right, FLOAT) if sign == "/" else None
        if set(kinds) == {DURATION, INTEGER} and sign == "*":
            return Operation("*", left, right, DURATION)
        if kinds == (INTEGER, INTEGER):
            return Operation(sign, left, right, INTEGER)
        if UNKNOWN in kinds:
            return Operation(sign, left, right, UNKNOWN)
        return None

    def in_ticks(self, value: Value, other: Value) -> Value:
        """Next to the time column, if that is an integer, a length of time is in its units."""
        if value.type is not DURATION or not isinstance(value, Constant):
            return value
        assert isinstance(value.value, int)
        found = list(references(other))
        are_times = all(each.attribute == self.schema.time for each in found)
        if other.type is not INTEGER or not found or not are_times:
            return value
        ticks = Fraction(value.value) * self.schema.ticks_per_second / 1_000_000
        if ticks.denominator == 1:
            return Constant(int(ticks), INTEGER)
        return Constant(float(ticks), FLOAT)


def signature_of(name: str) -> str:
    """Say how a function is called and what it gives."""
    function = BY_NAME.get(name)
    return "" if function is None else f"{function.signature}: {function.meaning}"


def bad_pattern(pattern: str) -> str | None:
    """Say what RE2 does not know of a pattern; None if it is fine."""
    if re.search(r"\(\?(=|!|<=|<!)", pattern):
        return "patterns are those of RE2, which does not look ahead or behind"
    if re.search(r"(?<!\\)(\\\\)*\\[1-9]", pattern):
        return "patterns are those of RE2, which has no references back to groups"
    try:
        re.compile(re.sub(r"\\pL|\\p\{\w+\}|\\z|\[:\w+:\]", "a", pattern))
    except re.error as error:
        return f"the pattern is not a regular expression: {error}"
    return None


def reads_one(value: Value) -> bool:
    """Whether a value is one of at most one event."""
    found = list(references(value))
    has_aggregate = any(isinstance(each, BlockAggregate) for each in found)
    return not has_aggregate and len({(each.variable, each.role) for each in found}) < 2


def has_literal_function(value: Value) -> bool:
    """Whether a function in it reads no event at all, so that it belongs to any."""
    match value:
        case Apply():
            return not any(references(value))
        case Minus():
            return has_literal_function(value.operand)
        case Operation():
            return has_literal_function(value.left) or has_literal_function(value.right)
        case _:
            return False


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _cast_hint(found: AttributeType, wanted: AttributeType) -> str:
    if wanted is AttributeType.STRING and found in (FLOAT, DECIMAL, *TEMPORAL):
        return "such values have no one spelling; compare them as they are"
    return f"{wanted.value} can be cast from {', '.join(sorted(CASTS[wanted]))}"
