"""Tests of beginning or ending a match with an event, which read nothing else."""

from __future__ import annotations

from cepheid.kernels.arrays import Bytes
from cepheid.kernels.graph.match_nodes import EVENT
from cepheid.kernels.graph.run_graph import Nodes, SlotTables, TestTables, tests_hold
from cepheid.kernels.jit import kernel_in_place
from cepheid.kernels.predicates.predicate_machine import (
    ColumnArrays,
    Operands,
    PredicateCode,
    Stack,
)


@kernel_in_place
def write_borders(
    tests: TestTables,
    first_binding: int,
    slots: SlotTables,
    code: PredicateCode,
    columns: ColumnArrays,
    operands: Operands,
    stack: Stack,
    tested: Nodes,
    results: Bytes,
) -> None:
    """Write for bindings in a row, and for every event, whether the tests hold: 1, 0, OVERFLOW."""
    for binding in range(results.shape[0]):
        for event in range(results.shape[1]):
            tested.integers[0, EVENT] = event
            results[binding, event] = tests_hold(
                tests,
                first_binding + binding,
                tested,
                0,
                event,
                slots,
                code,
                columns,
                operands,
                stack,
            )
