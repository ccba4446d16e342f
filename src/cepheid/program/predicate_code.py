"""Conditions to instructions of the kernels' stack machine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import assert_never

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.describe import describe
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
    Reference,
    Role,
    Truth,
    Value,
    references,
)
from cepheid.analysis.rename_variables import change_value
from cepheid.language.numbers import exactly
from cepheid.program.exact_conditions import within_64_bits
from cepheid.program.run_program import (
    ColumnKind,
    Instruction,
    PredicateColumn,
    TextConstant,
    TextPairs,
)

# The numbers of kernels/predicates/predicate_machine.py; a test compares the two.
LOAD_INTEGER, LOAD_FLOAT, AGGREGATE_INTEGER, AGGREGATE_FLOAT = 0, 1, 2, 3
CONSTANT_INTEGER, CONSTANT_FLOAT, CONSTANT_NULL, TO_FLOAT, TO_FLOAT_BELOW = 4, 5, 6, 7, 8
INTEGER_OPERATIONS = {"+": 10, "-": 11, "*": 12, "%": 13}
FLOAT_OPERATIONS = {"+": 20, "-": 21, "*": 22, "/": 23, "%": 24}
NEGATE_INTEGER, NEGATE_FLOAT = 14, 25
COMPARE_INTEGER, COMPARE_FLOAT, CONDITION_TRUE, CONDITION_FALSE, AND, OR = 30, 31, 32, 33, 34, 35
ABS = {False: 40, True: 41}
PAIRS = {"least": {False: 42, True: 43}, "greatest": {False: 44, True: 45},
         "coalesce": {False: 46, True: 46}}  # fmt: skip
CHOOSE = 47
ROUND, FLOOR, CEIL, SQRT, LN, LOG10, EXP, POWER = 50, 51, 52, 53, 54, 55, 56, 57
SIGN = {False: 58, True: 59}
IS_NULL, TO_INTEGER, LOOK_UP = 60, 61, 62
OF_FLOATS = {"floor": FLOOR, "ceil": CEIL, "sqrt": SQRT, "ln": LN, "log10": LOG10, "exp": EXP}
COMPARISONS = {"=": 0, "!=": 1, "<": 2, "<=": 3, ">": 4, ">=": 5}

DECIMAL = AttributeType.DECIMAL
NULL = AttributeType.NULL
NOTHING = Constant(None, NULL)

FUNCTIONS = {"COUNT": 0, "SUM": 1, "AVG": 2, "MIN": 3, "MAX": 4, "COUNT_DISTINCT": 5, "MEDIAN": 6,
             "STDDEV": 7, "NTH": 8}  # fmt: skip

SIDES = ("left", "right")  # of a test of two texts

CLOCK_COLUMN = "@clock"  # no column of the events can be called so in a query

KINDS = {
    AttributeType.INTEGER: ColumnKind.INTEGER,
    AttributeType.BOOLEAN: ColumnKind.INTEGER,
    AttributeType.DURATION: ColumnKind.INTEGER,
    AttributeType.FLOAT: ColumnKind.FLOAT,
    AttributeType.DECIMAL: ColumnKind.DECIMAL,
    AttributeType.STRING: ColumnKind.TEXT,
    AttributeType.TIMESTAMP: ColumnKind.TIME,
    AttributeType.ZONED: ColumnKind.TIME,
    AttributeType.DATE: ColumnKind.TIME,
    NULL: ColumnKind.INTEGER,
    AttributeType.OTHER: ColumnKind.EVENT,
}


def rounded(value: float | Decimal) -> float:
    """Return a number as a float; integers beyond 1.8e308 are infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def as_value(node: Value | Condition) -> Value:
    """Return an argument that is no condition."""
    assert not isinstance(node, AllOf | AnyOf | Compare | Truth)
    return node


