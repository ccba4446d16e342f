"""Folded rows of several queries to a table for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.kernels.values import ValueRows
from cepheid.program.aggregate_output import AggregateOutput, MinimumMeasure
from cepheid.program.position_masks import TakenColumns
from cepheid.program.program import Program
from cepheid.program.sharing.merge_programs import EVERYWHERE
from cepheid.runtime.aggregate.group_rows import add_groups
from cepheid.runtime.aggregate.measures import EventMeasures
from cepheid.runtime.aggregate.result_table import (
    Finished,
    PlaceColumns,
    aggregate_schema,
    finish,
)
from cepheid.runtime.order_events import OrderedEvents
from cepheid.runtime.partition_codes import partition_codes

Int64s = NDArray[np.int64]


class SetResults:
    """Makes results of folded rows; queries have the attributes of partitions in common."""

    def __init__(
        self,
        columns: Mapping[str, Any],
        ordered: OrderedEvents,
        schema: pa.Schema,
        measures: EventMeasures,
    ) -> None:
        arrays = ordered.arrays
        firsts = ordered.row[arrays.step_offsets[arrays.partition_offsets[:-1]]]
        self.columns = TakenColumns(columns, firsts)
        self.partitions = firsts.size
        self.schema = schema
        self.measures = measures
        self.groups: dict[tuple[str, ...], Int64s] = {}

    def table(self, program: Program, rows: ValueRows) -> pa.Table:
        """Return a row for every group and window of a query."""
        output = program.output
        assert isinstance(output, AggregateOutput)
        moduli = np.zeros(rows.mantissa.shape[1], np.int64)
        group = self._group_of_partition(output)[rows.owner]
        groups = add_groups(rows, group, rows.owner, moduli)
        extremes = [
            self._sortable(each).values(groups.values.least[:, number])
            for number, each in enumerate(output.minima)
        ]
        places = PlaceColumns(program, output, self.columns, self.schema).table(groups)
        finished = Finished(places, groups.values, None, extremes, groups.is_expiry)
        return finish(output, aggregate_schema(program, output, self.schema), finished)

    def _group_of_partition(self, output: AggregateOutput) -> Int64s:
        attributes = tuple(column for column, _ in output.groups)
        if attributes not in self.groups:
            codes = partition_codes(self.columns, attributes, self.partitions).code
            self.groups[attributes] = codes
        return self.groups[attributes]

    def _sortable(self, measure: MinimumMeasure) -> Any:
        wanted = MinimumMeasure(measure.attribute, measure.is_maximum, EVERYWHERE)
        return self.measures.sortables[self.measures.output.minima.index(wanted)]
