"""What predicates over several events read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.predicate_columns import PredicateColumns
from cepheid.engine.events.ticks import to_ticks
from cepheid.kernels.predicates.predicate_machine import ColumnArrays, PredicateCode
from cepheid.program.program import Program
from cepheid.program.run_program import ColumnKind


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
    ticks = ordered.row  # a stand-in of the right length where no predicate reads the clock
    if any(each.kind is ColumnKind.CLOCK for each in program.runs.columns):
        ticks = to_ticks(columns[program.time], program.time)[ordered.row]
    predicates = PredicateColumns(program.runs, columns, ordered.row, ticks, threads)
    return PredicateInputs(
        predicates.arrays(program.type_column),
        predicates.code(),
        predicates.texts,
        predicates.decimals,
        predicates.unit,
    )
