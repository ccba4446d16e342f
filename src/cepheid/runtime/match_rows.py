"""Matches as a table: one row a match, arrays for repeated variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.analysis.bound import EventsColumn, MatchColumn, ValueColumn
from cepheid.errors import DataError
from cepheid.kernels.match_graph import (
    MatchArrays,
    build_match_graph,
    enumerate_matches,
)
from cepheid.program.program import MatchOutput, Program
from cepheid.runtime.kernel_arrays import automaton_arrays
from cepheid.runtime.match_values import MatchValues, value_type
from cepheid.runtime.negation import without_blocked
from cepheid.runtime.non_overlapping import without_overlaps
from cepheid.runtime.order_events import OrderedEvents, order_events
from cepheid.runtime.run_matches import PredicateInputs, read_columns, run_matches

Int64s = NDArray[np.int64]
FIRST_TIME, LAST_TIME = "first_time", "last_time"
LARGEST_OFFSET = 2**31 - 1


def match_schema(program: Program, output: MatchOutput, events: pa.Schema) -> pa.Schema:
    """Return the schema of the result."""
    fields = [pa.field(column.output, _arrow_type(column, events)) for column in output.columns]
    if output.has_default_columns:
        time = events.field(program.time).type
        fields += [pa.field(FIRST_TIME, time), pa.field(LAST_TIME, time)]
    return pa.schema(fields)


def _arrow_type(column: MatchColumn, events: pa.Schema) -> pa.DataType:
    if isinstance(column, ValueColumn):
        return value_type(column, events)
    kind = events.field(column.attribute).type
    return pa.list_(kind) if column.is_array else kind


def find_matches(program: Program, output: MatchOutput, table: pa.Table) -> tuple[pa.Table, int]:
    """Return all matches, and how many events belong to no partition."""
    columns = dict(zip(table.column_names, table.columns, strict=True))
    ordered = order_events(program, columns, table.num_rows)
    predicates = read_columns(program, ordered, columns)
    matches = match_arrays(program, ordered, predicates)
    if output.tie_columns is not None:
        matches = without_overlaps(program, ordered, columns, matches, output.tie_columns)
    arrays = match_columns(program, output, ordered, predicates, matches, table)
    schema = match_schema(program, output, table.schema)
    return pa.Table.from_arrays(arrays, schema=schema), ordered.dropped


def match_columns(
    program: Program,
    output: MatchOutput,
    ordered: OrderedEvents,
    predicates: PredicateInputs,
    matches: MatchArrays,
    table: pa.Table,
) -> list[Any]:
    """Return the columns of the result, one value a match."""
    columns = dict(zip(table.column_names, table.columns, strict=True))
    rows = _MatchRows(matches, ordered.row, columns)
    values = MatchValues(program, ordered, predicates, matches, table.schema)
    arrays = [
        values.column(each)
        if isinstance(each, ValueColumn)
        else rows.column(each, dict(output.positions_by_variable))
        for each in output.columns
    ]
    if output.has_default_columns:
        arrays += rows.times(program.time)
    return arrays


def match_arrays(
    program: Program, ordered: OrderedEvents, predicates: PredicateInputs
) -> MatchArrays:
    """Build the graph that the predicates call for, and walk it."""
    window = program.window_length or 0
    if program.runs.has_tests:
        matches = run_matches(program, ordered, predicates)
    else:
        automaton = automaton_arrays(program.automaton, program.strategy)
        graph = build_match_graph(automaton, ordered.arrays, window)
        matches = enumerate_matches(graph, automaton, ordered.arrays.clock, window)
    if program.negation is not None:
        matches = without_blocked(program, program.negation, ordered, predicates, matches)
    return matches


class _MatchRows:
    def __init__(
        self, matches: MatchArrays, row: NDArray[np.int64], columns: Mapping[str, Any]
    ) -> None:
        self.count = matches.offsets.size - 1
        self.offsets = matches.offsets
        self.rows = row[matches.event]
        self.position = matches.position
        self.match = np.repeat(np.arange(self.count), np.diff(matches.offsets))
        self.columns = columns
        self.taken: dict[str, tuple[pa.Array, pa.Array | None]] = {}
        # Rows are taken from one chunk several times faster than from many.
        self.combined: dict[str, Any] = {}

    def column(self, column: EventsColumn, positions: Mapping[str, tuple[int, ...]]) -> Any:
        if column.variable not in self.taken:
            chosen = self._is_at(positions[column.variable])
            take = self._take_arrays if column.is_array else self._take_scalars
            self.taken[column.variable] = take(self.rows[chosen], self.match[chosen])
        rows, offsets = self.taken[column.variable]
        if column.attribute not in self.combined:
            self.combined[column.attribute] = _combined(self.columns[column.attribute])
        values = self.combined[column.attribute].take(rows)
        return values if offsets is None else pa.ListArray.from_arrays(offsets, values)

    def _is_at(self, positions: tuple[int, ...]) -> NDArray[np.bool_]:
        table = np.zeros(128, np.bool_)
        table[list(positions)] = True
        return table[self.position]

    def _take_arrays(self, rows: Int64s, match: Int64s) -> tuple[pa.Array, pa.Array]:
        """Return the rows of all matches and where those of each match begin."""
        if rows.size > LARGEST_OFFSET:
            raise DataError(
                f"the matches have {rows.size:,} events, too many for one result",
                hint="return fewer columns of the repeated variable, or aggregate the matches",
            )
        counts = np.bincount(match, minlength=self.count)
        offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
        return pa.array(rows), pa.array(offsets)

    def _take_scalars(self, rows: Int64s, match: Int64s) -> tuple[pa.Array, None]:
        """Return one row a match, NULL where the variable is unbound."""
        if rows.size == self.count:
            return pa.array(rows), None
        indices = np.zeros(self.count, np.int64)
        indices[match] = rows
        unbound = np.ones(self.count, np.bool_)
        unbound[match] = False
        return pa.array(indices, mask=unbound), None

    def times(self, time: str) -> list[Any]:
        values = self.columns[time]
        first, last = self.rows[self.offsets[:-1]], self.rows[self.offsets[1:] - 1]
        return [_combined(values.take(pa.array(each))) for each in (first, last)]


def _combined(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
