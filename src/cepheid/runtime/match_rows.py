"""Matches as a table: one row a match, arrays for repeated variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.analysis.bound import EventsColumn, MatchColumn, ValueColumn
from cepheid.kernels.graph import MatchArrays
from cepheid.kernels.select_events import select_events
from cepheid.program.arrow_arrays import to_arrow
from cepheid.program.program import MatchOutput, Program
from cepheid.runtime.key_columns import key_columns, key_fields
from cepheid.runtime.match_chunks import fold_in_chunks, joined, split_partitions
from cepheid.runtime.match_values import MatchValues, value_type
from cepheid.runtime.negation import NegationFilter
from cepheid.runtime.non_overlapping import without_overlaps
from cepheid.runtime.order_events import OrderedEvents, order_events
from cepheid.runtime.partial_matches import partial_chunks
from cepheid.runtime.predicate_inputs import PredicateInputs, read_columns
from cepheid.runtime.take_rows import RowTaker

Int64s = NDArray[np.int64]
FIRST_TIME, LAST_TIME = "first_time", "last_time"


def match_schema(program: Program, output: MatchOutput, events: pa.Schema) -> pa.Schema:
    """Return the schema of the result."""
    fields = [pa.field(column.output, _arrow_type(column, events)) for column in output.columns]
    if output.has_default_columns:
        time = events.field(program.time).type
        fields += [pa.field(FIRST_TIME, time), pa.field(LAST_TIME, time)]
    if output.stream_time is not None:
        fields += key_fields(program, output.stream_time, events)
    return pa.schema(fields)


def _arrow_type(column: MatchColumn, events: pa.Schema) -> pa.DataType:
    if isinstance(column, ValueColumn):
        return value_type(column, events)
    kind = events.field(column.attribute).type
    return pa.list_(kind) if column.is_array else kind


def find_matches(
    program: Program, output: MatchOutput, table: pa.Table, schema: pa.Schema, threads: int
) -> tuple[pa.Table, int]:
    """Return all matches, and how many events belong to no partition."""
    columns = dict(zip(table.column_names, table.columns, strict=True))
    ordered = order_events(program, columns, table.num_rows)
    predicates = read_columns(program, ordered, columns)
    negation = None
    if program.negation is not None:
        negation = NegationFilter(program, program.negation, ordered, predicates)

    def matches_of(partitions: range) -> Iterator[MatchArrays]:
        is_partial = output.is_partial
        find = partial_chunks if is_partial else fold_in_chunks
        chunks = find(program, ordered, predicates, columns, partitions)
        if negation is None:
            return chunks
        own = negation.with_own_room()
        return (own.unblocked(chunk, ended=not is_partial) for chunk in chunks)

    def batches_of(chunks: Iterator[MatchArrays]) -> list[pa.RecordBatch]:
        rows = MatchRows(program, output, ordered, predicates, columns, schema)
        return [rows.batch(chunk) for chunk in chunks]

    parts = split_partitions(ordered.arrays, threads)
    if output.tie_columns is not None:
        matches = joined(chain.from_iterable(map(matches_of, parts)))
        chosen = without_overlaps(program, ordered, columns, matches, output.tie_columns)
        batches = batches_of(iter([chosen]))
    elif len(parts) == 1:
        batches = batches_of(matches_of(parts[0]))
    else:
        with ThreadPoolExecutor(len(parts)) as pool:
            by_part = pool.map(lambda part: batches_of(matches_of(part)), parts)
            batches = list(chain.from_iterable(by_part))
    return pa.Table.from_batches(batches, match_schema(program, output, schema)), ordered.dropped


class MatchRows:
    """Turns matches into rows of the result."""

    def __init__(
        self,
        program: Program,
        output: MatchOutput,
        ordered: OrderedEvents,
        predicates: PredicateInputs,
        columns: Mapping[str, Any],
        events: pa.Schema,
    ) -> None:
        self.program = program
        self.output = output
        self.columns = columns
        self.schema = match_schema(program, output, events)
        self.row = ordered.row
        self.takers = _Takers(columns, events)
        self.values = MatchValues(program, ordered, predicates, events)
        self.positions = {
            name: np.uint64(sum(1 << each for each in positions))
            for name, positions in output.positions_by_variable
        }

    def batch(self, matches: MatchArrays) -> pa.RecordBatch:
        """Return the rows of some matches."""
        selected = {
            name: select_events(matches, self.positions[name], self.row)
            for name in {e.variable for e in self.output.columns if isinstance(e, EventsColumn)}
        }
        arrays = [
            self.values.column(each, matches)
            if isinstance(each, ValueColumn)
            else self._events(each, *selected[each.variable])
            for each in self.output.columns
        ]
        first = self.row[matches.event[matches.offsets[:-1]]]
        last = self.row[matches.event[matches.offsets[1:] - 1]]
        if self.output.has_default_columns:
            arrays += [self.takers[self.program.time].take(each) for each in (first, last)]
        if self.output.stream_time is not None:
            rows = to_arrow(first), to_arrow(last)
            arrays += key_columns(self.program, self.output.stream_time, self.columns, *rows)
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _events(self, column: EventsColumn, offsets: Int64s, rows: Int64s) -> pa.Array:
        taker = self.takers[column.attribute]
        if column.is_array:
            values = taker.take(rows)
            return pa.ListArray.from_arrays(to_arrow(offsets.astype(np.int32)), values)
        count = offsets.size - 1
        if rows.size == count:
            return taker.take(rows)
        is_bound = np.diff(offsets) > 0  # NULL where the variable is unbound
        indices = np.zeros(count, np.int64)
        indices[is_bound] = rows
        return taker.take(indices, ~is_bound)


class _Takers(dict[str, RowTaker]):
    """One per attribute, made when it is read first."""

    def __init__(self, columns: Mapping[str, Any], schema: pa.Schema) -> None:
        super().__init__()
        self.columns = columns
        self.schema = schema

    def __missing__(self, attribute: str) -> RowTaker:
        kind = self.schema.field(attribute).type
        self[attribute] = RowTaker(self.columns[attribute], kind)
        return self[attribute]
