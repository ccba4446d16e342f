"""Matches as a table: one row a match, arrays for repeated variables, expressions of RETURN."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from decimal import Decimal
from functools import cached_property
from typing import Any, assert_never

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.analysis.attribute_types import TEMPORAL, AttributeType
from cepheid.analysis.bound import (
    EventsColumn,
    ExpressionColumn,
    MatchColumn,
    SummaryColumn,
    ValueColumn,
)
from cepheid.analysis.describe import describe
from cepheid.analysis.expressions import (
    AttributeReference,
    BlockAggregate,
    Constant,
    Value,
    references,
)
from cepheid.engine.events.event_schema import ARROW_TYPES
from cepheid.engine.events.expression_type import expression_type
from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.predicate_inputs import PredicateInputs
from cepheid.engine.events.take_rows import RowTaker
from cepheid.engine.events.unbound import of_no_event
from cepheid.engine.matches.fold_graph import longest_path
from cepheid.engine.matches.key_columns import key_columns, key_fields
from cepheid.engine.matches.match_chunks import reject_overflow
from cepheid.engine.matches.run_arrays import path_tables
from cepheid.engine.matches.summaries_of_matches import (
    latest_blocks,
    summarize,
    summary_type,
    whole_time,
)
from cepheid.errors import DataError
from cepheid.kernels.graph.build_run_graph import Room, make_room
from cepheid.kernels.graph.match_nodes import MatchArrays
from cepheid.kernels.graph.match_values import compute_values
from cepheid.kernels.graph.select_events import select_events
from cepheid.kernels.predicates.predicate_machine import OVERFLOW, VALID
from cepheid.program.arrow_arrays import in_one, of_type, texts_to_arrow, to_arrow
from cepheid.program.decimals import decimal_of, decimal_type, with_point
from cepheid.program.evaluate import OVERFLOW_HINT, LocalPredicates
from cepheid.program.numeric_times import has_digits
from cepheid.program.program import Clock, MatchOutput, Program

Int64s = NDArray[np.int64]
FIRST_TIME, LAST_TIME = "first_time", "last_time"


def match_schema(program: Program, output: MatchOutput, events: pa.Schema) -> pa.Schema:
    """Return the schema of the result."""
    fields = [
        pa.field(column.output, match_column_type(column, events)) for column in output.columns
    ]
    if output.has_default_columns:
        time = events.field(program.time).type
        fields += [pa.field(FIRST_TIME, time), pa.field(LAST_TIME, time)]
    if output.stream_time is not None:
        fields += key_fields(program, output.stream_time, events)
    return pa.schema(fields)


def match_column_type(column: MatchColumn, events: pa.Schema) -> pa.DataType:
    """Return the type of a column of matches."""
    if isinstance(column, ValueColumn):
        return value_type(column, events)
    if isinstance(column, ExpressionColumn):
        parts = pa.schema([(each.output, match_column_type(each, events)) for each in column.parts])
        return expression_type(column.value, parts)
    if isinstance(column, SummaryColumn):
        return summary_type(column, events.field(column.attribute).type)
    kind = events.field(column.attribute).type
    return pa.list_(kind) if column.is_array else kind


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
        self.takers = _Takers(program, ordered, columns, events)
        self.values = MatchValues(program, ordered, predicates, events, self.takers)
        self.positions = {
            name: np.uint64(sum(1 << each for each in positions))
            for name, positions in output.positions_by_variable
        }
        self.places = _places(program, output)
        self.every_position = np.uint64((1 << len(program.automaton.follow)) - 1)

    def for_another_thread(self) -> MatchRows:
        """Return a writer that shares what is only read."""
        other = copy(self)
        other.values = self.values.for_another_thread()
        return other

    def batch(self, matches: MatchArrays) -> pa.RecordBatch:
        """Return the rows of some matches."""
        selected = {
            name: self._selected(name, matches)
            for name in {
                e.variable for e in self.output.every_column if isinstance(e, EventsColumn)
            }
        }
        arrays = [self._column(each, matches, selected) for each in self.output.columns]
        if self.output.has_default_columns:
            arrays += [self.takers[self.program.time].take(each) for each in _borders(matches)]
        if self.output.stream_time is not None:
            rows = [to_arrow(self.row[each]) for each in _borders(matches)]
            arrays += key_columns(self.program, self.output.stream_time, self.columns, *rows)
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _column(
        self,
        column: MatchColumn,
        matches: MatchArrays,
        selected: Mapping[str, tuple[Int64s, Int64s]],
    ) -> pa.Array:
        match column:
            case ValueColumn():
                return self.values.column(column, matches)
            case SummaryColumn(function="duration"):
                times = self.takers[column.attribute]
                first, last = (whole_time(times.take(each)) for each in _borders(matches))
                return pc.subtract_checked(last, first)
            case SummaryColumn():
                offsets, events = latest_blocks(matches, self.positions[column.variable])
                found = summarize(column, offsets, self.takers[column.attribute].take(events))
                kind = self.schema.field(column.output).type
                return found if found.type == kind else found.cast(kind)
            case EventsColumn():
                return self._events(column, *selected[column.variable])
            case ExpressionColumn():
                parts = {e.output: self._column(e, matches, selected) for e in column.parts}
                return self._computed(column, parts, matches.offsets.size - 1)
        assert_never(column)

    def _computed(self, column: ExpressionColumn, parts: Mapping[str, Any], count: int) -> pa.Array:
        try:
            found = LocalPredicates(parts, count).value(column.value)
            found = of_type(found, self.schema.field(column.output).type)
        except pa.ArrowInvalid as error:
            raise DataError(
                f"'{column.written}' cannot be computed: {error}", hint=OVERFLOW_HINT
            ) from None
        return pa.repeat(found, count) if isinstance(found, pa.Scalar) else in_one(found)

    def _selected(self, variable: str, matches: MatchArrays) -> tuple[Int64s, Int64s]:
        """Return the events of a variable, and where those of a match begin."""
        if self.positions[variable] == self.every_position:
            return matches.offsets, matches.event
        if self.places is not None:
            length = len(self.program.automaton.follow)
            return matches.offsets, matches.event[self.places[variable] :: length]
        return select_events(matches, self.positions[variable])

    def _events(self, column: EventsColumn, offsets: Int64s, events: Int64s) -> pa.Array:
        taker = self.takers[column.attribute]
        if column.is_array:
            values = taker.take(events)
            return pa.ListArray.from_arrays(to_arrow(offsets.astype(np.int32)), values)
        count = offsets.size - 1
        if events.size == count:
            return taker.take(events)
        is_bound = np.diff(offsets) > 0
        indices = np.zeros(count, np.int64)
        indices[is_bound] = events
        found = taker.take(indices, ~is_bound)
        (unbound,) = of_no_event(self.program, self.columns, column.attribute).cast(found.type)
        return pc.if_else(to_arrow(is_bound), found, unbound) if unbound.is_valid else found


def _places(program: Program, output: MatchOutput) -> dict[str, int] | None:
    """Return the place of every variable in a match of a plain sequence; None for other patterns.

    All matches of a plain sequence have one event at each position, in the order of positions.
    """
    count = len(program.automaton.follow)
    edges = [(place, place + 1) for place in range(count - 1)]
    is_whole = not output.is_partial and program.automaton.last == 1 << (count - 1)
    if not is_whole or sorted(program.automaton.edges) != edges or program.automaton.first != 1:
        return None
    places = {name: each[0] for name, each in output.positions_by_variable if len(each) == 1}
    return places if _variables(output) <= places.keys() else None


def _variables(output: MatchOutput) -> set[str]:
    """Return the variables whose events are shown, or read to compute what is."""
    return {each.variable for each in output.every_column if isinstance(each, EventsColumn)}


def _borders(matches: MatchArrays) -> tuple[Int64s, Int64s]:
    """Return the first and the last events."""
    return matches.event[matches.offsets[:-1]], matches.event[matches.offsets[1:] - 1]


class _Takers(dict[str, RowTaker]):
    """One per attribute, made when it is read first."""

    def __init__(
        self,
        program: Program,
        ordered: OrderedEvents,
        columns: Mapping[str, Any],
        schema: pa.Schema,
    ) -> None:
        super().__init__()
        self.columns = columns
        self.schema = schema
        self.row = ordered.row
        self.time = program.time
        self.ticks = ordered.arrays.clock if program.clock is Clock.TIME else None

    def __missing__(self, attribute: str) -> RowTaker:
        kind = self.schema.field(attribute).type
        is_time = attribute == self.time and not has_digits(kind)
        ticks = self.ticks if is_time else None
        self[attribute] = RowTaker(self.columns[attribute], kind, self.row, ticks)
        return self[attribute]


def value_type(column: ValueColumn, events: pa.Schema) -> pa.DataType:
    """Return the type of a per-match expression.

    A time, and what only stands for itself such as a list, keeps the type of the column it reads.
    """
    if column.scale is not None:
        return decimal_of(column.scale)
    if column.value.type is AttributeType.DURATION:
        return pa.int64()
    known = ARROW_TYPES.get(column.value.type)
    if known is not None:
        return known
    literal = _literal(column)
    if literal is not None:
        return literal.type
    if column.value.type is AttributeType.DECIMAL:
        return _unsigned_type(column.value, events) or decimal_type(column.value, events)
    attribute = next(each.attribute for each in references(column.value) if each.attribute)
    return events.field(attribute).type


def _unsigned_type(value: Value, events: pa.Schema) -> pa.DataType | None:
    """Return the type of whole numbers that are shown as they are stored."""
    if not isinstance(value, AttributeReference | BlockAggregate):
        return None
    stored = events.field(str(value.attribute)).type
    return stored if pa.types.is_integer(stored) else None


def _literal(column: ValueColumn) -> pa.Scalar | None:
    """Return a time or a decimal that is written in the query; None if the column is no such."""
    is_typed = column.value.type in (*TEMPORAL, AttributeType.DECIMAL)
    if not isinstance(column.value, Constant) or not is_typed:
        return None
    return LocalPredicates({}, 1).value(column.value)


def _to_decimals(known: Sequence[Decimal], ranks: pa.Array, kind: pa.DataType) -> pa.Array:
    change = int if pa.types.is_integer(kind) else Decimal
    values = [None if each is None else change(known[each]) for each in ranks.to_pylist()]
    try:
        return pa.array(values, kind)
    except pa.ArrowInvalid as error:
        raise DataError(
            f"a result does not fit {kind}: {error}", hint="multiply decimals of fewer digits"
        ) from None


class MatchValues:
    """Computes the expressions of one result."""

    def __init__(
        self,
        program: Program,
        ordered: OrderedEvents,
        predicates: PredicateInputs,
        events: pa.Schema,
        takers: Mapping[str, RowTaker],
    ) -> None:
        self.program = program
        self.ordered = ordered
        self.predicates = predicates
        self.events = events
        self.takers = takers
        self.tables = path_tables([program.runs.values])

    @cached_property
    def room(self) -> Room:
        """Where the kernel keeps what it is computing."""
        return make_room(longest_path(self.ordered.arrays), len(self.predicates.code.rows))

    def for_another_thread(self) -> MatchValues:
        """Return the same with room of its own."""
        other = copy(self)
        other.__dict__.pop("room", None)
        return other

    def column(self, column: ValueColumn, matches: MatchArrays) -> pa.Array:
        """Return one expression's values in some matches."""
        literal = _literal(column)
        if literal is not None:
            return pa.repeat(literal, matches.offsets.size - 1)
        assert isinstance(self.program.output, MatchOutput)
        expressions = [e for e in self.program.output.every_column if isinstance(e, ValueColumn)]
        number = expressions.index(column)
        integers, floats, status = compute_values(
            matches,
            self.tables,
            number,
            self.predicates.code,
            self.predicates.columns,
            self.room,
        )
        failed = np.flatnonzero(status == OVERFLOW)
        if failed.size:
            row = int(self.ordered.row[matches.event[matches.offsets[failed[0]]]])
            reject_overflow([describe(column.value)], row)
        unknown = status != VALID
        match column.value.type:
            case AttributeType.FLOAT:
                return to_arrow(floats, unknown)
            case AttributeType.NULL:
                return pa.nulls(unknown.size)
            case AttributeType.OTHER:  # the numbers are those of events
                attribute = next(each.attribute for each in references(column.value))
                return self.takers[str(attribute)].take(np.where(unknown, 0, integers), unknown)
        return with_point(self._of_numbers(column, to_arrow(integers, unknown)), column.scale)

    def _of_numbers(self, column: ValueColumn, numbers: pa.Array) -> pa.Array:
        match column.value.type:
            case AttributeType.STRING:
                return texts_to_arrow(self.predicates.texts).take(numbers)
            case AttributeType.DECIMAL:
                kind = value_type(column, self.events)
                return _to_decimals(self.predicates.decimals, numbers, kind)
            case AttributeType.TIMESTAMP | AttributeType.ZONED | AttributeType.DATE:
                moments = numbers.cast(pa.timestamp(self.predicates.time_unit))
                return pc.cast(moments, value_type(column, self.events))
            case AttributeType.BOOLEAN:
                return numbers.cast(pa.bool_())
        return numbers
