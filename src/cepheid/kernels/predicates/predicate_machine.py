"""A small stack machine for predicates over several events.

A clause is a stretch of instructions. Values are typed when the code is made: integers (also times,
booleans and ranks of strings) and floats have stacks of their own slot, so that int64 keeps every
digit. Every value has a status: valid, NULL, or lacking (the event's type has no such attribute).
An atom with a lacking operand holds, one with a NULL operand does not.

What reads one event only is computed for all events beforehand, as a column of its own; there a
value that left 64 bits has a status too, since it is an error only where it is read. So has a sum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Bytes, Float64s, Int64s
from cepheid.kernels.jit import inner, inner_in_place, kernel

NULL, VALID, LACKING, OVERFLOWED = 0, 1, 2, 3

LOAD_INTEGER, LOAD_FLOAT, AGGREGATE_INTEGER, AGGREGATE_FLOAT = 0, 1, 2, 3
CONSTANT_INTEGER, CONSTANT_FLOAT, CONSTANT_NULL, TO_FLOAT, TO_FLOAT_BELOW = 4, 5, 6, 7, 8
ADD_INTEGER, SUBTRACT_INTEGER, MULTIPLY_INTEGER, MODULO_INTEGER, NEGATE_INTEGER = 10, 11, 12, 13, 14
ADD_FLOAT, SUBTRACT_FLOAT, MULTIPLY_FLOAT, DIVIDE_FLOAT, MODULO_FLOAT, NEGATE_FLOAT = (
    20, 21, 22, 23, 24, 25,
)  # fmt: skip
COMPARE_INTEGER, COMPARE_FLOAT, CONDITION_TRUE, CONDITION_FALSE, AND, OR = 30, 31, 32, 33, 34, 35
ABS_INTEGER, ABS_FLOAT, LEAST_INTEGER, LEAST_FLOAT, GREATEST_INTEGER, GREATEST_FLOAT = (
    40, 41, 42, 43, 44, 45,
)  # fmt: skip
COALESCE, CHOOSE = 46, 47
ROUND, FLOOR, CEIL, SQRT, LN, LOG10, EXP, POWER = 50, 51, 52, 53, 54, 55, 56, 57
SIGN_INTEGER, SIGN_FLOAT, IS_NULL, TO_INTEGER, LOOK_UP = 58, 59, 60, 61, 62
EQUAL, UNEQUAL, LESS, AT_MOST, GREATER, AT_LEAST = 0, 1, 2, 3, 4, 5

NULL_CELL, FALSE_CELL, TRUE_CELL = 0, 1, 2

OVERFLOW = -1
SMALLEST = -(2**63)
SIZE = 2.0**63
WITH_FRACTIONS = 2.0**52
SURELY_INSIDE, SURELY_BEYOND = 9.2e18, 9.3e18  # whatever the rounding


class PredicateCode(NamedTuple):
    """Instructions of all clauses, a row each: operation, argument, column."""

    rows: Int64s
    integers: Int64s
    floats: Float64s


class ColumnArrays(NamedTuple):
    """Attributes that predicates read, by column and event; `status` as above."""

    integers: Int64s
    floats: Float64s
    status: Bytes


class Operands(NamedTuple):
    """What a clause's references stand for right now: events, and values of aggregates."""

    events: Int64s
    integers: Int64s
    floats: Float64s
    status: Bytes


class Stack(NamedTuple):
    """Room for one evaluation; conditions use `integers` with 0 and 1."""

    integers: Int64s
    floats: Float64s
    status: Bytes


@inner
def make_stack(count: int) -> Stack:
    """Return an empty stack; every instruction adds one value at most."""
    return Stack(np.zeros(count, np.int64), np.zeros(count), np.zeros(count, np.int8))


@inner
def make_operands(count: int) -> Operands:
    """Return room for the operands of a clause."""
    return Operands(
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros(count),
        np.zeros(count, np.int8),
    )