class CodeWriter:
    """Collects the code, columns and constants of all clauses of a query."""

    def __init__(self) -> None:
        self.code: list[Instruction] = []
        self.columns: list[PredicateColumn] = []
        self.integers: list[int] = []
        self.floats: list[float] = []
        self.text_constants: list[TextConstant] = []
        self.text_pairs: list[TextPairs] = []
        self.operands: list[Reference] = []
        self.operand_columns: list[int] = []  # what of each operand is loaded
        self.computed_columns: dict[tuple[Value | Condition, bool], int] = {}

    def column(self, attribute: str, kind: AttributeType) -> int:
        """Return the number of a column, adding it if it is new."""
        is_clock = attribute == CLOCK_COLUMN
        column = PredicateColumn(attribute, ColumnKind.CLOCK if is_clock else KINDS[kind])
        if column not in self.columns:
            self.columns.append(column)
        return self.columns.index(column)

    def decimals(self, value: Value, *, is_float: bool) -> int:
        """Return the number of the column with decimals of one event, as ranks or as floats."""
        kind = ColumnKind.FLOAT if is_float else ColumnKind.DECIMAL
        column = PredicateColumn("", kind, expression=decimals_of_one(value))
        if isinstance(value, AttributeReference):
            column = PredicateColumn(value.attribute, kind)
        if column not in self.columns:
            self.columns.append(column)
        return self.columns.index(column)

    def computed(self, expression: Value | Condition, *, is_float: bool) -> int:
        """Return the number of the column with what an expression says of every event."""
        key = (expression, is_float)
        if key not in self.computed_columns:
            if isinstance(expression, AllOf | AnyOf | Compare | Truth):
                begin, end, _ = self.clause(expression)
            else:
                begin, end, _ = self.value(expression, is_float=is_float)
            self.columns.append(PredicateColumn("", ColumnKind.COMPUTED, begin, end))
            self.computed_columns[key] = len(self.columns) - 1
        return self.computed_columns[key]

    def clause(self, condition: Condition) -> tuple[int, int, tuple[Reference, ...]]:
        """Write a clause; return its stretch of code and the references it reads, in order."""
        self.operands, self.operand_columns = [], []
        begin = len(self.code)
        self._condition(condition)
        return begin, len(self.code), tuple(self.operands)

    def value(
        self, value: Value, *, is_float: bool | None = None
    ) -> tuple[int, int, tuple[Reference, ...]]:
        """Write an expression; return its stretch of code and the references it reads."""
        self.operands, self.operand_columns = [], []
        begin = len(self.code)
        self._value(
            value, is_float=value.type is AttributeType.FLOAT if is_float is None else is_float
        )
        return begin, len(self.code), tuple(self.operands)

    def _emit(self, operation: int, argument: int = 0, column: int = -1) -> None:
        self.code.append(Instruction(operation, argument, column))

    def _condition(self, condition: Condition) -> None:
        match condition:
            case Truth():
                self._emit(CONDITION_TRUE if condition.value else CONDITION_FALSE)
            case Compare():
                self._compare(condition)
            case AllOf() | AnyOf():
                self._condition(condition.operands[0])
                for operand in condition.operands[1:]:
                    self._condition(operand)
                    self._emit(AND if isinstance(condition, AllOf) else OR)
            case _:
                assert_never(condition)

    def _compare(self, atom: Compare) -> None:
        atom = within_64_bits(atom)
        is_float = AttributeType.FLOAT in (atom.left.type, atom.right.type)
        partner = self._text_column(atom.left, atom.right)
        for side in (atom.left, atom.right):
            # Next to what is NULL throughout, constants have no kind, and need no value.
            is_idle = isinstance(side, Constant) and NULL in (atom.left.type, atom.right.type)
            self._value(NOTHING if is_idle else side, is_float=is_float, partner=partner)
        operation = COMPARE_FLOAT if is_float else COMPARE_INTEGER
        self._emit(operation, COMPARISONS[atom.operator])

    def _function(self, value: Apply, *, is_float: bool, partner: int) -> None:
        """Write one of the functions that may read several events."""
        first, *others = value.arguments
        match value.function:
            case "condition":
                self._text_pairs(value)
            case "case":
                self._case(value.arguments, is_float=is_float, partner=partner)
            case "is_null" | "sign" | "cast":
                self._of_any(value.function, as_value(first), is_float=is_float)
            case "round":
                self._value(as_value(first), is_float=is_float)
                digits = as_value(others[0])
                if is_float and isinstance(digits, Constant):
                    self._round(digits)
            case "floor" | "ceil" if not is_float:
                self._value(as_value(first), is_float=is_float)
            case _:
                self._value(as_value(first), is_float=is_float, partner=partner)
                if value.function in OF_FLOATS:
                    self._emit(OF_FLOATS[value.function])
                elif value.function == "abs":
                    self._emit(ABS[is_float])
                for each in others:
                    self._value(as_value(each), is_float=is_float, partner=partner)
                    pairs = PAIRS.get(value.function)
                    self._emit(POWER if pairs is None else pairs[is_float])

    def _text_pairs(self, value: Apply) -> None:
        """Write a test of texts of two events: their ranks are looked up in a table."""
        names: dict[Reference, str] = {}
        for each in dict.fromkeys(references(value)):
            column = self.column(str(each.attribute), AttributeType.STRING)
            names[each] = SIDES[len(names)]
            self._emit(LOAD_INTEGER, self._operand(each, column), column)

        def read(reference: Reference) -> Value:
            return AttributeReference("", Role.EACH, names[reference], AttributeType.STRING)

        left, right = (str(each.attribute) for each in names)
        self.integers.append(0)
        index, test = len(self.integers) - 1, change_value(value, read)
        self.text_pairs.append(TextPairs(index, test, left, right, describe(value)))
        self._emit(LOOK_UP, index)

    def _of_any(self, function: str, first: Value, *, is_float: bool) -> None:
        """Write a function of a whole number or of a float, whichever it is."""
        reads_float = first.type is AttributeType.FLOAT or (is_float and function == "cast")
        self._value(first, is_float=reads_float)
        if function == "is_null":
            self._emit(IS_NULL)
        elif function == "sign":
            self._emit(SIGN[reads_float])
        elif reads_float and not is_float:
            self._emit(TO_INTEGER)

    def _round(self, digits: Constant) -> None:
        if digits.value is None:
            self._emit(CONSTANT_NULL)
            self._emit(FLOAT_OPERATIONS["+"])
            return
        self.floats.append(float(f"1e{digits.value}"))
        self._emit(ROUND, len(self.floats) - 1)

    def _case(
        self, arguments: Sequence[Value | Condition], *, is_float: bool, partner: int
    ) -> None:
        if len(arguments) == 1:
            self._value(as_value(arguments[0]), is_float=is_float, partner=partner)
            return
        condition, result, *others = arguments
        assert isinstance(condition, AllOf | AnyOf | Compare | Truth)
        self._condition(condition)
        self._value(as_value(result), is_float=is_float, partner=partner)
        self._case(others, is_float=is_float, partner=partner)
        self._emit(CHOOSE)

    def _text_column(self, *values: Value) -> int:
        """Return the column that constants next to these values are compared with, or -1.

        They are texts, times or decimals.
        """
        for value in values:
            match value:
                case Minus() | Operation() if value.type is DECIMAL:
                    return self.decimals(value, is_float=False)
                case AttributeReference():
                    return self.column(value.attribute, value.type)
                case BlockAggregate(attribute=str(attribute), attribute_type=kind):
                    if value.type is kind:  # it is no count
                        return self.column(attribute, kind)
                case Apply(function="case" | "coalesce" | "least" | "greatest"):
                    conditions = AllOf | AnyOf | Compare | Truth
                    found = self._text_column(
                        *(each for each in value.arguments if not isinstance(each, conditions))
                    )
                    if found >= 0:
                        return found
        return -1

    def _value(self, value: Value, *, is_float: bool, partner: int = -1) -> None:
        """Write a value; `is_float` asks for a float whatever the value's own type."""
        match value:
            case Constant():
                self._constant(value, is_float=is_float, partner=partner)
                return
            case AttributeReference() | Minus() | Operation() if value.type is DECIMAL:
                column = self.decimals(value, is_float=is_float)
                operand = self._operand(next(references(value)), column)
                self._emit(LOAD_FLOAT if is_float else LOAD_INTEGER, operand, column)
                return
            case AttributeReference():
                column = self.column(value.attribute, value.type)
                own_float = value.type is AttributeType.FLOAT
                operand = self._operand(value, column)
                self._emit(LOAD_FLOAT if own_float else LOAD_INTEGER, operand, column)
            case BlockAggregate():
                own_float = value.type is AttributeType.FLOAT
                if value.attribute is not None:
                    self.column(value.attribute, value.attribute_type)
                operation = AGGREGATE_FLOAT if own_float else AGGREGATE_INTEGER
                self._emit(operation, self._operand(value))
            case Minus():
                own_float = value.type is AttributeType.FLOAT
                self._value(value.operand, is_float=own_float)
                self._emit(NEGATE_FLOAT if own_float else NEGATE_INTEGER)
            case Operation():
                own_float = value.type is AttributeType.FLOAT
                self._value(value.left, is_float=own_float)
                self._value(value.right, is_float=own_float)
                table = FLOAT_OPERATIONS if own_float else INTEGER_OPERATIONS
                self._emit(table[value.operator])
            case Apply():
                own_float = value.type is AttributeType.FLOAT
                at = self._text_column(value)
                self._function(value, is_float=own_float, partner=partner if at < 0 else at)
            case _:
                assert_never(value)
        if is_float and not own_float:
            self._emit(TO_FLOAT)

    def _kind_of(self, column: int) -> ColumnKind | None:
        return None if column < 0 else self.columns[column].kind

    def _operand(self, reference: Reference, column: int = -1) -> int:
        self.operands.append(reference)
        self.operand_columns.append(column)
        return len(self.operands) - 1

    def _constant(self, constant: Constant, *, is_float: bool, partner: int) -> None:
        value = constant.value
        if value is None:
            self._emit(CONSTANT_NULL)
        elif isinstance(value, str):
            self.integers.append(0)
            self.text_constants.append(TextConstant(len(self.integers) - 1, value, partner))
            self._emit(CONSTANT_INTEGER, len(self.integers) - 1)
        elif not is_float and self._kind_of(partner) is ColumnKind.DECIMAL:
            self.integers.append(0)
            number = TextConstant(len(self.integers) - 1, str(exactly(value)), partner)
            self.text_constants.append(number)
            self._emit(CONSTANT_INTEGER, number.index)
        elif is_float or isinstance(value, float | Decimal):
            self.floats.append(rounded(value))
            self._emit(CONSTANT_FLOAT, len(self.floats) - 1)
        else:
            self.integers.append(int(value))
            self._emit(CONSTANT_INTEGER, len(self.integers) - 1)


def decimals_of_one(value: Value) -> Value:
    """Return an expression over one event that does not say which one.

    Integers in it are decimals, so that none of an event that is never read can leave 64 bits.
    """
    match value:
        case AttributeReference():
            return replace(value, variable="", role=Role.EACH)
        case Minus():
            return Minus(decimals_of_one(value.operand), DECIMAL)
        case Operation():
            left, right = decimals_of_one(value.left), decimals_of_one(value.right)
            return Operation(value.operator, left, right, DECIMAL)
        case _:
            return value
