"""Folded rows of several queries to a table for each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.partition_codes import partition_codes
from cepheid.engine.process.name_errors import errors_of
from cepheid.engine.trends.groups import add_groups
from cepheid.engine.trends.integer_sums import bounds_by_largest, largest_sizes
from cepheid.engine.trends.measures import EventMeasures
from cepheid.engine.trends.partial_table import partial_schema, to_partial
from cepheid.engine.trends.result_table import Finished, PlaceColumns, finish
from cepheid.engine.trends.value_rows import joined_rows
from cepheid.errors import DataError
from cepheid.kernels.values.value_arrays import ValueRows
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.position_masks import TakenColumns
from cepheid.program.program import Program

Int64s = NDArray[np.int64]
FinishedQuery = tuple[Program, AggregateOutput, Finished]


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

    def tables(
        self,
        programs: Sequence[Program],
        rows: Sequence[ValueRows],
        partially: Collection[int] = (),
    ) -> list[pa.Table]:
        """Return the result of every query; those with the same columns are made at once.

        Those in `partially` have rows of groups that others add to.
        """
        alike: dict[tuple[object, bool], list[int]] = {}
        for place, program in enumerate(programs):
            key = _form(program, place), place in partially
            alike.setdefault(key, []).append(place)
        found: dict[int, pa.Table] = {}
        for (_, is_partial), places in alike.items():
            of_alike = [rows[place] for place in places]
            made = self._of_alike(
                [programs[place] for place in places], of_alike, partially=is_partial
            )
            found |= zip(places, made, strict=True)
        return [found[place] for place in range(len(programs))]

    def _of_alike(
        self, programs: Sequence[Program], rows: Sequence[ValueRows], *, partially: bool
    ) -> list[pa.Table]:
        """Return a row for every group and window of queries that differ in nothing else."""
        if len(rows) > 1:
            try:
                return self._at_once(programs[0], rows, partially=partially)
            except DataError:  # one by one, it can be told whose it is
                pass
        found = []
        for program, own in zip(programs, rows, strict=True):
            finished, _ = self._finished(program, own, own.owner)
            found.append(_table(finished, self.schema, partially=partially))
        return found

    def _at_once(
        self, program: Program, rows: Sequence[ValueRows], *, partially: bool
    ) -> list[pa.Table]:
        query = np.repeat(np.arange(len(rows)), [each.owner.size for each in rows])
        every = joined_rows(list(rows))
        finished, row = self._finished(program, every, query * self.partitions + every.owner)
        table = _table(finished, self.schema, partially=partially)
        ends = np.searchsorted(row, np.arange(len(rows) + 1) * self.partitions).tolist()
        return [table.slice(begin, end - begin) for begin, end in pairwise(ends)]

    def _finished(
        self, program: Program, rows: ValueRows, row: Int64s
    ) -> tuple[FinishedQuery, Int64s]:
        """Return what a row for every group and window is made of, and which of `row` it is from.

        `row` is the partition plus the number of partitions for every query before.
        """
        output = program.output
        assert isinstance(output, AggregateOutput)
        moduli = np.zeros(rows.mantissa.shape[1], np.int64)
        codes = self._group_of_partition(output)
        group = codes[rows.owner] + row // self.partitions * (codes.max(initial=0) + 1)
        groups = add_groups(rows, group, row, moduli)
        extremes = [
            self.measures.sortable(each).values(groups.values.least[:, number])
            for number, each in enumerate(output.minima)
        ]
        owned = replace(groups, row=groups.row % self.partitions)
        places = PlaceColumns(program, output, self.columns, self.schema).table(owned)
        largest = largest_sizes(output, self.measures)
        bounds = bounds_by_largest(groups.values, output, largest)
        finished = Finished(places, groups.values, None, extremes, groups.is_expiry, bounds=bounds)
        return (program, output, finished), groups.row

    def _group_of_partition(self, output: AggregateOutput) -> Int64s:
        attributes = tuple(column for column, _ in output.groups)
        if attributes not in self.groups:
            codes = partition_codes(self.columns, attributes, self.partitions).code
            self.groups[attributes] = codes
        return self.groups[attributes]


def _table(finished: FinishedQuery, schema: pa.Schema, *, partially: bool) -> pa.Table:
    """Return the result of a query; with `partially` rows of groups that others add to."""
    program, output, rows = finished
    with errors_of(program.name):
        if partially:
            return to_partial(partial_schema(program, output, schema), rows)
        return finish(program, output, schema, rows)


def _form(program: Program, place: int) -> object:
    """Return what tables depend on beside their rows; HAVING leaves out rows, so it is alone."""
    output = program.output
    assert isinstance(output, AggregateOutput)
    if output.having is not None:
        return place
    numbers = tuple(replace(each, positions=0) for each in output.numbers)
    minima = tuple(replace(each, positions=0) for each in output.minima)
    shown = replace(output, numbers=numbers, minima=minima)
    return shown, program.time, program.clock, program.window_length, program.slide
