"""Tests and slots of a run program as kernel tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.graph.build_run_graph import RunRules
from cepheid.kernels.graph.path_clauses import PathTables
from cepheid.kernels.graph.run_graph import SlotTables, TestTables
from cepheid.kernels.predicates.predicate_machine import ColumnArrays, PredicateCode
from cepheid.program.position_automaton import PositionAutomaton
from cepheid.program.run_program import AggregateSlot, EventSlot, PathClause, RunProgram, Test

Int64s: TypeAlias = NDArray[np.int64]


def run_rules(
    program: RunProgram,
    automaton: PositionAutomaton,
    columns: ColumnArrays,
    code: PredicateCode,
) -> RunRules:
    """Return the query's edges, tests, slots and code; edges are sorted by source."""
    sources = [source for source, _ in automaton.edges]
    offsets = np.searchsorted(sources, np.arange(len(automaton.follow) + 1)).astype(np.int64)
    targets = np.array([target for _, target in automaton.edges], np.int64)
    return RunRules(
        offsets,
        targets,
        tables_of_tests(program.tests),
        _slots(program, columns, len(automaton.follow)),
        path_tables(program.path_clauses),
        code,
    )


def path_tables(clauses: Sequence[Sequence[PathClause]]) -> PathTables:
    """Return clauses grouped by binding (or whatever the outer sequence stands for)."""
    flat = [clause for group in clauses for clause in group]
    rows: list[tuple[int, ...]] = []
    operands: list[tuple[int, ...]] = []
    variables: list[tuple[int, ...]] = []
    for clause in flat:
        operand_end = len(operands) + len(clause.operands)
        variable_end = len(variables) + len(clause.variables)
        rows.append(
            (clause.begin, clause.end, len(operands), operand_end, len(variables), variable_end)
        )
        operands += [
            (e.variable, e.role, e.function, e.column, e.is_float) for e in clause.operands
        ]
        variables += [(_as_signed(e.mask), e.flags, e.is_negated) for e in clause.variables]
    return PathTables(
        np.concatenate(([0], np.cumsum([len(each) for each in clauses]))).astype(np.int64),
        _table(rows, width=6),
        _table(operands, width=5),
        _table(variables, width=3),
    )


def _as_signed(mask: int) -> int:
    """Return the 64 bits of a mask as a signed integer."""
    return mask - (1 << 64) if mask >= 1 << 63 else mask


def tables_of_tests(by_binding: Sequence[Sequence[Test]]) -> TestTables:
    """Return tests grouped by binding."""
    tests = [test for binding in by_binding for test in binding]
    operands = [operand for test in tests for operand in test.operands]
    ends = np.cumsum([len(test.operands) for test in tests]).tolist()
    begins = [0, *ends[:-1]]
    return TestTables(
        np.concatenate(([0], np.cumsum([len(each) for each in by_binding]))).astype(np.int64),
        _table(
            [
                (t.begin, t.end, b, e, t.kind, t.comparison)
                for t, b, e in zip(tests, begins, ends, strict=False)
            ],
            width=6,
        ),
        _table(
            [(each.source, each.function, each.is_float, each.column) for each in operands], width=4
        ),
    )


def _slots(program: RunProgram, columns: ColumnArrays, positions: int) -> SlotTables:
    slots: list[EventSlot | AggregateSlot] = [*program.event_slots, *program.aggregate_slots]
    representative = np.empty((len(program.event_slots), columns.status.shape[1]), np.int64)
    for number, slot in enumerate(program.event_slots):
        representative[number] = representatives(columns, slot.columns)
    return SlotTables(
        _by_row([each.changes for each in slots], len(program.tests)),
        _by_row([each.is_live for each in slots], positions),
        representative,
        _table(
            [(e.column, e.function, e.is_float, e.most) for e in program.aggregate_slots],
            width=4,
        ),
    )


def _table(rows: list[tuple[int, ...]], *, width: int) -> Int64s:
    return np.array(rows, np.int64).reshape(len(rows), width)


def _by_row(slots: list[tuple[int, ...]], rows: int) -> Int64s:
    """Turn one tuple per slot into a table by binding (or position) and slot."""
    return np.ascontiguousarray(np.array(slots, np.int64).reshape(len(slots), rows).T)


def representatives(columns: ColumnArrays, read: tuple[int, ...]) -> Int64s:
    """Return for every event the first one that agrees with it in the columns that are read."""
    keys = [columns.status[each].astype(np.int64) for each in read]
    keys += [columns.integers[each] for each in read]
    keys += [columns.floats[each].view(np.int64) for each in read]
    stacked = np.stack(keys, axis=1)
    _, first, inverse = np.unique(stacked, axis=0, return_index=True, return_inverse=True)
    return first[inverse.reshape(-1)].astype(np.int64)
