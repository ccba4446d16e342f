"""Matches under predicates over several events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cepheid.errors import DataError
from cepheid.kernels.build_run_graph import build_run_graph, enumerate_runs
from cepheid.kernels.match_graph import MatchArrays
from cepheid.kernels.run_graph import HAS_OVERFLOW, HAS_TOO_MANY
from cepheid.program.program import Program
from cepheid.program.run_program import RunProgram
from cepheid.runtime.clock import to_ticks
from cepheid.runtime.kernel_arrays import automaton_arrays
from cepheid.runtime.order_events import OrderedEvents
from cepheid.runtime.predicate_columns import PredicateColumns
from cepheid.runtime.run_arrays import slot_arrays, test_arrays


def run_matches(
    program: Program, runs: RunProgram, ordered: OrderedEvents, columns: Mapping[str, Any]
) -> MatchArrays:
    """Fold the events into a run graph and enumerate its matches."""
    ticks = to_ticks(columns[program.time], program.time)[ordered.row]
    predicates = PredicateColumns(runs, columns, ordered.row, ticks)
    arrays = predicates.arrays(program.type_column)
    window = program.window_length or 0
    sources = [source for source, _ in program.automaton.edges]
    positions = len(program.automaton.follow)
    graph = build_run_graph(
        automaton_arrays(program.automaton, program.strategy),
        np.searchsorted(sources, np.arange(positions + 1)).astype(np.int64),
        np.array([target for _, target in program.automaton.edges], np.int64),
        ordered.arrays,
        test_arrays(runs),
        slot_arrays(runs, arrays),
        predicates.code(),
        arrays,
        window,
        0,
    )
    if graph.outcome == HAS_OVERFLOW:
        row = int(ordered.row[graph.event])
        raise DataError(
            f"a predicate leaves the range of 64-bit integers at row {row}",
            hint="use decimals in the arithmetic of WHERE",
        )
    if graph.outcome == HAS_TOO_MANY:
        raise DataError("too many runs are alive")
    return enumerate_runs(graph, ordered.arrays.clock, window)
