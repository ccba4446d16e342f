"""What expressions of RETURN say where a variable is not bound: they read NULL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from cepheid.analysis.bound import ValueColumn
from cepheid.analysis.expressions import references
from cepheid.program.arrow_arrays import in_one
from cepheid.program.compute_columns import compute_column
from cepheid.program.program import MatchOutput, Program


def of_no_event(program: Program, columns: Mapping[str, Any], attribute: str) -> pa.Array:
    """Return one value: NULL, or what the query computes of an event that has NULL everywhere."""
    kind = columns[attribute].type
    for column in program.computed:
        if column.name == attribute:
            stored = {name: pa.nulls(1, columns[name].type) for name in column.sources}
            return in_one(compute_column(column, stored, 1)).cast(kind)
    return pa.nulls(1, kind)


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
    if not isinstance(output, MatchOutput):
        return False
    values = [each.value for each in output.columns if isinstance(each, ValueColumn)]
    read = {reference.variable for each in values for reference in references(each)}
    positions = dict(output.positions_by_variable)
    return any(
        output.is_partial or _is_left_out(program, positions[each])
        for each in read
        if each in positions
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
