"""Clauses that range over several events of a path."""

from __future__ import annotations

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import BoundPattern, ValueColumn
from cepheid.analysis.expressions import (
    BlockAggregate,
    Condition,
    Reference,
    Role,
    Value,
    references,
)
from cepheid.program.predicate_code import FUNCTIONS, CodeWriter
from cepheid.program.run_program import PathClause, PathOperand, PathVariable

# The numbers of kernels/graph/path_clauses.py; a test compares the two.
ROLES = {
    Role.EACH: 0,
    Role.FIRST: 1,
    Role.CURRENT: 2,
    Role.PREVIOUS: 3,
    Role.LAST: 4,
    Role.BEFORE: 5,
    Role.ALL: 6,
}
HAS_EACH, HAS_INDEX, HAS_FIRST, HAS_CLOSED = 1, 2, 4, 8
FLAGS = {
    Role.EACH: HAS_EACH,
    Role.FIRST: HAS_FIRST,
    Role.CURRENT: HAS_INDEX,
    Role.PREVIOUS: HAS_INDEX,
    Role.BEFORE: HAS_INDEX,
    Role.LAST: HAS_CLOSED,
    Role.ALL: HAS_CLOSED,
}


def lower_path_clause(
    condition: Condition, pattern: BoundPattern, writer: CodeWriter
) -> PathClause:
    """Write the clause's code and describe what it ranges over."""
    return _path_clause(condition, writer.clause(condition), pattern, writer)


def lower_match_value(column: ValueColumn, pattern: BoundPattern, writer: CodeWriter) -> PathClause:
    """Write the code of a per-match expression."""
    value = column.value
    return _path_clause(value, writer.value(value), pattern, writer)


def _path_clause(
    node: Condition | Value,
    written: tuple[int, int, tuple[Reference, ...]],
    pattern: BoundPattern,
    writer: CodeWriter,
) -> PathClause:
    begin, end, operands = written
    names = list(dict.fromkeys(each.variable for each in references(node)))
    variables = []
    for name in names:
        variable = pattern.variables[name]
        flags = 0
        for reference in references(node):
            if reference.variable == name:
                flags |= FLAGS[reference.role]
        mask = sum(1 << position for position in set(variable.positions))
        variables.append(PathVariable(mask, flags, variable.negated_part is not None))
    return PathClause(
        begin, end, tuple(_operand(each, names, writer) for each in operands), tuple(variables)
    )


def _operand(reference: Reference, names: list[str], writer: CodeWriter) -> PathOperand:
    variable, role = names.index(reference.variable), ROLES[reference.role]
    if not isinstance(reference, BlockAggregate):
        return PathOperand(variable, role, -1, -1, is_float=False)
    column = -1
    if reference.attribute is not None:
        column = writer.column(reference.attribute, reference.attribute_type)
    is_float = reference.attribute_type is AttributeType.FLOAT
    function = FUNCTIONS[reference.function] + reference.place  # of NTH the first is one more
    return PathOperand(variable, role, function, column, is_float)