@inner_in_place
def _joined(one: int, other: int) -> int:
    if LACKING in (one, other):
        return LACKING
    return VALID if one == VALID and other == VALID else NULL


@inner_in_place
def compare(kind: int, is_less: bool, is_equal: bool) -> bool:
    """Whether a comparison holds."""
    if kind == EQUAL:
        return is_equal
    if kind == UNEQUAL:
        return not is_equal
    if kind == LESS:
        return is_less
    if kind == AT_MOST:
        return is_less or is_equal
    if kind == GREATER:
        return not is_less and not is_equal
    return not is_less


@inner_in_place
def _is_beyond(left: int, right: int, product: int) -> bool:
    """Whether a product left 64 bits; just beyond the limit its sign has changed."""
    size = abs(float(left) * float(right))
    if size < SURELY_INSIDE or size > SURELY_BEYOND:
        return size > SURELY_BEYOND
    return (product < 0) != ((left < 0) != (right < 0))


@inner_in_place
def _integer_result(operation: int, left: int, right: int) -> tuple[int, bool, bool]:
    """Return the result, whether it is NULL, and whether it left 64 bits.

    Compilers assume that integers with a sign never wrap; those without one may.
    """
    if operation == ADD_INTEGER:
        result = int(np.int64(np.uint64(left) + np.uint64(right)))
        return result, False, ((left ^ result) & (right ^ result)) < 0
    if operation == SUBTRACT_INTEGER:
        result = int(np.int64(np.uint64(left) - np.uint64(right)))
        return result, False, ((left ^ right) & (left ^ result)) < 0
    if operation == MULTIPLY_INTEGER:
        result = int(np.int64(np.uint64(left) * np.uint64(right)))
        return result, False, _is_beyond(left, right, result)
    if right == 0:
        return 0, True, False
    if right == -1:  # processors divide the smallest integer by it only to fail
        return 0, False, False
    remainder = left % right
    if remainder != 0 and (remainder < 0) != (left < 0):
        remainder -= right  # the sign of the dividend
    return remainder, False, False


@inner_in_place
def _float_result(operation: int, left: float, right: float) -> tuple[float, bool]:
    """Return the result and whether it is NULL."""
    if operation == ADD_FLOAT:
        return left + right, False
    if operation == SUBTRACT_FLOAT:
        return left - right, False
    if operation == MULTIPLY_FLOAT:
        return left * right, False
    if right == 0.0:
        return 0.0, True
    if operation == DIVIDE_FLOAT:
        return left / right, False
    remainder = abs(left) % abs(right)
    return (-remainder if left < 0 else remainder), False


@inner_in_place
def _rounded(value: float, scale: float) -> float:
    """Return a float with the digits that a power of ten leaves; halves go away from zero."""
    scaled = value * scale
    if not abs(scaled) < WITH_FRACTIONS:
        return value
    whole = np.trunc(scaled)
    if abs(scaled - whole) >= 0.5:
        whole += 1.0 if scaled > 0 else -1.0
    return float(whole / scale)


@inner_in_place
def _of_float(operation: int, value: float) -> tuple[float, bool]:
    """Return what a function gives, and whether that is NULL."""
    if operation == FLOOR:
        return float(np.floor(value)), False
    if operation == CEIL:
        return float(np.ceil(value)), False
    if operation == EXP:
        return float(np.exp(value)), False
    if operation == SQRT:
        return (0.0, True) if value < 0.0 else (float(np.sqrt(value)), False)
    if value <= 0.0:
        return 0.0, True
    return float(np.log(value) if operation == LN else np.log10(value)), False


@inner_in_place
def _whole(operation: int, integer: int, value: float) -> tuple[int, bool]:
    """Return the sign of a number, or a float without its fraction, and whether that is NULL."""
    if operation == SIGN_INTEGER:
        return (1 if integer > 0 else -1 if integer < 0 else 0), False
    if np.isnan(value):
        return 0, True
    if operation == SIGN_FLOAT:
        return (1 if value > 0.0 else -1 if value < 0.0 else 0), False
    if not -SIZE <= value < SIZE:
        return 0, True
    return int(np.trunc(value)), False


