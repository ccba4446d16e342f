"""Whole numbers that leave 64 bits in what a query computes of events: where that is an error.

A column is computed of every event, also of those that nobody reads, and has NULL where a number
leaves 64 bits. A second column beside it says where that was. Of an event that fits a position
whose name reads the column it is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import (
    BoundQuery,
    EventsColumn,
    ExpressionColumn,
    SummaryColumn,
    ValueColumn,
    with_parts_of_columns,
)
from cepheid.analysis.decimal_sums import DIGITS_OF_64_BITS
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    Apply,
    AttributeReference,
    Compare,
    ComputedColumn,
    Condition,
    Constant,
    Minus,
    Operation,
    Truth,
    Value,
    references,
)
from cepheid.analysis.schema import EventSchema

BOOLEAN = AttributeType.BOOLEAN
WHOLE = (AttributeType.INTEGER, AttributeType.DURATION)
YES = Constant(True, BOOLEAN)
LONGEST = 19  # as every number of 64 bits has
SMALL = {"sign": 1, "length": 10, "size": 10, "year": 5, "quarter": 1, "month": 2, "day": 2,
         "hour": 2, "minute": 2, "second": 2, "day_of_week": 1, "day_of_year": 3}  # fmt: skip
MARK = "overflow of "


@dataclass(frozen=True, slots=True)
class CheckedColumns:
    """What says of columns that a number left 64 bits, by the name of the column.

    `readers` are the variables that read it; None if it says which events belong together.
    """

    columns: Mapping[str, ComputedColumn]
    readers: Mapping[str, frozenset[str] | None]

    def of_position(self, names: frozenset[str]) -> tuple[str, ...]:
        """Return what is checked of events at a position that has some names."""
        read = (
            self.columns[each].name
            for each, variables in self.readers.items()
            if variables is None or variables & names
        )
        return tuple(sorted(read))

    def of_condition(self, conditions: list[Condition]) -> tuple[str, ...]:
        """Return what is checked before conditions are asked."""
        read = {each.attribute for one in conditions for each in references(one)}
        return tuple(
            sorted(
                self.columns[each].name
                for each in read
                if each is not None and each in self.columns
            )
        )


def checked_columns(query: BoundQuery) -> CheckedColumns:
    """Return the columns that say where computed columns of a query left 64 bits."""
    columns = {}
    for each in query.schema.computed.values():
        left = Truth(False) if each.is_key else _leaves(each.value, query.schema)
        if left != Truth(False):
            columns[each.name] = ComputedColumn(
                f"{MARK}{each.name}", Apply("condition", (left,), BOOLEAN)
            )
    readers: dict[str, frozenset[str] | None] = {}
    for column, variable in _read(query) if columns else ():
        known = readers.get(column, frozenset())
        if column in columns:
            readers[column] = None if variable is None or known is None else known | {variable}
    return CheckedColumns(columns, readers)


def _read(query: BoundQuery) -> Iterator[tuple[str, str | None]]:
    """Yield columns that a query reads, and the variables of which it does."""
    for name in (*query.partition_by, *(each.attribute for each in query.group_by)):
        yield name, None
    conditions = [clause.condition for one in query.patterns for clause in one.clauses]
    for branch in (branch for one in query.patterns for branch in one.branches):
        conditions += branch.positive
        conditions += [one for each in branch.negative.values() for one in each]
    for condition in conditions:
        yield from _in(condition)
    for column in with_parts_of_columns(query.matches or ()):
        match column:
            case EventsColumn() | SummaryColumn():
                yield column.attribute, column.variable
            case ValueColumn() | ExpressionColumn():
                yield from _in(column.value)
    for aggregate in (each.aggregate for each in query.aggregates or ()):
        for attribute, variable in (
            (aggregate.attribute, aggregate.variable),
            (aggregate.other_attribute, aggregate.other),
        ):
            if attribute is not None and variable is not None:
                yield attribute, variable


def _in(node: Value | Condition) -> Iterator[tuple[str, str | None]]:
    for each in references(node):
        if each.attribute is not None:
            yield each.attribute, each.variable


# --- where a value leaves 64 bits -----------------------------------------------------------------


def _leaves(node: Value | Condition, schema: EventSchema) -> Condition:
    """Return when a whole number in an expression of one event leaves 64 bits."""

    def leaves(each: Value | Condition) -> Condition:
        return _leaves(each, schema)

    match node:
        case Minus() | Operation():
            parts = (node.operand,) if isinstance(node, Minus) else (node.left, node.right)
            return _any(_leaves_here(node, parts, schema), *map(leaves, parts))
        case Apply(function="case", arguments=arguments):
            return _of_case(arguments, leaves)
        case Apply(function="coalesce", arguments=arguments):
            return _of_first(arguments, leaves)
        case Apply(function="abs", arguments=(operand, *_)):
            assert not isinstance(operand, AllOf | AnyOf | Compare | Truth)
            return _any(_leaves_here(node, (operand,), schema), leaves(operand))
        case Apply(arguments=arguments):
            return _any(*map(leaves, arguments))
        case Compare():
            return _any(leaves(node.left), leaves(node.right))
        case AllOf() | AnyOf():
            return _any(*map(leaves, node.operands))
        case _:
            return Truth(False)


def _leaves_here(
    node: Minus | Operation | Apply, parts: tuple[Value, ...], schema: EventSchema
) -> Condition:
    """A number left 64 bits if it is NULL although all that it is computed of is known."""
    if isinstance(node, Operation) and node.operator not in "+-*":
        return Truth(False)
    if node.type not in WHOLE or _digits(node, schema) <= DIGITS_OF_64_BITS:
        return Truth(False)
    known = [_is_null(each, False) for each in parts if not isinstance(each, Constant)]
    return AllOf((_is_null(node, True), *known))


def _digits(value: Value | Condition, schema: EventSchema) -> int:
    """Return how many digits a whole number can have; where it is one that leaves 64 bits, more."""
    match value:
        case Constant(value=int(number)):
            return len(str(abs(number)))
        case AttributeReference():
            return schema.digits.get(value.attribute, (LONGEST, 0))[0]
        case Minus():
            return _digits(value.operand, schema)
        case Operation(operator="*"):
            return _digits(value.left, schema) + _digits(value.right, schema)
        case Operation(operator="+" | "-"):
            return max(_digits(value.left, schema), _digits(value.right, schema)) + 1
        case Apply(function="abs", arguments=(operand, *_)):
            return _digits(operand, schema)
        case Apply():
            return SMALL.get(value.function, LONGEST)
        case _:
            return LONGEST


def _of_case(
    arguments: tuple[Value | Condition, ...], leaves: Callable[[Value | Condition], Condition]
) -> Condition:
    """Only the result that is chosen matters, but every condition."""
    tests, results, last = arguments[:-1:2], arguments[1:-1:2], arguments[-1]
    chosen: list[Value | Condition] = []
    for test, result in zip(tests, results, strict=True):
        chosen += [test, Apply("condition", (leaves(result),), BOOLEAN)]
    at_last = leaves(last)
    of_results = [leaves(each) for each in results]
    of_tests = _any(*map(leaves, tests))
    if all(each == Truth(False) for each in (*of_results, at_last)):
        return of_tests
    whole = Apply("case", (*chosen, Apply("condition", (at_last,), BOOLEAN)), BOOLEAN)
    return _any(of_tests, Compare("=", whole, YES))


def _of_first(
    arguments: tuple[Value | Condition, ...], leaves: Callable[[Value | Condition], Condition]
) -> Condition:
    """A later value matters if those before it are NULL."""
    found: list[Condition] = []
    before: list[Condition] = []
    for each in arguments:
        assert not isinstance(each, AllOf | AnyOf | Compare | Truth)
        left = leaves(each)
        if left != Truth(False):
            found.append(AllOf((*before, left)) if before else left)
        before.append(_is_null(each, True))
    return _any(*found)


def _is_null(value: Value, wanted: bool) -> Condition:
    if isinstance(value, Constant):
        return Truth((value.value is None) is wanted)
    return Compare("=", Apply("is_null", (value,), BOOLEAN), Constant(wanted, BOOLEAN))


def _any(*conditions: Condition) -> Condition:
    real = tuple(dict.fromkeys(each for each in conditions if each != Truth(False)))
    if len(real) < 2:
        return real[0] if real else Truth(False)
    return AnyOf(real)
