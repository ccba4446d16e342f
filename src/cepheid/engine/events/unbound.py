"""What expressions of RETURN say where a variable is not bound: they read NULL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import ValueColumn
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    Apply,
    AttributeReference,
    Compare,
    Condition,
    Constant,
    Minus,
    Operation,
    Truth,
    Value,
    references,
)
from cepheid.program.compute_columns import compute_column
from cepheid.program.program import MatchOutput, Program

NOTHING = Constant(None, AttributeType.NULL)
TAKE_NULL = ("is_null", "coalesce", "least", "greatest", "case", "condition")  # others are NULL


def of_no_event(program: Program, columns: Mapping[str, Any], attribute: str) -> pa.Array:
    """Return one value: NULL, or what the query computes of an event that has NULL everywhere."""
    kind = columns[attribute].type
    for column in program.computed:
        if column.name == attribute:
            value = _of_null(column.value)
            found = compute_column(replace(column, value=value), {}, 1)
            return found.cast(kind) if found.null_count == 0 else pa.nulls(1, kind)
    return pa.nulls(1, kind)


def _of_null(value: Value) -> Value:
    """Return an expression of an event that has NULL everywhere; the event is not read."""
    match value:
        case AttributeReference():
            return NOTHING
        case Minus():
            operand = _of_null(value.operand)
            return NOTHING if operand == NOTHING else replace(value, operand=operand)
        case Operation():
            left, right = _of_null(value.left), _of_null(value.right)
            if NOTHING in (left, right):
                return NOTHING
            return replace(value, left=left, right=right)
        case Apply():
            arguments = tuple(
                _condition_of_null(each)
                if isinstance(each, AllOf | AnyOf | Compare | Truth)
                else _of_null(each)
                for each in value.arguments
            )
            if value.function not in TAKE_NULL and NOTHING in arguments:
                return NOTHING
            return replace(value, arguments=arguments)
        case _:
            return value


def _condition_of_null(condition: Condition) -> Condition:
    match condition:
        case Compare():
            return replace(
                condition, left=_of_null(condition.left), right=_of_null(condition.right)
            )
        case AllOf() | AnyOf():
            return replace(condition, operands=tuple(map(_condition_of_null, condition.operands)))
        case Truth():
            return condition


def with_no_event(
    program: Program, columns: Mapping[str, Any], names: Iterable[str]
) -> dict[str, Any]:
    """Return some columns with one row more, that of no event."""
    found = {}
    for name in names:
        column = columns[name]
        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        last = of_no_event(program, columns, name)
        found[name] = pa.chunked_array([*chunks, last], column.type).combine_chunks()
    return found


def reads_unbound(program: Program) -> bool:
    """Whether an expression of RETURN reads a variable that a match may leave unbound."""
    output = program.output
    is_partial = isinstance(output, MatchOutput) and output.is_partial
    values = [each.value for each in output.every_column if isinstance(each, ValueColumn)]
    read = {reference.variable for each in values for reference in references(each)}
    positions = dict(output.positions_by_variable)
    return any(
        is_partial or _is_left_out(program, positions[each]) for each in read if each in positions
    )


def _is_left_out(program: Program, positions: Sequence[int]) -> bool:
    """Whether a match may visit none of some positions."""
    automaton = program.automaton
    avoided = sum(1 << each for each in set(positions))
    seen, reached = 0, automaton.first & ~avoided
    while reached & ~seen:
        place = ((reached & ~seen) & -(reached & ~seen)).bit_length() - 1
        seen |= 1 << place
        reached |= automaton.follow[place] & ~avoided
    return bool(reached & automaton.last)
