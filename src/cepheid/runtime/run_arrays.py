"""Tests and slots of a run program as kernel arrays."""

from __future__ import annotations

import numpy as np

from cepheid.kernels.predicate_code import ColumnArrays
from cepheid.kernels.run_graph import SlotArrays, TestArrays
from cepheid.program.run_program import RunProgram


def test_arrays(program: RunProgram) -> TestArrays:
    """Return the tests of every binding, flat."""
    tests = [test for binding in program.tests for test in binding]
    operands = [operand for test in tests for operand in test.operands]
    return TestArrays(
        _offsets([len(binding) for binding in program.tests]),
        np.array([test.begin for test in tests], np.int64),
        np.array([test.end for test in tests], np.int64),
        _offsets([len(test.operands) for test in tests]),
        np.array([operand.source for operand in operands], np.int64),
        np.array([operand.function for operand in operands], np.int64),
        np.array([operand.is_float for operand in operands], np.int8),
    )


def slot_arrays(program: RunProgram, columns: ColumnArrays) -> SlotArrays:
    """Return how bindings change slots; events that agree in what is read share a number."""
    bindings = len(program.tests)
    events = columns.status.shape[1]
    event_slots, aggregates = program.event_slots, program.aggregate_slots
    positions = len(event_slots[0].is_live) if event_slots else 0
    positions = len(aggregates[0].is_live) if aggregates else positions
    representative = np.empty((len(event_slots), events), np.int64)
    for number, slot in enumerate(event_slots):
        representative[number] = _representatives(columns, slot.columns)
    return SlotArrays(
        _by_row([each.changes for each in event_slots], bindings),
        _by_row([each.is_live for each in event_slots], positions),
        representative,
        _by_row([each.changes for each in aggregates], bindings),
        _by_row([each.is_live for each in aggregates], positions),
        np.array([each.column for each in aggregates], np.int64),
        np.array([each.function for each in aggregates], np.int64),
        np.array([each.is_float for each in aggregates], np.int8),
    )


def _offsets(sizes: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def _by_row(
    slots: list[tuple[int, ...]] | list[tuple[bool, ...]], rows: int
) -> np.ndarray[tuple[int, int], np.dtype[np.int8]]:
    """Turn one tuple per slot into an array by binding (or position) and slot."""
    if not slots:
        return np.zeros((rows, 0), np.int8)
    return np.ascontiguousarray(np.array(slots, np.int8).T)


def _representatives(
    columns: ColumnArrays, read: tuple[int, ...]
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return for every event the first one that agrees with it in the columns that are read."""
    keys = [columns.status[each].astype(np.int64) for each in read]
    keys += [columns.integers[each] for each in read]
    keys += [columns.floats[each].view(np.int64) for each in read]
    stacked = np.stack(keys, axis=1)
    _, first, inverse = np.unique(stacked, axis=0, return_index=True, return_inverse=True)
    return first[inverse.reshape(-1)].astype(np.int64)
