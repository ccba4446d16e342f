"""Functions of one event as columns of the events, so that the rest of the engine reads columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from cepheid.analysis.attribute_types import TEMPORAL, AttributeType
from cepheid.analysis.bind_values import (
    RANGE_ROLES,
    ROLE_OF_INDEX,
    ValueBinder,
    block_aggregate,
)
from cepheid.analysis.bound import Variable
from cepheid.analysis.decimal_sums import (
    scale_of_expression,
    scale_of_sum,
    with_point,
    without_point,
)
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
    Reference,
    Role,
    Truth,
    Value,
    references,
)
from cepheid.analysis.names import references_in
from cepheid.analysis.problems import Problems
from cepheid.analysis.rename_variables import change_value, of_event
from cepheid.analysis.schema import EventSchema
from cepheid.analysis.scope import Scope
from cepheid.analysis.separate_events import separate_events
from cepheid.analysis.text_pairs import as_test_of_texts
from cepheid.language import ast
from cepheid.language.printer import print_expression

EVENT = "@"
CHOICES = ("least", "greatest", "coalesce", "case")
OF_NUMBERS = ("abs", "sign", "round", "floor", "ceil", "sqrt", "power", "ln", "log10", "exp")
OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
OF_NULL = (*CHOICES, "condition", "is_null", "in")
PUT_TOGETHER = (
    AttributeType.INTEGER,
    AttributeType.FLOAT,
    AttributeType.DURATION,
    AttributeType.STRING,
    AttributeType.BOOLEAN,
    AttributeType.UNKNOWN,
)
CHOSEN = (*PUT_TOGETHER, *TEMPORAL, AttributeType.DECIMAL)  # one of several is taken as it is


class ColumnBinder(ValueBinder, ABC):
    """Makes columns of what reads one event."""

    depth = 0  # of functions around
    names_are_attributes = False

    def __init__(self, scope: Scope, schema: EventSchema, problems: Problems) -> None:
        super().__init__(scope, schema, problems)
        self.written: dict[Value, ast.Expression] = {}  # functions as the query has them

    @abstractmethod
    def condition(self, node: ast.Expression, *, positive: bool) -> Condition | None:
        """Bind a condition; see `ConditionBinder`."""

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Bind what is an argument: functions in it are no columns of their own."""
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

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
                place = one_place(value)
                if place is None:
                    return self._across(value, self.written.get(value, node))
                return self._at(place, value)
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
            self._report_across(value, self.written.get(value, node))
            return None
        return value if isinstance(value, AttributeReference) else self.computed(value)

    def aggregate_of(
        self, node: ast.Call, variable: Variable, argument: ast.Attribute | ast.Indexed
    ) -> Value | None:
        """Bind an aggregate of a block; decimals are added up without their point."""
        value = super().aggregate_of(node, variable, argument)
        if not isinstance(value, BlockAggregate) or not isinstance(argument, ast.Attribute):
            return value
        scale = scale_of_sum(value.function, value.attribute, self.schema)
        if scale is None:
            return value
        whole = self.whole_column(without_point(replace(argument, index=None), scale))
        if whole is None:
            return None
        kind = AttributeType.FLOAT if value.function == "AVG" else AttributeType.INTEGER
        summed = replace(
            value, attribute=whole.attribute, attribute_type=AttributeType.INTEGER, type=kind
        )
        return with_point(summed, scale)

    def aggregate_of_values(self, node: ast.Call, hint: str) -> Value | None:
        """Bind an aggregate of an expression: what it says of every event is a column."""
        roles = {ROLE_OF_INDEX[each.index] for each in references_in(node.argument)}
        roles = {Role.BEFORE if each is Role.PREVIOUS else each for each in roles}
        role = roles.pop() if len(roles) == 1 else None
        if role not in RANGE_ROLES:
            return super().aggregate_of_values(node, hint)
        outer, self.block = self.block, role
        with self.inside():
            value = self.value(node.argument)
        scale = None if value is None else scale_of_expression(node.function, value, self.schema)
        argument = node.argument if scale is None else without_point(node.argument, scale)
        column = None if value is None else self.whole_column(argument)
        self.block = outer
        if column is None or not self.takes(node.function, column.type, node.argument):
            return None
        summed = block_aggregate(node.function, replace(column, role=role))
        return summed if scale is None else with_point(summed, scale)

    def group_value(self, node: ast.Expression) -> AttributeReference | None:
        """Bind an expression in GROUP BY, where a bare name is an attribute of every event."""
        self.names_are_attributes = True
        return self.whole_column(node)

    def bare_name(self, node: ast.Name) -> Value | None:
        """Bind a word; see `names_are_attributes`."""
        if not self.names_are_attributes:
            return super().bare_name(node)
        return self.value(ast.Attribute(self._any_event(), node.text, span=node.span))

    def _any_event(self) -> str:
        return (*self.scope.positive, *self.scope.occurrences)[0].variable

    def computed(self, value: Value) -> AttributeReference:
        """Return the column with what an expression says of one event."""
        found = [each for each in references(value) if isinstance(each, AttributeReference)]
        variable = found[0].variable if found else self._any_event()
        role = found[0].role if found else Role.EACH
        plain = of_event(value, EVENT)
        column = ComputedColumn(describe(plain), plain)
        self.schema.computed[column.name] = column
        return AttributeReference(variable, role, column.name, value.type)

    def _at(self, place: BlockAggregate, value: Value) -> BlockAggregate:
        """Return what a function says of the event at a place: `upper(a[2].s)`."""

        def read(reference: Reference) -> Value:
            assert isinstance(reference, BlockAggregate)
            kind, attribute = reference.attribute_type, str(reference.attribute)
            return AttributeReference(reference.variable, Role.EACH, attribute, kind)

        column = self.computed(change_value(value, read))
        return replace(
            place, attribute=column.attribute, type=value.type, attribute_type=value.type
        )

    def _across(self, value: Value, node: ast.Expression) -> Value | None:
        """Bind a function of several events: kernels know a few of them, and tests of two texts."""
        if isinstance(value, Apply) and value.function == "condition":
            (condition,) = value.arguments
            assert isinstance(condition, AllOf | AnyOf | Compare | Truth)
            return self._truth_value(condition, node)
        if value.type is AttributeType.BOOLEAN:
            test = as_test_of_texts(Compare("=", value, Constant(True, AttributeType.BOOLEAN)))
            if test is not None:
                return test.left
        if isinstance(value, Apply) and _is_known_across(value):
            if value.type is AttributeType.DECIMAL and value.function not in CHOICES:
                value = replace(value, type=AttributeType.FLOAT)
            arguments = [
                self.lifted_condition(each, node)
                if isinstance(each, AllOf | AnyOf | Compare | Truth)
                else self.lifted(each, node)
                for each in value.arguments
            ]
            found = tuple(each for each in arguments if each is not None)
            return replace(value, arguments=found) if len(found) == len(arguments) else None
        self._report_across(value, node)
        return None

    def _report_across(self, value: Value, node: ast.Expression) -> None:
        names = list(dict.fromkeys(each.variable for each in references(value)))
        several = len(names) > 1
        what = f"events of {' and '.join(names)}" if several else f"several events of {names[0]}"
        self.problems.add(
            "function-across-events",
            f"'{print_expression(node)}' computes something of {what}",
            node.span,
            "apply the function to the events themselves, as in max(upper(a[].x)), or return the "
            "aggregate, and compute with the result"
            if any(isinstance(each, BlockAggregate) for each in references(value)) and not several
            else "functions of numbers, least, greatest, coalesce, CASE and IS NULL may read "
            "several events, and tests two texts; apply other functions to the events one by one, "
            "or in RETURN",
        )

    def _truth_value(self, condition: Condition, node: ast.Expression) -> Value | None:
        """Return a condition on several events as a value: TRUE, FALSE or NULL."""
        holds = self.lifted_condition(condition, node)
        if holds is None:
            return None
        kind = AttributeType.BOOLEAN
        yes, no, unknown = (Constant(each, kind) for each in (True, False, None))
        return Apply("case", (holds, yes, opposite(holds), no, unknown), kind)

    def lifted_condition(self, condition: Condition, node: ast.Expression) -> Condition | None:
        """Return a condition in which functions of one event are columns of the events."""
        match condition:
            case Compare():
                return self.lifted_atom(condition, (node, node))
            case AllOf() | AnyOf():
                operands = [self.lifted_condition(each, node) for each in condition.operands]
                found = tuple(each for each in operands if each is not None)
                return type(condition)(found) if len(found) == len(operands) else None
            case _:
                return condition

    def lifted_atom(
        self, atom: Compare, nodes: tuple[ast.Expression, ast.Expression]
    ) -> Compare | None:
        """Return a comparison of columns; a function of literals belongs to the other side."""
        if not self.depth and any(map(has_literal_function, (atom.left, atom.right))):
            whole = Apply("condition", (atom,), AttributeType.BOOLEAN)
            if reads_one(whole):
                return Compare("=", self.computed(whole), Constant(True, AttributeType.BOOLEAN))
        test = None if self.depth else as_test_of_texts(atom)
        if test is not None:
            return test
        left, right = self.lifted(atom.left, nodes[0]), self.lifted(atom.right, nodes[1])
        if left is None or right is None:
            return None
        return separate_events(Compare(atom.operator, left, right))