@inner_in_place
def _copy(stack: Stack, source: int, target: int) -> None:
    stack.integers[target] = stack.integers[source]
    stack.floats[target] = stack.floats[source]
    stack.status[target] = stack.status[source]


@inner_in_place
def _takes_second(operation: int, top: int, stack: Stack) -> bool:
    """Whether of the two values on top the second is the least, the greatest or the only one."""
    integers, floats, status = stack
    if LACKING in (status[top], status[top + 1]):
        return bool(status[top + 1] == LACKING)
    if status[top + 1] != VALID:
        return False
    if status[top] != VALID:
        return True
    if operation == LEAST_INTEGER:
        return bool(integers[top + 1] < integers[top])
    if operation == GREATEST_INTEGER:
        return bool(integers[top + 1] > integers[top])
    if operation == LEAST_FLOAT:  # NaN is larger than every number
        return bool(floats[top + 1] < floats[top] or np.isnan(floats[top]))
    if operation == GREATEST_FLOAT:
        return bool(floats[top + 1] > floats[top] or np.isnan(floats[top + 1]))
    return False


@inner_in_place
def _looked_up(table: Int64s, begin: int, left: int, right: int) -> int:
    """Return what a table says of two ranks; -1 is that of NULL.

    From `begin` on there are: how many ranks there are with that of NULL, how many columns the
    table has, the row of every rank, the column of every rank, and the cells, 32 in an integer.
    """
    count, width = table[begin], table[begin + 1]
    row, column = table[begin + 3 + left], table[begin + 3 + count + right]
    cell = row * width + column
    return int((table[begin + 2 + 2 * count + (cell >> 5)] >> (2 * (cell & 31))) & 3)


