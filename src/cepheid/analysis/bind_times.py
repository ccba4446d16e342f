"""Times and lengths of time: literals, sums and differences."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from cepheid.analysis.attribute_types import TEMPORAL, AttributeType
from cepheid.analysis.bind_columns import CHOICES, ColumnBinder, reads_one
from cepheid.analysis.bind_values import is_time_text
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
    Role,
    Truth,
    Value,
    references,
)
from cepheid.analysis.infer_window import NANOSECONDS
from cepheid.language import ast
from cepheid.language.numbers import exactly

UNKNOWN, DURATION, NULL = AttributeType.UNKNOWN, AttributeType.DURATION, AttributeType.NULL
INTEGER, FLOAT, DECIMAL = AttributeType.INTEGER, AttributeType.FLOAT, AttributeType.DECIMAL
MICROSECOND = NANOSECONDS["us"]
WRITTEN = "write 10 minutes, 1h 30min or INTERVAL '1 hour 30 minutes'"
LONGEST = 2**63 - 1  # microseconds


class TimeBinder(ColumnBinder):
    """Binds times."""

    def interval(self, node: ast.Interval) -> Value | None:
        """Bind a length of time, in microseconds."""
        total = Fraction(0)
        for amount, unit in node.parts:
            length = NANOSECONDS.get(unit)
            if length is None:  # of a text; the grammar knows the units
                self._report_interval(f"'{unit}' is not a unit of time", node)
                return None
            total += Fraction(exactly(amount)) * length
        if total % MICROSECOND:
            self._report_interval("a length of time has whole microseconds", node)
            return None
        if abs(total) // MICROSECOND > LONGEST:
            message = "a length of time has up to 64 bits of microseconds"
            self._report_interval(message, node, "the longest is about 292,000 years")
            return None
        return Constant(int(total // MICROSECOND), DURATION)

    def _report_interval(self, message: str, node: ast.Interval, hint: str = WRITTEN) -> None:
        self.problems.add("bad-interval", message, node.span, hint)

    def typed_literal(self, node: ast.TypedLiteral) -> Value | None:
        """Bind a literal with a type in front."""
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
            sides = [self._microseconds(each) for each in (left, right)]
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
        if NULL in kinds:
            return Constant(None, NULL)
        has_number = any(each in (INTEGER, FLOAT, DECIMAL) for each in kinds)
        is_scaled = sign == "*" or (sign == "/" and left.type is DURATION)
        if DURATION in kinds and has_number and is_scaled:
            return self._scaled(sign, left, right)
        if {*kinds} <= {INTEGER, FLOAT}:  # a length of time became ticks
            is_whole = {*kinds} == {INTEGER} and sign != "/"
            return Operation(sign, left, right, INTEGER if is_whole else FLOAT)
        if UNKNOWN in kinds:
            return Operation(sign, left, right, UNKNOWN)
        return None

    def _scaled(self, sign: str, left: Value, right: Value) -> Value:
        """Return a length of time that is multiplied or divided, cut to whole microseconds."""
        if {left.type, right.type} == {DURATION, INTEGER} and sign == "*":
            return Operation("*", left, right, DURATION)
        numbers = [_number_of(each) for each in (left, right)]
        if numbers[0] is not None and numbers[1] is not None and (sign == "*" or numbers[1]):
            result = numbers[0] * numbers[1] if sign == "*" else numbers[0] / numbers[1]
            if abs(result) <= LONGEST:
                return Constant(int(result), DURATION)
        whole = Apply("cast", (Operation(sign, left, right, FLOAT),), INTEGER)
        return Operation("*", whole, Constant(1, DURATION), DURATION)

    def _microseconds(self, value: Value) -> Value:
        """Return a time as a number; the earliest of times is that of their numbers."""
        if isinstance(value, Apply) and value.function in CHOICES and not reads_one(value):
            return replace(value, arguments=tuple(map(self._number, value.arguments)), type=INTEGER)
        if not isinstance(value, BlockAggregate) or value.attribute is None:
            return Apply("microseconds", (value,), INTEGER)
        kind = value.attribute_type
        read = AttributeReference(value.variable, Role.EACH, value.attribute, kind)
        column = self.computed(Apply("microseconds", (read,), INTEGER))
        return replace(value, attribute=column.attribute, type=INTEGER, attribute_type=INTEGER)

    def _number(self, node: Value | Condition) -> Value | Condition:
        """Return an argument of a choice of times as a number, unless it is a condition."""
        if isinstance(node, AllOf | AnyOf | Compare | Truth) or node.type not in TEMPORAL:
            return node
        return self._microseconds(node)

    def in_ticks(self, value: Value, other: Value) -> Value:
        """Next to the time column, if that is a number, a length of time is in its units."""
        if value.type is not DURATION or not isinstance(value, Constant):
            return value
        assert isinstance(value.value, int)
        if not self.has_ticks(other):
            return value
        units = Fraction(value.value) * self.schema.ticks_per_second / 1_000_000
        units /= self.schema.ticks_per_unit
        if units.denominator == 1:
            return Constant(int(units), INTEGER)
        return Constant(float(units), FLOAT)

    def has_ticks(self, value: Value) -> bool:
        """Whether a number is one of the time column, in its units."""
        found = list(references(value))
        are_times = all(each.attribute == self.schema.time for each in found)
        return value.type in (INTEGER, FLOAT, DECIMAL) and bool(found) and are_times


def _number_of(value: Value) -> Fraction | None:
    """Return the number that a literal is, with all its digits."""
    if isinstance(value, Constant) and isinstance(value.value, int | float | Decimal):
        return Fraction(exactly(value.value))
    return None
