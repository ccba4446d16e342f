"""Arithmetic, attributes and block aggregates: names to columns, with types."""

from __future__ import annotations

import datetime
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Context, Decimal, localcontext

from cepheid.analysis.attribute_types import TEMPORAL, AttributeType
from cepheid.analysis.bound import Variable
from cepheid.analysis.expressions import (
    AttributeReference,
    BlockAggregate,
    Constant,
    Minus,
    Operation,
    Role,
    Value,
    references,
)
from cepheid.analysis.problems import Problems
from cepheid.analysis.schema import EventSchema
from cepheid.analysis.scope import Scope
from cepheid.errors import nearest, suggest
from cepheid.language import ast
from cepheid.language.numbers import exactly, to_number
from cepheid.language.printer import print_expression
from cepheid.language.source import Span

AGGREGATES = ("COUNT", "SUM", "AVG", "MIN", "MAX")
ROLE_OF_INDEX = {
    None: Role.EACH,
    ast.IndexKind.FIRST: Role.FIRST,
    ast.IndexKind.CURRENT: Role.CURRENT,
    ast.IndexKind.PREVIOUS: Role.PREVIOUS,
    ast.IndexKind.LAST: Role.LAST,
    ast.IndexKind.BEFORE: Role.BEFORE,
    ast.IndexKind.ALL: Role.ALL,
}
RANGE_ROLES = (Role.BEFORE, Role.ALL)
EXACT_ARITHMETIC: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
ALL_DIGITS = Context(prec=10_000)