@inner_in_place
def run_code(
    code: PredicateCode,
    begin: int,
    end: int,
    operands: Operands,
    columns: ColumnArrays,
    stack: Stack,
) -> int:
    """Run instructions and return the size of the stack, or OVERFLOW; O(instructions).

    The result is the entry on top.
    """
    integers, floats, status = stack
    top = -1
    for at in range(begin, end):
        operation, argument = code.rows[at, 0], code.rows[at, 1]
        if operation <= LOAD_FLOAT:
            top += 1
            event, column = operands.events[argument], code.rows[at, 2]
            status[top] = columns.status[column, event]
            if operation == LOAD_INTEGER:
                integers[top] = columns.integers[column, event]
            else:
                floats[top] = columns.floats[column, event]
        elif operation <= AGGREGATE_FLOAT:
            top += 1
            status[top] = operands.status[argument]
            if status[top] == OVERFLOWED:
                return OVERFLOW
            integers[top] = operands.integers[argument]
            floats[top] = operands.floats[argument]
        elif operation <= CONSTANT_NULL:
            top += 1
            status[top] = NULL if operation == CONSTANT_NULL else VALID
            if operation == CONSTANT_INTEGER:
                integers[top] = code.integers[argument]
            elif operation == CONSTANT_FLOAT:
                floats[top] = code.floats[argument]
        elif operation == TO_FLOAT:
            floats[top] = float(integers[top])
        elif operation == TO_FLOAT_BELOW:
            floats[top - 1] = float(integers[top - 1])
        elif operation == NEGATE_INTEGER:
            if status[top] == VALID and integers[top] == SMALLEST:
                return OVERFLOW
            integers[top] = -integers[top]
        elif operation == NEGATE_FLOAT:
            floats[top] = -floats[top]
        elif operation < ADD_FLOAT:
            top -= 1
            status[top] = _joined(status[top], status[top + 1])
            if status[top] == VALID:
                result, is_null, is_over = _integer_result(
                    operation, integers[top], integers[top + 1]
                )
                if is_over:
                    return OVERFLOW
                integers[top] = result
                if is_null:
                    status[top] = NULL
        elif operation < COMPARE_INTEGER:
            top -= 1
            status[top] = _joined(status[top], status[top + 1])
            if status[top] == VALID:
                floats[top], is_null = _float_result(operation, floats[top], floats[top + 1])
                if is_null:
                    status[top] = NULL
        elif operation == COMPARE_INTEGER:
            top -= 1
            joined = _joined(status[top], status[top + 1])
            holds = joined == LACKING or (
                joined == VALID
                and compare(
                    argument,
                    integers[top] < integers[top + 1],
                    integers[top] == integers[top + 1],
                )
            )
            integers[top] = 1 if holds else 0
        elif operation == COMPARE_FLOAT:
            top -= 1
            joined = _joined(status[top], status[top + 1])
            left, right = floats[top], floats[top + 1]
            ordered = not (np.isnan(left) or np.isnan(right))
            holds = joined == LACKING or (
                joined == VALID
                and (ordered or argument == UNEQUAL)
                and compare(argument, left < right, left == right)
            )
            integers[top] = 1 if holds else 0
        elif operation <= CONDITION_FALSE:
            top += 1
            integers[top] = 1 if operation == CONDITION_TRUE else 0
        elif operation == AND:
            top -= 1
            integers[top] = integers[top] & integers[top + 1]
        elif operation == OR:
            top -= 1
            integers[top] = integers[top] | integers[top + 1]
        elif operation == ABS_INTEGER:
            if status[top] == VALID and integers[top] == SMALLEST:
                return OVERFLOW
            integers[top] = abs(integers[top])
        elif operation == ABS_FLOAT:
            floats[top] = abs(floats[top])
        elif operation == CHOOSE:
            top -= 2
            chosen = top + 1 if integers[top] != 0 else top + 2
            _copy(stack, chosen, top)
        elif operation == POWER:
            top -= 1
            status[top] = _joined(status[top], status[top + 1])
            if status[top] == VALID:
                floats[top] = np.power(floats[top], floats[top + 1])
        elif operation == ROUND:
            floats[top] = _rounded(floats[top], code.floats[argument])
        elif operation == IS_NULL:
            if status[top] != LACKING:
                integers[top] = 1 if status[top] == NULL else 0
                status[top] = VALID
        elif operation == LOOK_UP:
            top -= 1
            if LACKING in (status[top], status[top + 1]):
                status[top] = LACKING
            else:
                left = integers[top] if status[top] == VALID else -1
                right = integers[top + 1] if status[top + 1] == VALID else -1
                found = _looked_up(code.integers, code.integers[argument], left, right)
                integers[top] = 1 if found == TRUE_CELL else 0
                status[top] = NULL if found == NULL_CELL else VALID
        elif operation >= SIGN_INTEGER:
            if status[top] == VALID:
                integers[top], is_null = _whole(operation, integers[top], floats[top])
                if is_null:
                    status[top] = NULL
        elif operation >= FLOOR:
            if status[top] == VALID:
                floats[top], is_null = _of_float(operation, floats[top])
                if is_null:
                    status[top] = NULL
        else:
            top -= 1
            if _takes_second(operation, top, stack):
                _copy(stack, top + 1, top)
    return top + 1


@kernel
def compute_column(
    code: PredicateCode, begin: int, end: int, columns: ColumnArrays, column: int, most: int
) -> None:
    """Fill a column with what code says of every event; it has at most so many references."""
    operands, stack = make_operands(most), make_stack(end - begin)
    for event in range(columns.status.shape[1]):
        operands.events[:] = event
        if run_code(code, begin, end, operands, columns, stack) == OVERFLOW:
            columns.status[column, event] = OVERFLOWED
            continue
        columns.integers[column, event] = stack.integers[0]
        columns.floats[column, event] = stack.floats[0]
        columns.status[column, event] = stack.status[0]
