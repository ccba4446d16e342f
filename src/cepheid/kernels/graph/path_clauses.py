"""Clauses over the whole path of a run: every combination of the events they read.

A clause names up to a few variables. In the role EACH a variable ranges over all its events, in the
indexed roles over the places of its latest block; a clause holds if it holds for every combination
that counts. While a run grows these are the combinations that its newest event adds, at the end
those that the end makes available, and for a whole match all of them.

Cost: the number of combinations, times the block lengths if aggregates are read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.graph.match_nodes import NONE
from cepheid.kernels.graph.run_graph import (
    AVERAGE,
    COUNT,
    COUNT_DISTINCT,
    DEVIATION,
    MAXIMUM,
    MEDIAN,
    MINIMUM,
    PLACE,
    SUM,
)
from cepheid.kernels.jit import inner_in_place
from cepheid.kernels.predicates.block_values import (
    average,
    is_beyond,
    larger,
    smaller,
    sum_of,
    with_value,
)
from cepheid.kernels.predicates.predicate_machine import (
    NULL,
    OVERFLOW,
    OVERFLOWED,
    VALID,
    ColumnArrays,
    Operands,
    PredicateCode,
    Stack,
    run_code,
)

# Columns of the tables.
CODE_BEGIN, CODE_END, OPERAND_BEGIN, OPERAND_END, VARIABLE_BEGIN, VARIABLE_END = 0, 1, 2, 3, 4, 5
VARIABLE, ROLE, FUNCTION, COLUMN, IS_FLOAT = 0, 1, 2, 3, 4
MASK, FLAGS, IS_NEGATED = 0, 1, 2

EACH, FIRST, CURRENT, PREVIOUS, LAST, BEFORE, ALL = 0, 1, 2, 3, 4, 5, 6
HAS_EACH, HAS_INDEX, HAS_FIRST, HAS_CLOSED = 1, 2, 4, 8

# The combinations that count: those that the newest event adds, those that the end adds, all of a
# whole match, all of a match that has not ended.
BINDING, ENDING, WHOLE, OPEN = 0, 1, 2, 3

# Rows of the scratch table, a column per variable of the clause.
BLOCK_FIRST, BLOCK_LAST, EACH_AT, INDEX_AT = 0, 1, 2, 3
MOST_VARIABLES = 32


class PathTables(NamedTuple):
    """Clauses by binding (`offsets`), with their operands and variables."""

    offsets: Int64s
    clauses: Int64s
    operands: Int64s
    variables: Int64s


class Path(NamedTuple):
    """Events of a match and their positions, oldest first; the length is given apart."""

    event: Int64s
    position: Int64s


FAR_EXPONENT = 500  # squares of doubles beyond 2^500 or below 2^-500 leave their range


@inner_in_place
def has_position(mask: int, position: int) -> bool:
    """Whether a bit is set."""
    return bool((mask >> position) & 1)


@inner_in_place
def _previous_each(path: Path, mask: int, start: int) -> int:
    """Return the last place at or before `start` with an event of the variable, or NONE."""
    place = start
    while place >= 0 and not has_position(mask, path.position[place]):
        place -= 1
    return place


@inner_in_place
def find_blocks(
    tables: PathTables,
    clause: int,
    path: Path,
    length: int,
    negative: Path,
    negative_length: int,
    mode: int,
    scratch: Int64s,
) -> bool:
    """Find the latest block of every variable; False if some reference has nothing to read."""
    is_complete = True
    begin = tables.clauses[clause, VARIABLE_BEGIN]
    for row in range(begin, tables.clauses[clause, VARIABLE_END]):
        mask, flags = tables.variables[row, MASK], tables.variables[row, FLAGS]
        is_negated = tables.variables[row, IS_NEGATED] != 0
        where, size = (negative, negative_length) if is_negated else (path, length)
        last = _previous_each(where, mask, size - 1)
        column = row - begin
        scratch[BLOCK_LAST, column] = last
        if last == NONE:
            is_complete = False
            continue
        first = last
        while first > 0 and has_position(mask, where.position[first - 1]):
            first -= 1
        if flags & HAS_CLOSED and mode in (BINDING, OPEN) and last == size - 1:
            return False
        if flags & HAS_INDEX and first == last:
            return False
        scratch[BLOCK_FIRST, column] = first
        scratch[EACH_AT, column], scratch[INDEX_AT, column] = last, last
    return is_complete


@inner_in_place
def _is_new(tables: PathTables, clause: int, length: int, mode: int, scratch: Int64s) -> bool:
    """Whether the newest event, or the end, adds this combination."""
    if mode in (WHOLE, OPEN):
        return True
    newest = length - 1
    begin = tables.clauses[clause, VARIABLE_BEGIN]
    for row in range(begin, tables.clauses[clause, VARIABLE_END]):
        flags, column = tables.variables[row, FLAGS], row - begin
        first, last = scratch[BLOCK_FIRST, column], scratch[BLOCK_LAST, column]
        if mode == ENDING:
            if flags & HAS_CLOSED and last == newest:
                return True
            continue
        if flags & HAS_EACH and scratch[EACH_AT, column] == newest:
            return True
        if flags & HAS_INDEX and scratch[INDEX_AT, column] == newest:
            return True
        if flags & HAS_FIRST and first == newest:
            return True
        if flags & HAS_CLOSED and last == newest - 1:
            return True
    return False


@inner_in_place
def _is_before(one: float, other: float) -> bool:
    """Whether a float is smaller; NaN is larger than every number."""
    return bool(one < other or (np.isnan(other) and not np.isnan(one)))


@inner_in_place
def _is_new_value(
    path: Path, begin: int, place: int, column: int, is_float: int, columns: ColumnArrays
) -> bool:
    """Whether no earlier event of the block has the value of the one at a place."""
    event = path.event[place]
    for earlier in range(begin, place):
        other = path.event[earlier]
        if columns.status[column, other] != VALID:
            continue
        if is_float != 0:
            one, two = columns.floats[column, event], columns.floats[column, other]
            if one == two or (np.isnan(one) and np.isnan(two)):
                return False
        elif columns.integers[column, event] == columns.integers[column, other]:
            return False
    return True


@inner_in_place
def _value_of_rank(
    path: Path, begin: int, end: int, rank: int, column: int, columns: ColumnArrays
) -> float:
    """Return the float that has a rank among those of the block, 0 is the smallest."""
    for place in range(begin, end):
        if columns.status[column, path.event[place]] != VALID:
            continue
        value, smaller_ones, same = columns.floats[column, path.event[place]], 0, 0
        for other in range(begin, end):
            if columns.status[column, path.event[other]] != VALID:
                continue
            compared = columns.floats[column, path.event[other]]
            if _is_before(compared, value):
                smaller_ones += 1
            elif not _is_before(value, compared):
                same += 1
        if smaller_ones <= rank < smaller_ones + same:
            return float(value)
    return 0.0


@inner_in_place
def _deviation(
    path: Path, begin: int, end: int, count: int, column: int, columns: ColumnArrays
) -> float:
    """Return that of a sample; what would leave the range of doubles is divided first."""
    largest = 0.0
    for place in range(begin, end):
        if columns.status[column, path.event[place]] == VALID:
            largest = max(largest, abs(columns.floats[column, path.event[place]]))
    scale = 1.0
    if 0.0 < largest < np.inf and abs(np.log2(largest)) > FAR_EXPONENT:
        scale = 2.0 ** np.floor(np.log2(largest))
    mean, squares = 0.0, 0.0
    for place in range(begin, end):
        if columns.status[column, path.event[place]] == VALID:
            mean += columns.floats[column, path.event[place]] / scale
    mean /= count
    for place in range(begin, end):
        if columns.status[column, path.event[place]] == VALID:
            squares += (columns.floats[column, path.event[place]] / scale - mean) ** 2
    return float(np.sqrt(squares / (count - 1)) * scale)


@inner_in_place
def _write_summary(
    path: Path, begin: int, end: int, row: Int64s, columns: ColumnArrays, into: Operands, at: int
) -> None:
    """Write what needs all events of a block; quadratic in its length, without room of its own."""
    function, column, is_float = row[FUNCTION], row[COLUMN], row[IS_FLOAT]
    if function > PLACE:
        place = begin + function - PLACE - 1
        into.status[at] = NULL
        if place < end:
            event = path.event[place]
            into.status[at] = columns.status[column, event]
            into.integers[at] = columns.integers[column, event]
            into.floats[at] = columns.floats[column, event]
        return
    count, distinct = 0, 0
    for place in range(begin, end):
        if columns.status[column, path.event[place]] == VALID:
            count += 1
            if function == COUNT_DISTINCT and _is_new_value(
                path, begin, place, column, is_float, columns
            ):
                distinct += 1
    into.status[at] = VALID
    if function == COUNT_DISTINCT:
        into.integers[at] = distinct
        into.floats[at] = float(distinct)
    elif function == MEDIAN and count > 0:
        low = _value_of_rank(path, begin, end, (count - 1) // 2, column, columns)
        high = _value_of_rank(path, begin, end, count // 2, column, columns)
        into.floats[at] = low if low == high else low / 2 + high / 2
    elif function == DEVIATION and count > 1:
        into.floats[at] = _deviation(path, begin, end, count, column, columns)
    else:
        into.status[at] = NULL


@inner_in_place
def _write_aggregate(
    path: Path, begin: int, end: int, row: Int64s, columns: ColumnArrays, into: Operands, at: int
) -> None:
    """Write an aggregate over places begin to end - 1."""
    function, column, is_float = row[FUNCTION], row[COLUMN], row[IS_FLOAT]
    if function >= COUNT_DISTINCT:
        _write_summary(path, begin, end, row, columns, into, at)
        return
    count, integer, real = 0, 0, 0.0
    for place in range(begin, end):
        event = path.event[place]
        if column == NONE:
            count += 1
            continue
        if columns.status[column, event] != VALID:
            continue
        whole, part = columns.integers[column, event], columns.floats[column, event]
        if count == 0 and function in (MINIMUM, MAXIMUM):
            integer, real = whole, part
        elif function == MINIMUM:
            integer, real = min(integer, whole), smaller(real, part)
        elif function == MAXIMUM:
            integer, real = max(integer, whole), larger(real, part)
        elif function != COUNT:
            integer, real = with_value(integer, real, whole, part, is_float)
        count += 1
    into.status[at] = VALID if count > 0 or function == COUNT else NULL
    into.integers[at] = count if function == COUNT else integer
    into.floats[at] = real
    if function == AVERAGE and count > 0:
        into.floats[at] = average(integer, real, count, is_float)
    elif function == SUM and is_beyond(real, is_float):
        into.status[at] = OVERFLOWED
    elif function == SUM and is_float:
        into.floats[at] = sum_of(integer, real)


@inner_in_place
def write_operand(
    tables: PathTables,
    clause: int,
    row: int,
    path: Path,
    negative: Path,
    columns: ColumnArrays,
    operands: Operands,
    scratch: Int64s,
) -> None:
    """Write what one reference of a clause stands for in the current combination."""
    variable, role = tables.operands[row, VARIABLE], tables.operands[row, ROLE]
    at = row - tables.clauses[clause, OPERAND_BEGIN]
    variable_row = tables.clauses[clause, VARIABLE_BEGIN] + variable
    where = negative if tables.variables[variable_row, IS_NEGATED] else path
    first, last = scratch[BLOCK_FIRST, variable], scratch[BLOCK_LAST, variable]
    index = scratch[INDEX_AT, variable]
    if tables.operands[row, FUNCTION] != NONE:
        end = index if role == BEFORE else last + 1
        _write_aggregate(where, first, end, tables.operands[row], columns, operands, at)
    elif role == EACH:
        operands.events[at] = where.event[scratch[EACH_AT, variable]]
    elif role == FIRST:
        operands.events[at] = where.event[first]
    elif role == LAST:
        operands.events[at] = where.event[last]
    else:
        operands.events[at] = where.event[index if role == CURRENT else index - 1]


@inner_in_place
def write_operands(
    tables: PathTables,
    clause: int,
    path: Path,
    negative: Path,
    columns: ColumnArrays,
    operands: Operands,
    scratch: Int64s,
) -> None:
    """Write what the references of a clause stand for in the current combination."""
    for row in range(tables.clauses[clause, OPERAND_BEGIN], tables.clauses[clause, OPERAND_END]):
        write_operand(tables, clause, row, path, negative, columns, operands, scratch)


@inner_in_place
def _next_combination(
    tables: PathTables, clause: int, path: Path, negative: Path, scratch: Int64s
) -> bool:
    """Move to the next combination, newest events first; False after the last one."""
    begin = tables.clauses[clause, VARIABLE_BEGIN]
    for row in range(begin, tables.clauses[clause, VARIABLE_END]):
        mask, flags, column = tables.variables[row, MASK], tables.variables[row, FLAGS], row - begin
        where = negative if tables.variables[row, IS_NEGATED] else path
        first, last = scratch[BLOCK_FIRST, column], scratch[BLOCK_LAST, column]
        if flags & HAS_EACH:
            earlier = _previous_each(where, mask, scratch[EACH_AT, column] - 1)
            if earlier != NONE:
                scratch[EACH_AT, column] = earlier
                return True
            scratch[EACH_AT, column] = last
        if flags & HAS_INDEX:
            if scratch[INDEX_AT, column] > first + 1:
                scratch[INDEX_AT, column] -= 1
                return True
            scratch[INDEX_AT, column] = last
    return False


@inner_in_place
def path_clause_holds(
    tables: PathTables,
    clause: int,
    path: Path,
    length: int,
    negative: Path,
    negative_length: int,
    mode: int,
    code: PredicateCode,
    columns: ColumnArrays,
    operands: Operands,
    stack: Stack,
    scratch: Int64s,
) -> int:
    """Whether a clause holds for every combination that counts: 1 or 0, or OVERFLOW."""
    if not find_blocks(tables, clause, path, length, negative, negative_length, mode, scratch):
        return 1
    while True:
        if _is_new(tables, clause, length, mode, scratch):
            write_operands(tables, clause, path, negative, columns, operands, scratch)
            size = run_code(
                code,
                tables.clauses[clause, CODE_BEGIN],
                tables.clauses[clause, CODE_END],
                operands,
                columns,
                stack,
            )
            if size == OVERFLOW:
                return OVERFLOW
            if stack.integers[0] == 0:
                return 0
        if not _next_combination(tables, clause, path, negative, scratch):
            return 1