class ValueBinder:
    """Binds values; None stands for a value whose mistake has been reported.

    Inside an aggregate of the events of a block, `block` says of which: `a[].x` is then x of each.
    """

    block: Role | None = None

    def __init__(self, scope: Scope, schema: EventSchema, problems: Problems) -> None:
        self.scope = scope
        self.schema = schema
        self.problems = problems

    def value(self, node: ast.Expression) -> Value | None:
        """Bind an expression that stands for a value."""
        match node:
            case ast.Literal():
                return Constant(node.value, literal_type(node.value))
            case ast.Attribute():
                return self._attribute(node)
            case ast.Name():
                return self.bare_name(node)
            case ast.Negative():
                operand = self.value(node.operand)
                if operand is None or not self._numeric(operand, node.operand, "-"):
                    return None
                return Minus(operand, self.computed_type(operand.type, operand))
            case ast.Arithmetic():
                return self._arithmetic(node)
            case ast.Call():
                return self._block_aggregate(node)
            case ast.Indexed():
                self._report_array(node)
                return None
            case ast.Parameter():
                return None  # reported when parameters were filled in
            case _:
                return self.other_value(node)

    def other_value(self, node: ast.Expression) -> Value | None:
        """Bind what is no attribute, literal or arithmetic."""
        self.problems.add(
            "type-mismatch",
            f"'{print_expression(node)}' is a condition where a value is needed",
            node.span,
            "compare attributes, numbers or strings",
        )
        return None

    def temporal_arithmetic(self, sign: str, left: Value, right: Value) -> Value | None:
        """Return a sum or difference with times in it; None if it has no meaning."""
        return None

    def computed_type(self, kind: AttributeType, *operands: Value) -> AttributeType:
        """Return the type of arithmetic; in kernels that of decimals is exact of one event."""
        found = [reference for each in operands for reference in references(each)]
        reads_one = len({(each.variable, each.role) for each in found}) < 2
        has_aggregate = any(isinstance(each, BlockAggregate) for each in found)
        if kind is AttributeType.DECIMAL and (has_aggregate or not reads_one):
            return AttributeType.FLOAT
        return kind

    # --- references -----------------------------------------------------------------------------

    def column(self, variable: Variable, name: str, node: ast.Expression) -> str | None:
        """Return the column that `v.name` reads, or None after reporting it unknown."""
        schema = self.schema
        if schema.type_of(name) is not None and (
            schema.is_open or self.scope.has_attribute(variable, name, schema)
        ):
            return name
        if name == "type" and schema.type_column is not None:
            return schema.type_column
        if name == "time" and schema.time is not None:
            return schema.time
        is_one_type = len(variable.types) == 1 and variable.types[0] != ""
        owner = variable.types[0] if is_one_type else variable.name
        known = [each for each in schema.attributes
                 if self.scope.has_attribute(variable, each, schema)]  # fmt: skip
        hint = suggest(name, known, owner=owner, in_query=True)
        if isinstance(node, ast.Name) and nearest(name, known) is None:
            hint = f"quote it if it is a string: '{name}'; {hint}"
        self.problems.add(
            "unknown-attribute",
            f"{'event type' if is_one_type else 'the event'} {owner} has no attribute '{name}'",
            self.problems.source.narrow(node.span, name, last=True),
            hint,
        )
        return None

    def _attribute(self, node: ast.Attribute) -> Value | None:
        variable = self.scope.find(node, node.variable, self.problems)
        if variable is None:
            return None
        if node.name.upper() == "LEN" and node.index is None and not node.is_next:
            return self._length(variable, node)
        if not self._index_is_allowed(variable, node.index, node):
            return None
        role = Role.RIGHT if node.is_next else ROLE_OF_INDEX[node.index]
        if role in RANGE_ROLES and role is not self.block:
            self._report_array(node)
            return None
        column = self.column(variable, node.name, node)
        if column is None:
            return None
        role = Role.EACH if role is self.block else role
        return AttributeReference(variable.name, role, column, self._type(column))

    def _type(self, column: str) -> AttributeType:
        return self.schema.type_of(column) or AttributeType.UNKNOWN

    def _length(self, variable: Variable, node: ast.Attribute) -> Value | None:
        if variable.is_array and self.scope.is_single(variable):
            return BlockAggregate("COUNT", variable.name, Role.ALL, None, AttributeType.INTEGER)
        column = self.column(variable, node.name, node)
        if column is None:
            return None
        return AttributeReference(variable.name, Role.EACH, column, self._type(column))

    def _index_is_allowed(
        self, variable: Variable, index: ast.IndexKind | None, node: ast.Expression
    ) -> bool:
        if index is None:
            return True
        if not variable.is_array:
            self.problems.add(
                "not-an-array",
                f"'{variable.name}' binds one event, so it has no '{index.value}'",
                node.span,
                f"write {variable.name} without an index, or repeat it in the pattern with +",
            )
            return False
        if not self.scope.is_single(variable):
            self.problems.add(
                "ambiguous-index",
                f"'{variable.name}' occurs more than once in the pattern",
                node.span,
                "give the occurrence a variable and index that",
            )
            return False
        return True

    def bare_name(self, node: ast.Name) -> Value | None:
        """Bind a word without a dot."""
        if len(self.scope.positive) == 1 and node.text not in self.scope.variables:
            variable = self.scope.variables[self.scope.positive[0].variable]
            column = self.column(variable, node.text, node)
            if column is None:
                return None
            return AttributeReference(variable.name, Role.EACH, column, self._type(column))
        if node.text in self.scope.variables:
            self.problems.add(
                "event-as-value",
                f"'{node.text}' is an event where a value is needed",
                node.span,
                f"write {node.text}.attribute",
            )
            return None
        owner = self.scope.positive[0].variable if self.scope.positive else "v"
        self.problems.add(
            "unknown-name",
            f"'{node.text}' is not a value",
            node.span,
            f"quote it if it is a string: '{node.text}', or write {owner}.{node.text}",
        )
        return None

    def _report_array(self, node: ast.Attribute | ast.Indexed) -> None:
        text = print_expression(node)
        if isinstance(node, ast.Indexed) and ROLE_OF_INDEX[node.index] not in RANGE_ROLES:
            self.problems.add(
                "event-as-value",
                f"'{text}' is an event where a value is needed",
                node.span,
                f"write {text}.attribute",
            )
            return
        self.problems.add(
            "array-as-value",
            f"'{text}' is several events where one value is needed",
            node.span,
            "aggregate it with avg, sum, min, max or count",
        )

    # --- arithmetic and aggregates ----------------------------------------------------------------

    def _numeric(self, value: Value, node: ast.Expression, operator: str) -> bool:
        is_length = value.type is AttributeType.DURATION and operator == "-"
        if value.type.is_numeric or value.type is AttributeType.NULL or is_length:
            return True
        self.problems.add(
            "type-mismatch",
            f"'{operator}' needs numbers, but '{print_expression(node)}' is {value.type.phrase}",
            node.span,
            None,
        )
        return False

    def takes(self, function: str, kind: AttributeType, argument: ast.Expression) -> bool:
        """Whether an aggregate function takes values of a type; if not, that is reported."""
        needs = None
        is_number = kind.is_numeric or kind is AttributeType.NULL
        if function in ("SUM", "AVG") and not is_number:
            needs = "numbers"
        elif function in ("MIN", "MAX") and kind is AttributeType.OTHER:
            needs = "values with an order"
        if needs is not None:
            self.problems.add(
                "type-mismatch",
                f"{function} needs {needs}, but '{print_expression(argument)}' is {kind.phrase}",
                argument.span,
            )
        return needs is None

    def _arithmetic(self, node: ast.Arithmetic) -> Value | None:
        left, right = self.value(node.left), self.value(node.right)
        if left is None or right is None:
            return None
        if {left.type, right.type} & {*TEMPORAL, AttributeType.DURATION}:
            result = self.temporal_arithmetic(node.operator, left, right)
            if result is None:
                self._report_times(node, left, right)
            return result
        good = self._numeric(left, node.left, node.operator)
        if not self._numeric(right, node.right, node.operator) or not good:
            return None
        folded = _folded(node.operator, left, right)
        if folded is not None:
            return folded
        if AttributeType.DECIMAL in (left.type, right.type):
            left, right = with_exact_literals(left, right)
        kind = _result_type(node.operator, left.type, right.type)
        return Operation(node.operator, left, right, self.computed_type(kind, left, right))

    def _report_times(self, node: ast.Arithmetic, left: Value, right: Value) -> None:
        self.problems.add(
            "type-mismatch",
            f"'{node.operator}' does not join {left.type.phrase} and {right.type.phrase}",
            node.span,
            "a time minus a time is a length of time, and a time plus 10 minutes is a time",
        )

    def _block_aggregate(self, node: ast.Call) -> Value | None:
        if node.function not in AGGREGATES:
            report_function(node, "function", AGGREGATES, self.problems)
            return None
        argument = node.argument
        of_match = f"write {_of_match(node)} for one match"
        if not isinstance(argument, ast.Attribute | ast.Indexed | ast.Name | ast.Star):
            return self.aggregate_of_values(node, of_match)
        if not isinstance(argument, ast.Attribute | ast.Indexed) or argument.index is None:
            self.problems.add(
                "aggregate-of-trends",
                f"{print_expression(node)} aggregates over all matches and has no value in one",
                node.span,
                f"{of_match}, or use it in RETURN or HAVING",
            )
            return None
        variable = self.scope.find(argument, argument.variable, self.problems)
        if variable is None or not self._index_is_allowed(variable, argument.index, argument):
            return None
        return self.aggregate_of(node, variable, argument)

    def aggregate_of_values(self, node: ast.Call, hint: str) -> Value | None:
        """Bind an aggregate of what an expression says of every event: `sum(a[].x * 2)`."""
        report_argument(node, hint, self.problems)
        return None

    def aggregate_of(
        self, node: ast.Call, variable: Variable, argument: ast.Attribute | ast.Indexed
    ) -> Value | None:
        """Bind an aggregate of a block, `sum(a[].x)`."""
        role = ROLE_OF_INDEX[argument.index]
        role = Role.BEFORE if role is Role.PREVIOUS else role
        if role not in RANGE_ROLES:
            self.problems.add(
                "bad-range",
                f"{node.function} needs several events",
                argument.span,
                f"write {variable.name}[..i-1] or {variable.name}[]",
            )
            return None
        if isinstance(argument, ast.Indexed):
            if node.function != "COUNT":
                self._report_array(argument)
                return None
            return BlockAggregate("COUNT", variable.name, role, None, AttributeType.INTEGER)
        column = self.column(variable, argument.name, argument)
        if column is None:
            return None
        kind = self._type(column)
        if not self.takes(node.function, kind, argument):
            return None
        if column in self.schema.unsigned and node.function in ("SUM", "AVG"):
            kind = AttributeType.INTEGER
        return block_aggregate(node.function, AttributeReference(variable.name, role, column, kind))


