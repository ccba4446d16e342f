"""Matches under predicates over several events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from cepheid.errors import DataError
from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.build_run_graph import (
    CURSOR_SIZE,
    FAILED_EVENT,
    HAS_OVERFLOW,
    NEEDS_ROOM,
    RANK_BEFORE,
    RunRules,
    RunState,
    enumerate_runs,
    fold_runs,
    make_room,
    room_needed,
)
from cepheid.kernels.match_graph import MatchArrays
from cepheid.kernels.predicate_code import ColumnArrays, PredicateCode
from cepheid.kernels.run_graph import NEVER, NONE, SLOTS, Nodes
from cepheid.program.program import Program
from cepheid.program.run_program import ColumnKind
from cepheid.runtime.clock import to_ticks
from cepheid.runtime.kernel_arrays import automaton_arrays
from cepheid.runtime.order_events import OrderedEvents
from cepheid.runtime.predicate_columns import PredicateColumns
from cepheid.runtime.run_arrays import run_rules

FIRST_SIZE = 1024


@dataclass(frozen=True, slots=True)
class PredicateInputs:
    """What predicates over several events read."""

    columns: ColumnArrays
    code: PredicateCode
    texts: list[str]
    time_unit: str


def read_columns(
    program: Program, ordered: OrderedEvents, columns: Mapping[str, Any]
) -> PredicateInputs:
    """Return the attributes that predicates compare, for the ordered events."""
    ticks = ordered.row  # a stand-in of the right length where no predicate reads the clock
    if any(each.kind is ColumnKind.CLOCK for each in program.runs.columns):
        ticks = to_ticks(columns[program.time], program.time)[ordered.row]
    predicates = PredicateColumns(program.runs, columns, ordered.row, ticks)
    return PredicateInputs(
        predicates.arrays(program.type_column), predicates.code(), predicates.texts, predicates.unit
    )


def run_matches(
    program: Program, ordered: OrderedEvents, predicates: PredicateInputs
) -> MatchArrays:
    """Fold the events into a run graph and enumerate its matches."""
    runs, arrays = program.runs, predicates.columns
    rules = run_rules(runs, program.automaton, arrays, predicates.code)
    automaton = automaton_arrays(program.automaton, program.strategy)
    window = program.window_length or 0
    state = empty_state(len(runs.event_slots), len(runs.aggregate_slots))
    room = make_room(longest_path(ordered.arrays) if rules.paths.clauses.size else 1)
    while True:
        outcome = fold_runs(state, automaton, rules, ordered.arrays, arrays, window, 0, room)
        if outcome != NEEDS_ROOM:
            break
        state = with_more_room(state, rules, ordered.arrays)
    if outcome == HAS_OVERFLOW:
        reject_overflow(int(ordered.row[state.cursor[FAILED_EVENT]]))
    return enumerate_runs(state, ordered.arrays.clock, window)


def reject_overflow(row: int) -> NoReturn:
    """Raise the error for arithmetic that left 64 bits."""
    raise DataError(
        f"a predicate leaves the range of 64-bit integers at row {row}",
        hint="use decimals in the arithmetic of WHERE",
    )


def longest_path(events: EventArrays) -> int:
    """Return how many events a match can have: the steps of the longest partition."""
    return int(np.diff(events.partition_offsets).max(initial=0)) + 1


def empty_state(event_slots: int, aggregate_slots: int) -> RunState:
    """Return the state before the first event."""
    width = SLOTS + event_slots + 2 * aggregate_slots
    cursor = np.zeros(CURSOR_SIZE, np.int64)
    cursor[RANK_BEFORE] = NEVER
    return RunState(
        Nodes(np.empty((FIRST_SIZE, width), np.int64), np.empty((FIRST_SIZE, aggregate_slots))),
        np.empty((FIRST_SIZE, 2), np.int64),
        np.empty(FIRST_SIZE, np.int64),
        np.empty(FIRST_SIZE, np.int64),
        np.full((2 * FIRST_SIZE, 2), NONE, np.int64),
        cursor,
    )


def with_more_room(state: RunState, rules: RunRules, events: EventArrays) -> RunState:
    """Return the state in larger arrays, at least enough for the next step."""
    more = room_needed(state, rules, events) + 1
    table = state.table
    if 2 * more > table.shape[0]:
        table = np.full((1 << int(2 * more).bit_length(), 2), NONE, np.int64)
    return RunState(
        Nodes(_larger(state.nodes.integers, more), _larger(state.nodes.floats, more)),
        _larger(state.links, more),
        _larger(state.finals, more),
        _larger(state.live, more),
        table,
        state.cursor,
    )


def _larger(array: Any, more: int) -> Any:
    size = max(2 * array.shape[0], array.shape[0] + more)
    larger = np.empty((size, *array.shape[1:]), array.dtype)
    larger[: array.shape[0]] = array
    return larger
