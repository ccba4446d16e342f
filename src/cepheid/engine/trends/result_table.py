"""The result of an aggregate query as a table: windows or moments, groups, aggregates; HAVING."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.analysis.bound import ConstantColumn
from cepheid.analysis.expressions import references
from cepheid.engine.events.expression_type import expression_type
from cepheid.engine.events.ticks import from_ticks, to_ticks, window_type
from cepheid.engine.trends.columns import ValueColumns, column_type
from cepheid.engine.trends.groups import GroupRows
from cepheid.engine.trends.integer_sums import Bounds, ExactSums
from cepheid.engine.trends.result_expressions import ResultExpressions
from cepheid.errors import DataError
from cepheid.kernels.values.value_arrays import ValueRows
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.arrow_arrays import take, to_arrow
from cepheid.program.evaluate import LocalPredicates
from cepheid.program.program import Clock, Program

WINDOW_START, WINDOW_END, TIME = "window_start", "window_end", "time"


def aggregate_schema(program: Program, output: AggregateOutput, events: pa.Schema) -> pa.Schema:
    """Return the schema: window or moment, group attributes that RETURN leaves out, RETURN."""
    places = place_fields(program, output, events)
    fields = {field.name: field for field in places}
    fields |= {
        each.name: pa.field(each.name, column_type(each, output, events))
        for each in output.columns
        if not each.is_hidden
    }
    fields |= {each.output: pa.field(each.output, _literal(each).type) for each in output.constants}
    found = {each.name: column_type(each, output, events) for each in output.columns}
    found |= {name: events.field(column).type for column, name in output.groups}
    for each in output.arithmetic:
        read = {str(leaf.attribute) for leaf in references(each.value)}
        columns = pa.schema([(name, found[name]) for name in sorted(read)])
        kind = expression_type(each.value, columns)
        fields[each.output] = pa.field(each.output, kind)
    leading = [field.name for field in places if field.name not in output.returned]
    return pa.schema([fields[name] for name in (*leading, *output.returned)])


def place_fields(program: Program, output: AggregateOutput, events: pa.Schema) -> list[pa.Field]:
    """Return the fields that tell rows apart: the window or the moment, and the group."""
    fields = []
    if program.slide is not None:
        by_time = program.clock is Clock.TIME
        kind = window_type(events.field(program.time).type) if by_time else pa.int64()
        fields += [pa.field(WINDOW_START, kind), pa.field(WINDOW_END, kind)]
    elif program.window_length is not None:
        moment = moment_columns(program, output)
        fields += [pa.field(name, events.field(column).type) for column, name in moment]
    return fields + [pa.field(name, events.field(column).type) for column, name in output.groups]


def moment_columns(program: Program, output: AggregateOutput) -> list[tuple[str, str]]:
    """Return column and output name of the order key, but for what the group shows anyway."""
    key = [(program.time, TIME), *((each, each) for each in program.order)]
    return [each for each in key if each not in output.groups]


@dataclass(frozen=True, slots=True)
class Finished:
    """Everything that columns are made of: see `ValueColumns`."""

    places: pa.Table
    values: ValueRows
    exact: Sequence[int] | None
    extremes: Sequence[Any]
    is_expiry: NDArray[np.bool_]
    sums: ExactSums = field(default_factory=dict)
    bounds: Bounds = field(default_factory=dict)


def finish(
    program: Program, output: AggregateOutput, events: pa.Schema, rows: Finished
) -> pa.Table:
    """Return the rows that are shown and that HAVING keeps, of events of a schema."""
    schema = aggregate_schema(program, output, events)
    columns = ValueColumns(
        rows.values, rows.exact, rows.sums, rows.bounds, rows.extremes, rows.places
    )
    found = dict(zip(rows.places.column_names, rows.places.columns, strict=True))
    found |= {each.name: columns.column(each) for each in output.columns}
    found |= {
        each.output: pa.repeat(_literal(each), rows.is_expiry.size) for each in output.constants
    }
    computed = ResultExpressions(found, columns.beyond_64_bits(output), rows.is_expiry.size)
    found |= {
        each.output: computed.column(each.output, each.value, schema.field(each.output).type)
        for each in output.arithmetic
    }
    kept = _is_shown(output, rows, found)
    if output.having is not None:
        kept &= computed.satisfies(output.having)
    table = pa.Table.from_arrays([found[name] for name in schema.names], names=schema.names)
    shown = table if kept.all() else table.filter(to_arrow(kept))
    return shown if shown.schema.equals(schema) else shown.cast(schema)


def _literal(column: ConstantColumn) -> pa.Scalar:
    return LocalPredicates({}, 1).value(column.constant)


def _is_shown(
    output: AggregateOutput, rows: Finished, found: Mapping[str, Any]
) -> NDArray[np.bool_]:
    """An expiry is shown if it changes a column; the row before it is there to compare with."""
    shown = np.ones(rows.is_expiry.size, np.bool_)
    names = [each.name for each in output.columns if not each.is_hidden]
    names += [each.output for each in output.arithmetic]
    for row in np.flatnonzero(rows.is_expiry).tolist():
        shown[row - 1] = False
        shown[row] = any(
            _differ(found[name][row - 1].as_py(), found[name][row].as_py()) for name in names
        )
    return shown


def _differ(one: Any, other: Any) -> bool:
    """NaN is what it was."""
    return bool(one != other and not (one != one and other != other))  # noqa: PLR0124


class PlaceColumns:
    """The columns that tell rows apart.

    `events` has the types that columns of events are to have in the result.
    """

    def __init__(
        self,
        program: Program,
        output: AggregateOutput,
        columns: Mapping[str, Any],
        events: pa.Schema,
    ) -> None:
        self.program = program
        self.output = output
        self.columns = columns
        self.events = events

    def table(self, groups: GroupRows) -> pa.Table:
        """Return window or moment, and group, of every row."""
        fields = place_fields(self.program, self.output, self.events)
        if not fields:  # a table without columns would forget how many rows it has
            return pa.Table.from_arrays([pa.nulls(groups.row.size)], names=[""]).select([])
        rows = to_arrow(groups.row)
        arrays = self._moments(groups) if self._has_moments else self._windows(groups)
        arrays += [take(self.columns[column], rows) for column, _ in self.output.groups]
        return pa.Table.from_arrays(arrays, names=[field.name for field in fields])

    @property
    def _has_moments(self) -> bool:
        return self.program.slide is None and self.program.window_length is not None

    def _windows(self, groups: GroupRows) -> list[Any]:
        program = self.program
        if program.slide is None:
            return []
        start = groups.values.window * program.slide
        bounds = [start, start + (program.window_length or 0)]
        if program.clock is Clock.EVENTS:
            return [to_arrow(each) for each in bounds]
        kind = self.events.field(program.time).type
        return [from_ticks(each, kind) for each in bounds]

    def _moments(self, groups: GroupRows) -> list[Any]:
        """An expiry has a time of its own, and no order columns."""
        rows, program = to_arrow(groups.row), self.program
        arrays = []
        for column, _ in moment_columns(program, self.output):
            taken = take(self.columns[column], rows)
            if groups.is_expiry.any():
                taken = self._at_expiry(column, taken, groups.is_expiry)
            arrays.append(taken)
        return arrays

    def _at_expiry(self, column: str, taken: Any, is_expiry: NDArray[np.bool_]) -> Any:
        kind = taken.type
        if column != self.program.time:
            return pa.array(
                [
                    None if gone else each.as_py()
                    for each, gone in zip(taken, is_expiry, strict=True)
                ],
                kind,
            )
        ticks = to_ticks(taken, column) + np.where(is_expiry, self.program.window_length or 0, 0)
        if pa.types.is_date(kind) and (ticks % _ticks_per_day(kind)).any():
            raise DataError(
                f"an expiry is not at midnight, but the time column '{column}' holds dates",
                hint="cast the column to a timestamp",
            )
        try:
            return from_ticks(ticks, kind).cast(kind)
        except pa.ArrowInvalid as error:
            raise DataError(
                f"the time of an expiry does not fit the column '{column}' ({kind}): {error}",
                hint="cast the column to a timestamp, or to 64 bits",
            ) from None


def _ticks_per_day(kind: pa.DataType) -> int:
    return 86_400 if pa.types.is_date32(kind) else 86_400_000
