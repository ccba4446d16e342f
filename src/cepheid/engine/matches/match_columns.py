"""Per-match expressions of RETURN as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from decimal import Decimal
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.analysis.bound import ValueColumn
from cepheid.analysis.describe import describe
from cepheid.analysis.expressions import references
from cepheid.analysis.schema import AttributeType
from cepheid.engine.events.event_schema import ARROW_TYPES
from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.predicate_inputs import PredicateInputs
from cepheid.engine.events.take_rows import RowTaker
from cepheid.engine.matches.fold_graph import longest_path
from cepheid.engine.matches.match_chunks import reject_overflow
from cepheid.engine.matches.run_arrays import path_tables
from cepheid.errors import DataError
from cepheid.kernels.graph.build_run_graph import Room, make_room
from cepheid.kernels.graph.match_nodes import MatchArrays
from cepheid.kernels.graph.match_values import compute_values
from cepheid.kernels.predicates.predicate_machine import OVERFLOW, VALID
from cepheid.program.arrow_arrays import texts_to_arrow, to_arrow
from cepheid.program.decimals import decimal_type
from cepheid.program.program import MatchOutput, Program


def value_type(column: ValueColumn, events: pa.Schema) -> pa.DataType:
    """Return the type of a per-match expression.

    A time, and what only stands for itself such as a list, keeps the type of the column it reads.
    """
    known = ARROW_TYPES.get(column.value.type)
    if known is not None:
        return known
    if column.value.type is AttributeType.DECIMAL:
        return decimal_type(column.value, events)
    attribute = next(each.attribute for each in references(column.value) if each.attribute)
    return events.field(attribute).type


def _to_decimals(known: Sequence[Decimal], ranks: pa.Array, kind: pa.DataType) -> pa.Array:
    try:
        return pa.array([None if each is None else known[each] for each in ranks.to_pylist()], kind)
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
        return make_room(longest_path(self.ordered.arrays))

    def for_another_thread(self) -> MatchValues:
        """Return the same with room of its own."""
        other = copy(self)
        other.__dict__.pop("room", None)
        return other

    def column(self, column: ValueColumn, matches: MatchArrays) -> pa.Array:
        """Return one expression's values in some matches."""
        assert isinstance(self.program.output, MatchOutput)
        expressions = [e for e in self.program.output.columns if isinstance(e, ValueColumn)]
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
        return self._of_numbers(column, to_arrow(integers, unknown))

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