def block_aggregate(function: str, read: AttributeReference) -> BlockAggregate:
    """Return an aggregate of a column, over the events of a block that the role says."""
    result = {"COUNT": AttributeType.INTEGER, "AVG": AttributeType.FLOAT}
    if read.type is AttributeType.DECIMAL:
        result["SUM"] = AttributeType.FLOAT
    kind = result.get(function, read.type)
    return BlockAggregate(function, read.variable, read.role, read.attribute, kind, read.type)


def _folded(sign: str, left: Value, right: Value) -> Constant | None:
    """Return what literals with a point add up to, exactly: `d * (1 - 0.05)` is `d * 0.95`."""
    if not isinstance(left, Constant) or not isinstance(right, Constant):
        return None
    is_float = AttributeType.FLOAT in (left.type, right.type)
    if not is_float or sign not in EXACT_ARITHMETIC:
        return None
    values = [each.value for each in (left, right) if each.value is not None]
    exact = [exactly(each) for each in values if not isinstance(each, str)]
    if len(exact) < 2:
        return None
    with localcontext(ALL_DIGITS):
        result = EXACT_ARITHMETIC[sign](*exact)
    return Constant(to_number(result), AttributeType.FLOAT)


def _result_type(sign: str, left: AttributeType, right: AttributeType) -> AttributeType:
    """Next to a decimal an integer is one, next to a float every number is; `/` gives floats."""
    if sign == "/" or not (left.is_exact and right.is_exact):
        return AttributeType.FLOAT
    return left if left is right else AttributeType.DECIMAL


