"""Values of whole matches: expressions over their events and blocks."""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import Bytes, Float64s, Int64s
from cepheid.kernels.graph.build_run_graph import Room
from cepheid.kernels.graph.match_nodes import NONE, MatchArrays
from cepheid.kernels.graph.path_clauses import (
    BLOCK_LAST,
    CODE_BEGIN,
    CODE_END,
    FUNCTION,
    OPERAND_BEGIN,
    OPERAND_END,
    VARIABLE,
    WHOLE,
    PathTables,
    find_blocks,
    write_operand,
    write_operands,
)
from cepheid.kernels.graph.run_graph import COUNT, COUNT_DISTINCT
from cepheid.kernels.jit import kernel
from cepheid.kernels.predicates.predicate_machine import (
    NULL,
    OVERFLOW,
    VALID,
    ColumnArrays,
    PredicateCode,
    run_code,
)


@kernel
def compute_values(
    matches: MatchArrays,
    tables: PathTables,
    expression: int,
    code: PredicateCode,
    columns: ColumnArrays,
    room: Room,
) -> tuple[Int64s, Float64s, Bytes]:
    """Return an expression's value in every match as integer, float and status.

    An unbound variable stands for the last of the events, which is none: all that it has is NULL.
    A COUNT of it is 0, and its other aggregates are NULL. OVERFLOW in the status means
    that the arithmetic left 64 bits.
    """
    count = matches.offsets.size - 1
    integers, floats = np.zeros(count, np.int64), np.zeros(count, np.float64)
    status = np.zeros(count, np.int8)
    operands, no_event = room.operands, columns.status.shape[1] - 1
    begin, end = tables.clauses[expression, OPERAND_BEGIN], tables.clauses[expression, OPERAND_END]
    for match in range(count):
        first, last = matches.offsets[match], matches.offsets[match + 1]
        for place in range(last - first):
            room.path.event[place] = matches.event[first + place]
            room.path.position[place] = matches.position[first + place]
        path = room.path
        if find_blocks(tables, expression, path, last - first, path, 0, WHOLE, room.scratch):
            write_operands(tables, expression, path, path, columns, operands, room.scratch)
        else:
            for row in range(begin, end):
                at = row - begin
                if room.scratch[BLOCK_LAST, tables.operands[row, VARIABLE]] != NONE:
                    write_operand(
                        tables, expression, row, path, path, columns, operands, room.scratch
                    )
                elif tables.operands[row, FUNCTION] in (COUNT, COUNT_DISTINCT):
                    operands.integers[at], operands.status[at] = 0, VALID
                else:
                    operands.events[at], operands.status[at] = no_event, NULL
        size = run_code(
            code,
            tables.clauses[expression, CODE_BEGIN],
            tables.clauses[expression, CODE_END],
            room.operands,
            columns,
            room.stack,
        )
        if size == OVERFLOW:
            status[match] = OVERFLOW
            continue
        integers[match], floats[match] = room.stack.integers[0], room.stack.floats[0]
        status[match] = room.stack.status[0]
    return integers, floats, status