def opposite(condition: Condition) -> Condition:
    """Return what holds where a condition is known not to hold."""
    match condition:
        case Compare():
            return replace(condition, operator=OPPOSITE[condition.operator])
        case AllOf() | AnyOf():
            other = AnyOf if isinstance(condition, AllOf) else AllOf
            return other(tuple(map(opposite, condition.operands)))
        case Truth():
            return Truth(not condition.value)


def _is_known_across(value: Apply) -> bool:
    """Whether kernels know a function."""
    if value.function == "is_null":
        return True
    if value.function == "cast":
        kinds = {value.type, *_types(value)}
        if value.type is AttributeType.FLOAT:
            kinds.discard(AttributeType.DECIMAL)
        return kinds <= {AttributeType.INTEGER, AttributeType.FLOAT, AttributeType.UNKNOWN}
    if value.function in CHOICES:
        return value.type in CHOSEN
    return value.function in OF_NUMBERS and value.type in (*PUT_TOGETHER, AttributeType.DECIMAL)


def _types(value: Apply) -> Iterator[AttributeType]:
    for each in value.arguments:
        if not isinstance(each, AllOf | AnyOf | Compare | Truth):
            yield each.type


def one_place(value: Value) -> BlockAggregate | None:
    """Return what reads a place of a block, if a value reads that alone and is NULL without it."""
    found = {
        replace(each, attribute=None, type=AttributeType.NULL, attribute_type=AttributeType.NULL)
        if isinstance(each, BlockAggregate) and each.function == "NTH"
        else None
        for each in references(value)
    }
    return found.pop() if len(found) == 1 and _is_strict(value) else None


def _is_strict(value: Value | Condition) -> bool:
    """Whether a value is NULL if one of those that it reads is."""
    match value:
        case Apply(function=function, arguments=arguments):
            return function not in OF_NULL and all(map(_is_strict, arguments))
        case Minus():
            return _is_strict(value.operand)
        case Operation():
            return _is_strict(value.left) and _is_strict(value.right)
        case AllOf() | AnyOf() | Compare() | Truth():
            return False
    return True


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