def with_exact_literals(left: Value, right: Value) -> tuple[Value, Value]:
    """Return two sides of which a literal keeps all its digits next to an exact number."""
    return _exact_next_to(left, right), _exact_next_to(right, left)


def _exact_next_to(value: Value, other: Value) -> Value:
    is_literal = isinstance(value, Constant) and value.type is AttributeType.FLOAT
    if is_literal and other.type.is_exact:
        return replace(value, type=AttributeType.DECIMAL)
    return value


def literal_type(value: int | float | Decimal | str | bool | None) -> AttributeType:
    """Return the type of a literal."""
    if value is None:
        return AttributeType.NULL
    if isinstance(value, bool):
        return AttributeType.BOOLEAN
    if isinstance(value, int):
        return AttributeType.INTEGER
    is_number = isinstance(value, float | Decimal)
    return AttributeType.FLOAT if is_number else AttributeType.STRING


def report_function(node: ast.Call, kind: str, known: Sequence[str], problems: Problems) -> None:
    """Report a function that the language does not have."""
    problems.add(
        "unknown-function",
        f"there is no {kind} {node.function}",
        Span(node.span.start, node.span.start + len(node.function)),
        suggest(node.function, known, owner="the language"),
    )


def report_argument(node: ast.Call, hint: str, problems: Problems) -> None:
    """Report an aggregate of something that is no attribute, such as a difference."""
    problems.add(
        "bad-aggregate",
        f"{node.function} takes the attribute of one variable, not "
        f"'{print_expression(node.argument)}'",
        node.argument.span,
        f"{hint}; to aggregate an expression return it for every match, and aggregate the result",
    )


def is_time_text(text: str) -> bool:
    """Whether a string can be read as a date or timestamp."""
    try:
        datetime.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


NESTED = frozenset((AttributeType.STRUCT, AttributeType.MAP, AttributeType.ARRAY))


def comparable(left: AttributeType, right: AttributeType) -> bool:
    """Whether values of the two types can be compared."""
    free = (AttributeType.UNKNOWN, AttributeType.NULL)
    if AttributeType.OTHER in (left, right):
        return False
    if left in free or right in free or left is right:
        return True
    numeric = left.is_numeric and right.is_numeric
    if {left, right} & NESTED:
        return False
    has_zone = AttributeType.ZONED in (left, right)  # then they are no times of one kind
    return numeric or (left in TEMPORAL and right in TEMPORAL and not has_zone)


def _of_match(node: ast.Call) -> str:
    """Return how an aggregate is written that is one of a match: of `count(f)` it is `count(f[])`.

    What is meant is known if a variable is named; else an example is given.
    """
    function = node.function.lower()
    match node.argument:
        case ast.Name(text=name) if function == "count":
            return f"{function}({name}[])"
        case ast.Attribute(variable=variable, name=name):
            return f"{function}({variable}[].{name})"
        case _:
            return f"{function}(a[].x)"
