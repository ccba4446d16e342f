"""Attributes that predicates compare across events, as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.take_rows import take_into
from cepheid.engine.events.text_pair_tables import pair_table
from cepheid.engine.events.ticks import to_ticks
from cepheid.engine.events.unbound import reads_unbound, with_no_event
from cepheid.errors import DataError
from cepheid.kernels.predicates.predicate_machine import (
    LACKING,
    LOAD_FLOAT,
    LOAD_INTEGER,
    NULL,
    VALID,
    ColumnArrays,
    PredicateCode,
    compute_column,
)
from cepheid.program.arrow_arrays import (
    empty,
    in_one,
    take_plain,
    texts_to_arrow,
    to_arrow,
    to_numpy,
    to_scalar,
)
from cepheid.program.evaluate import LocalPredicates
from cepheid.program.position_masks import TakenColumns
from cepheid.program.program import Program
from cepheid.program.run_program import ColumnKind, PredicateColumn, RunProgram, TextConstant
from cepheid.program.time_zones import nanoseconds

Int64s = NDArray[np.int64]


class PredicateColumns:
    """Turns columns into kernel arrays for the events at `rows`, in that order.

    Texts become ranks in one sorted list of all texts that occur, constants included, so that every
    comparison of texts is one of integers. So do decimals.
    """

    def __init__(
        self,
        program: RunProgram,
        columns: Mapping[str, Any],
        rows: Int64s,
        ticks: Int64s,
        threads: int,
    ) -> None:
        self.program = program
        self.threads = threads
        self.columns = columns
        self.row_numbers = rows
        self.count = rows.size
        self.ticks = ticks
        self.unit = self._time_unit()
        self.distinct: dict[str, list[str]] = {}  # texts of every column
        self.texts = self._texts()
        self.decimals = self._decimals()

    def arrays(self, type_column: str | None) -> ColumnArrays:
        """Return integers, floats and status by column and event."""
        size = (len(self.program.columns), self.count)
        kinds = {each.kind for each in self.program.columns}
        has_floats = bool(kinds & {ColumnKind.FLOAT, ColumnKind.COMPUTED})
        arrays = ColumnArrays(
            empty(size[0] * size[1]).reshape(size),
            # What nobody touches takes no memory.
            empty(size[0] * size[1], np.float64).reshape(size) if has_floats else np.zeros(size),
            empty(size[0] * size[1], np.int8).reshape(size),
        )
        for number, column in enumerate(self.program.columns):
            _clear(arrays, number, column.kind, has_floats=has_floats)
            if column.kind is not ColumnKind.COMPUTED:
                self._fill(arrays, number, column)
        if type_column is not None and self.program.exempt:
            self._mark_lacking(arrays, type_column)
        code = self.code
        for number, column in enumerate(self.program.columns):
            if column.kind is ColumnKind.COMPUTED:
                self._compute(arrays, number, column, code)
        return arrays

    def _compute(
        self, arrays: ColumnArrays, number: int, column: PredicateColumn, code: PredicateCode
    ) -> None:
        instructions = self.program.code[column.begin : column.end]
        loads = sum(each.operation in (LOAD_INTEGER, LOAD_FLOAT) for each in instructions)
        compute_column(code, column.begin, column.end, arrays, number, loads)

    @cached_property
    def code(self) -> PredicateCode:
        """The code with text and time constants filled in."""
        for each in self.program.integers:
            if not -(2**63) <= each < 2**63:
                raise DataError(
                    f"the number {each} does not fit 64 bits",
                    hint="write it as a decimal, with a point",
                )
        integers = np.array(self.program.integers, np.int64)
        for constant in self.program.text_constants:
            match self._kind(constant):
                case ColumnKind.TIME:
                    ticks = self._nanoseconds(constant)
                    integers[constant.index] = ticks if self.unit == "ns" else ticks // 1_000
                case ColumnKind.DECIMAL:
                    integers[constant.index] = self.decimals.index(Decimal(constant.text))
                case _:
                    integers[constant.index] = self.texts.index(constant.text)
        tables = [integers]
        for pairs in self.program.text_pairs:
            integers[pairs.index] = sum(each.size for each in tables)
            tables.append(pair_table(pairs, self.texts, self.distinct))
        code = self.program.code
        return PredicateCode(
            np.array(
                [(each.operation, each.argument, each.column) for each in code], np.int64
            ).reshape(len(code), 3),
            np.concatenate(tables),
            np.array(self.program.floats, np.float64),
        )

    # --- values ---------------------------------------------------------------------------------

    def _taken(self, attribute: str) -> Any:
        return take_plain(self.columns[attribute], to_arrow(self.row_numbers))

    def _fill(self, arrays: ColumnArrays, number: int, column: PredicateColumn) -> None:
        if column.kind is ColumnKind.CLOCK:
            arrays.integers[number] = self.ticks
            arrays.status[number] = VALID
            return
        if self._fill_plain(arrays, number, column):
            return
        values = self._values(column)
        valid = to_numpy(values.is_valid())
        arrays.status[number] = np.where(valid, VALID, NULL)
        if column.kind is ColumnKind.EVENT:
            arrays.integers[number] = np.arange(self.count)
            return
        try:
            numbers = self._numbers(values, column.kind)
        except pa.ArrowInvalid as error:
            name = ", ".join(column.stored)
            if column.kind is not ColumnKind.INTEGER:
                raise DataError(f"column '{name}' cannot be compared: {error}") from None
            raise DataError(
                f"column '{name}' has a number beyond 64 bits with a sign: {error}",
                hint="compute with doubles: write sum(CAST(a[].x AS DOUBLE)), and avg likewise",
            ) from None
        target = arrays.floats if column.kind is ColumnKind.FLOAT else arrays.integers
        target[number] = to_numpy(pc.fill_null(numbers, to_scalar(0, numbers.type)))

    def _fill_plain(self, arrays: ColumnArrays, number: int, column: PredicateColumn) -> bool:
        """Fill the column by NumPy alone if it has numbers and no NULL, as most have."""
        if column.expression is not None:
            return False
        values = self.columns[column.attribute]
        kind = values.type
        is_integer = column.kind is ColumnKind.INTEGER and pa.types.is_signed_integer(kind)
        is_float = column.kind is ColumnKind.FLOAT and pa.types.is_floating(kind)
        if values.null_count or not (is_integer or is_float):
            return False
        target = arrays.floats if is_float else arrays.integers
        take_into(target[number], to_numpy(values), self.row_numbers, self.threads)
        arrays.status[number] = VALID
        return True

    def _numbers(self, values: Any, kind: ColumnKind) -> Any:
        match kind:
            case ColumnKind.TEXT:
                texts = texts_to_arrow(self.texts)
                return pc.cast(pc.index_in(pc.cast(values, pa.string()), texts), pa.int64())
            case ColumnKind.TIME:
                return pc.cast(pc.cast(values, pa.timestamp(self.unit)), pa.int64())
            case ColumnKind.FLOAT:
                return pc.cast(values, pa.float64(), safe=False)
            case ColumnKind.DECIMAL:
                return self._ranks(values)
            case _:
                return pc.cast(values, pa.int64())

    def _ranks(self, values: Any) -> Any:
        """Return the place of every value among all decimals that are compared."""
        if pa.types.is_null(values.type):
            return pc.cast(values, pa.int64())
        coded = in_one(pc.dictionary_encode(values))
        place = {each: index for index, each in enumerate(self.decimals)}
        ranks = [place[Decimal(each)] for each in coded.dictionary.to_pylist()]
        return to_arrow(np.array(ranks, np.int64)).take(coded.indices)

    def _values(self, column: PredicateColumn) -> Any:
        """Return what a column reads of the events, as it is stored or computed from that."""
        if column.expression is None:
            return self._taken(column.attribute)
        taken = TakenColumns(self.columns, self.row_numbers)
        try:
            return in_one(LocalPredicates(taken, self.count).value(column.expression))
        except pa.ArrowInvalid as error:
            names = " and ".join(column.stored)
            raise DataError(
                f"arithmetic with {names} in WHERE or RETURN cannot be computed: {error}",
                hint="decimals have up to 76 digits",
            ) from None

    def _texts(self) -> list[str]:
        found = {each.text for each in self._constants(ColumnKind.TEXT)}
        for column in self.program.columns:
            if column.kind is ColumnKind.TEXT:
                taken = pc.unique(self._taken(column.attribute)).drop_null()
                self.distinct[column.attribute] = taken.to_pylist()
                found |= set(self.distinct[column.attribute])
        return sorted(found)

    def _decimals(self) -> list[Decimal]:
        found = {Decimal(each.text) for each in self._constants(ColumnKind.DECIMAL)}
        for column in self.program.columns:
            if column.kind is ColumnKind.DECIMAL:
                distinct = self._values(column).unique().drop_null().to_pylist()
                found |= {Decimal(each) for each in distinct}
        return sorted(found)

    def _constants(self, kind: ColumnKind) -> list[TextConstant]:
        return [each for each in self.program.text_constants if self._kind(each) is kind]

    def _kind(self, constant: TextConstant) -> ColumnKind:
        """Return the kind of a constant: that of what it is compared with; alone it is a text."""
        is_alone = constant.column < 0
        kind = ColumnKind.TEXT if is_alone else self.program.columns[constant.column].kind
        return kind if kind in (ColumnKind.TIME, ColumnKind.DECIMAL) else ColumnKind.TEXT

    def _time_unit(self) -> str:
        times = [self.columns[each.attribute].type for each in self.program.columns
                 if each.kind is ColumnKind.TIME]  # fmt: skip
        is_fine = any(pa.types.is_timestamp(each) and each.unit == "ns" for each in times)
        is_fine |= any(self._nanoseconds(each) % 1_000 for each in self._constants(ColumnKind.TIME))
        return "ns" if is_fine else "us"

    def _nanoseconds(self, constant: TextConstant) -> int:
        kind = self.columns[self.program.columns[constant.column].attribute].type
        return nanoseconds(constant.text, kind.tz if pa.types.is_timestamp(kind) else None)

    def _mark_lacking(self, arrays: ColumnArrays, type_column: str) -> None:
        types = self._taken(type_column)
        for event_type, attribute in self.program.exempt:
            is_type = pc.fill_null(pc.equal(types, to_scalar(event_type)), to_scalar(False))
            lacking = to_numpy(is_type)
            for number, column in enumerate(self.program.columns):
                if attribute in column.stored:
                    arrays.status[number, lacking] = LACKING


def _clear(arrays: ColumnArrays, number: int, kind: ColumnKind, *, has_floats: bool) -> None:
    """Put 0 where a column of a kind writes nothing, or not always."""
    if has_floats and kind is not ColumnKind.FLOAT:
        arrays.floats[number] = 0.0
    if kind in (ColumnKind.FLOAT, ColumnKind.COMPUTED):
        arrays.integers[number] = 0
    if kind is ColumnKind.COMPUTED:
        arrays.status[number] = NULL


@dataclass(frozen=True, slots=True)
class PredicateInputs:
    """What predicates over several events read."""

    columns: ColumnArrays
    code: PredicateCode
    texts: list[str]
    decimals: list[Decimal]
    time_unit: str


def read_columns(
    program: Program, ordered: OrderedEvents, columns: Mapping[str, Any], *, threads: int = 1
) -> PredicateInputs:
    """Return the attributes that predicates compare, for the ordered events."""
    rows = ordered.row
    ticks = rows  # a stand-in of the right length where no predicate reads the clock
    if any(each.kind is ColumnKind.CLOCK for each in program.runs.columns):
        ticks = to_ticks(columns[program.time], program.time)[rows]
    if reads_unbound(program):  # the event after the last one is no event
        stored = {name for each in program.runs.columns for name in each.stored}
        names = stored.union(() if program.type_column is None else (program.type_column,))
        rows = np.append(rows, len(columns[program.time]))
        ticks = np.append(ticks, 0)
        columns = with_no_event(program, columns, names & columns.keys())
    predicates = PredicateColumns(program.runs, columns, rows, ticks, threads)
    return PredicateInputs(
        predicates.arrays(program.type_column),
        predicates.code,
        predicates.texts,
        predicates.decimals,
        predicates.unit,
    )
