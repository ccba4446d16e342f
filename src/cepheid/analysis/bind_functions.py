"""Functions, CASE, CAST and fields: names to what `functions.py` lists, with types."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bind_summaries import summary_of
from cepheid.analysis.bind_times import TimeBinder
from cepheid.analysis.cast_types import (
    CAST_TYPES,
    CASTS,
    MICROSECONDS_A_SECOND,
    OF_FLOATS,
    cast_hint,
)
from cepheid.analysis.check_arguments import bad_pattern, is_element, too_large
from cepheid.analysis.expressions import (
    Apply,
    AttributeReference,
    BlockAggregate,
    Condition,
    Constant,
    Operation,
    Role,
    Value,
    references,
)
from cepheid.analysis.functions import BY_NAME, TRUNCATED, Function
from cepheid.analysis.names import references_in
from cepheid.analysis.schema import NestedType
from cepheid.analysis.summaries import SUMMARIES
from cepheid.errors import nearest, suggest
from cepheid.language import ast
from cepheid.language.printer import print_expression
from cepheid.language.source import Span
from cepheid.language.sql_words import FUNCTIONS as SQL_FUNCTIONS
from cepheid.language.sql_words import not_here

BOOLEAN, NULL, UNKNOWN = AttributeType.BOOLEAN, AttributeType.NULL, AttributeType.UNKNOWN
INTEGER, FLOAT, DECIMAL = AttributeType.INTEGER, AttributeType.FLOAT, AttributeType.DECIMAL
DURATION, STRING = AttributeType.DURATION, AttributeType.STRING
DISTINCT = "_distinct"  # what the parser calls a function with DISTINCT
JOINED = "|| joins texts: write OR between conditions, and CAST(x AS STRING) for other values"
ALL_FUNCTIONS = "docs/reference/functions.md lists all functions"


class FunctionBinder(TimeBinder):
    """Binds functions, CASE, CAST and fields."""

    def other_value(self, node: ast.Expression) -> Value | None:
        """Bind a value that is no arithmetic."""
        value = self._other_value(node)
        if isinstance(value, Apply):
            self.written[value] = node
        return value

    def _other_value(self, node: ast.Expression) -> Value | None:
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
                    return self.interval(node)
                case ast.TypedLiteral():
                    return self.typed_literal(node)
                case ast.Star() | ast.Equivalence() | ast.StrategyTerm():
                    return super().other_value(node)
                case _:
                    condition = self.condition(node, positive=True)
                    return None if condition is None else Apply("condition", (condition,), BOOLEAN)

    # --- functions ------------------------------------------------------------------------------

    def _function(self, node: ast.Function) -> Value | None:
        function = BY_NAME.get(node.name)
        if node.name in SUMMARIES:
            return self._summary(node)
        if function is None and node.name in ("first", "last"):
            self._report_event(node)
            return None
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
        if function.name == "contains" and not self._has_part(node, arguments):
            return None
        if function.name == "nullif":
            return self._nullif(node, arguments)
        kind = function.result
        if isinstance(kind, int):
            same = arguments if function.most is None else [arguments[kind]]
            found = self._common(same, node)
            if found is None:
                return None
            kind = found
        arguments += self._defaults(function, len(arguments))
        first = arguments[0]
        if isinstance(first, AttributeReference):  # what it holds decides what is done
            arguments[0] = replace(first, type=self.nested_type(first))
        return Apply(function.name, tuple(arguments), kind)

    def _has_part(self, node: ast.Function, arguments: Sequence[Value]) -> bool:
        """Whether a text or an array may have such a part; if not, that is reported."""
        texts = (AttributeType.STRING, NULL, UNKNOWN)
        whole, part = (self.nested_type(each) for each in arguments)
        if whole is AttributeType.STRING and part not in texts:
            self.problems.add(
                "type-mismatch",
                f"a string has no part that is {part.phrase}",
                node.span,
                "write contains(text, 'part'), or CAST(x AS STRING)",
            )
            return False
        element = self._element(arguments[0])
        if element is None or is_element(element, part):
            return True
        text, sought = (print_expression(each) for each in node.arguments)
        self.problems.add(
            "type-mismatch",
            f"an element of '{text}' is {element.phrase}, but '{sought}' is {part.phrase}",
            node.span,
            f"look for {element.phrase}"
            if is_element(element, element)
            else "arrays, maps and structs are not compared; size(x) counts the elements",
        )
        return False

    def _element(self, value: Value) -> AttributeType | None:
        """Return the type of the elements of an array; None if it is not known."""
        if not isinstance(value, AttributeReference):
            return None
        found = self.schema.nested.get(value.attribute)
        is_array = found is not None and found.type is AttributeType.ARRAY
        return found.fields["item"].type if found is not None and is_array else None

    def nested_type(self, value: Value) -> AttributeType:
        """Return the type of a value; of a column also which kind of other values it holds."""
        if isinstance(value, AttributeReference) and value.type is AttributeType.OTHER:
            found = self.schema.nested.get(value.attribute)
            return value.type if found is None else found.type
        return value.type

    def _summary(self, node: ast.Function) -> Value | None:
        """Bind `median(a[].x)` and the like; lists and joined texts are columns by themselves."""
        if node.name in ("array", "string_agg"):
            self.problems.add(
                "summary-in-expression",
                f"'{print_expression(node)}' is computed when a match is returned",
                node.span,
                "let it be a column of RETURN by itself; expressions may have count, sum, avg, min,"
                " max, median, stddev, nth and count(DISTINCT …) of a[].x",
            )
            return None
        found = summary_of(node, self)
        if found is None:
            return None
        read, place = found
        kind, result = read.attribute_type, SUMMARIES[node.name].result
        if kind is AttributeType.OTHER:
            self.problems.add(
                "type-mismatch",
                f"'{print_expression(node)}' in an expression needs values with an order, but "
                f"'{print_expression(node.arguments[0])}' is {kind.phrase}",
                node.span,
                "let it be a column of RETURN by itself",
            )
            return None
        column = AttributeReference(read.variable, Role.EACH, str(read.attribute), kind)
        if result is FLOAT and kind is not FLOAT:  # they are computed of floats
            known = self.schema.computed.get(column.attribute)
            source = column if known is None else known.value
            column = self.computed(Apply("cast", (source,), FLOAT))
        return BlockAggregate(
            node.name.upper(), read.variable, read.role, column.attribute, result or kind,
            column.type, place if isinstance(place, int) else 0,
        )  # fmt: skip

    def _report_event(self, node: ast.Function) -> None:
        """Report `first(a)`, which is an event and no value."""
        names = [each.text for each in node.arguments if isinstance(each, ast.Name)]
        names += [each.variable for each in references_in(node)]
        self.problems.add(
            "missing-argument",
            f"{node.name} needs an attribute",
            node.span,
            f"write {node.name}({(*names, 'a')[0]}.attribute)",
        )

    def _report_unknown(self, node: ast.Function) -> None:
        advice = SQL_FUNCTIONS.get(node.name.upper())
        if advice is None and node.name.endswith(DISTINCT):
            self.problems.add(
                "bad-arguments",
                f"{node.name.removesuffix(DISTINCT)} does not take DISTINCT",
                node.span,
                "write count(DISTINCT a[].x), or leave DISTINCT out",
            )
            return
        known = [*BY_NAME, *SUMMARIES, *(each.lower() for each in ast.AGGREGATE_FUNCTIONS)]
        near = nearest(node.name, known)
        hint = ALL_FUNCTIONS
        if near in SUMMARIES:
            hint = f"did you mean {SUMMARIES[near].signature}?"
        elif near is not None:
            hint = f"did you mean {near}? {signature_of(near)}"
        if node.name == "duration":
            hint = "write duration(match): the time of its last event less that of its first"
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
                f"write {function.signature} with {_article(parameter.kind)} that is the same for "
                "all events",
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
            case "split_part", [_, separator, number, *_] if separator == "" or (
                isinstance(number, int) and number < 1
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

    def _common(self, values: Sequence[Value], node: ast.Expression) -> AttributeType | None:
        """Return the type of values of which one is chosen."""
        found = {each.type for each in values} - {NULL}
        large = next(filter(None, map(too_large, values)), None)
        if large is not None and FLOAT not in found:
            self.problems.add(
                "number-too-large", f"{large} does not fit 64 bits", node.span,
                "write it with a point, as a decimal",
            )  # fmt: skip
            return None
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
        kind = self._common([each for each in (*results, last) if each is not None], node)
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
        found = INTEGER if self.is_unsigned(operand) else operand.type
        is_known = all(each.type is not UNKNOWN for each in references(operand))
        if is_known and found not in CASTS[kind] and found not in (NULL, UNKNOWN):
            self.problems.add(
                "type-mismatch",
                f"{operand.type.phrase} cannot be cast to {node.type}",
                node.span,
                cast_hint(operand.type, kind),
            )
            return None
        if operand.type is DURATION:
            seconds = Operation("/", operand, Constant(MICROSECONDS_A_SECOND, INTEGER), FLOAT)
            return seconds if kind is FLOAT else Apply("cast", (seconds,), kind)
        option = OF_FLOATS if kind is STRING and found in (FLOAT, DECIMAL, UNKNOWN) else ""
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

    def is_unsigned(self, value: Value) -> bool:
        """Whether a decimal is a whole number without a sign, as it is stored."""
        if not isinstance(value, AttributeReference | BlockAggregate):
            return False
        return value.attribute in self.schema.unsigned

    # --- fields ---------------------------------------------------------------------------------

    def _path(self, node: ast.Path) -> Value | None:
        reference = self.value(node.reference)
        if not isinstance(reference, AttributeReference):
            if reference is not None:  # a.LEN.x
                text = print_expression(node.reference)
                self.problems.add(
                    "type-mismatch", f"'{text}' is not a struct", node.span,
                    "a.b.c reads the field of a struct, a.b['key'] the entry of a map",
                )  # fmt: skip
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


def signature_of(name: str) -> str:
    """Say how a function is called and what it gives."""
    function = BY_NAME.get(name)
    return "" if function is None else f"{function.signature}: {function.meaning}"


def _article(kind: str) -> str:
    if kind == "any":
        return "a value"
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
