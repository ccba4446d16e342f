"""Run an aggregate query on one table: the best fold, sums per group, columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.fold import Folding
from cepheid.engine.trends.columns import extreme_type
from cepheid.engine.trends.exact import exact_counts, exact_sums, residues, sum_residues
from cepheid.engine.trends.groups import GroupRows, add_groups, add_rows
from cepheid.engine.trends.integer_sums import (
    Bounds,
    as_double,
    bounds_by_largest,
    is_determined,
    largest_sizes,
    rounded_sums,
    signed_sums,
)
from cepheid.engine.trends.match_measures import keys_of_matches
from cepheid.engine.trends.partial_table import partial_schema, to_partial
from cepheid.engine.trends.result_table import Finished, PlaceColumns, finish
from cepheid.engine.trends.trend_events import TrendEvents
from cepheid.engine.trends.trend_task import TrendTask
from cepheid.engine.trends.trends import Trends, residues_of, trends_of
from cepheid.engine.trends.windows.result_times import Moments
from cepheid.kernels.values.value_arrays import Measures, ValueRows

Int64s = NDArray[np.int64]


@dataclass(frozen=True)
class Aggregation:
    """The aggregation of events: by the folds that rank first."""

    events: TrendEvents
    folding: Folding

    def table(self, schema: pa.Schema, *, partially: bool = False) -> pa.Table:
        """Return one row per group and window; `schema` has the types of group attributes.

        With `partially` they are rows of groups that others add to.
        """
        program, output = self.events.program, self.events.output
        rows = self.finished(schema)
        with self.folding.record.stage("columns"):
            if partially:
                return to_partial(partial_schema(program, output, schema), rows)
            return finish(program, output, schema, rows)

    def finished(self, schema: pa.Schema) -> Finished:
        """Return everything that the columns of the result are made of."""
        events, program, output = self.events, self.events.program, self.events.output
        groups = self._own_groups()
        exact = None
        if output.has_exact:
            exact = exact_counts(groups.values, lambda primes: self._residues(primes).values)
        sums = {
            number: self._exact_sums(groups.values, number, magnitude)
            for number, magnitude in signed_sums(output).items()
            if program.pair is None and not is_determined(as_double(groups.values, magnitude)).all()
        }
        bounds: Bounds = {}
        if rounded_sums(output):
            bounds = bounds_by_largest(groups.values, output, self._largest_sizes())
        places = PlaceColumns(program, output, events.columns, schema)
        extremes = []
        for number, measure in enumerate(output.minima):
            sortable = events.measures.sortables[number]
            if measure.is_of_match:
                sortable = keys_of_matches(extreme_type(measure, output, schema), measure)
            extremes.append(sortable.values(groups.values.least[:, number]))
        return Finished(
            places.table(groups), groups.values, exact, extremes, groups.is_expiry, sums, bounds
        )

    def _largest_sizes(self) -> list[float]:
        return largest_sizes(self.events.output, self.events.measures)

    def _own_groups(self) -> GroupRows:
        """Return the values of what the query asks for."""
        trends = replace(trends_of(self.events.program), is_step=self.events.report is not None)
        return self.groups(self._measures, trends)

    def _measures(self) -> Measures:
        return self.events.measures.arrays()

    def _residues(self, primes: Sequence[int]) -> GroupRows:
        """Return the same rows with counts modulo primes as their numbers."""
        return self._modular(residues(primes, self.events.ordered.row.size))

    def _exact_sums(self, values: ValueRows, number: int, magnitude: int) -> list[int]:
        measures = self.events.measures.arrays()
        return exact_sums(
            values,
            magnitude,
            lambda primes: self._modular(sum_residues(primes, measures, number)).values,
        )

    def _modular(self, measures: Measures) -> GroupRows:
        numbers, is_step = measures.moduli.size - 1, self.events.report is not None
        trends = residues_of(self.events.program, numbers, is_step=is_step)
        return self.groups(lambda: measures, trends)

    def groups(self, make_measures: Callable[[], Measures], trends: Trends) -> GroupRows:
        """Return the values per group and window, or per moment."""
        events = self.events
        rows: ValueRows = self.folding.fold(TrendTask(trends, events, make_measures, self.folding))
        self.folding.record.count("values of partitions and windows", rows.owner.size)
        moduli = np.zeros(trends.numbers + 1, np.int64)
        if trends.is_modular:
            moduli = make_measures().moduli
        with self.folding.record.stage("columns"):
            if events.moments is not None:
                return self._by_moment(rows, events.moments, moduli)
            group, row = events.group_of_partition[rows.owner], events.partition_row[rows.owner]
            return add_groups(rows, group, row, moduli)

    def _by_moment(self, rows: ValueRows, moments: Moments, moduli: Int64s) -> GroupRows:
        """Return a row for every moment."""
        count, values = moments.group.size, rows
        if rows.window.size != count or (rows.window != np.arange(count)).any():
            values = add_rows(rows, rows.window, count, moduli)
        return GroupRows(self.events.ordered.row[moments.event], values, moments.is_expiry)
