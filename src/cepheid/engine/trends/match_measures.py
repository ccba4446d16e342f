"""What whole matches contribute to sums and minima: `MAX(b.time - a.time)`."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from cepheid.engine.matches.match_rows import MatchRows
from cepheid.engine.matches.match_task import MatchTask
from cepheid.engine.matches.walk_matches import MatchLimit
from cepheid.engine.trends.measures import EventMeasures
from cepheid.engine.trends.min_max_keys import Sortable
from cepheid.errors import DataError
from cepheid.kernels.graph.aggregate_matches import OwnMeasures
from cepheid.kernels.graph.match_nodes import MatchArrays
from cepheid.program.aggregate_output import AggregateOutput, MinimumMeasure
from cepheid.program.program import MatchOutput, Program


class MatchMeasures:
    """Computes what matches give as columns of a match query, and adds it up like an attribute."""

    def __init__(self, task: MatchTask, output: AggregateOutput) -> None:
        shown = MatchOutput(output.of_matches, output.positions_by_variable, False)
        self.program: Program = replace(task.program, output=shown)
        self.task = task
        self.numbers = [each for each in output.numbers if each.is_of_match]
        self.minima = [each for each in output.minima if each.is_of_match]
        self.places = np.array([1 + output.numbers.index(e) for e in self.numbers], np.int64)
        self.least_places = np.array([output.minima.index(e) for e in self.minima], np.int64)

    @cached_property
    def as_of_events(self) -> AggregateOutput:
        """The measures, as if matches were events and what they give attributes."""
        numbers = tuple(replace(each, is_of_match=False) for each in self.numbers)
        minima = tuple(replace(each, is_of_match=False) for each in self.minima)
        return AggregateOutput((), numbers, minima, (), ())

    @cached_property
    def rows(self) -> MatchRows:
        """What computes the columns."""
        task, columns = self.task, self.task.columns
        schema = pa.schema(
            [(name, columns[name].type) for name in sorted(self.program.value_columns)]
        )
        assert isinstance(self.program.output, MatchOutput)
        return MatchRows(
            self.program, self.program.output, task.ordered, task.predicates, columns, schema
        )

    @cached_property
    def limit(self) -> MatchLimit:
        """What counts the matches: no more are gone through than may be listed."""
        return MatchLimit(self.program, self.task.ordered, self.task.columns)

    def contributions(self, matches: MatchArrays) -> OwnMeasures:
        """Return what some matches contribute."""
        batch = self.rows.batch(matches)
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        found = EventMeasures(self.as_of_events, columns, np.arange(batch.num_rows))
        if any(each.is_ranked for each in found.sortables):
            raise DataError(
                "MIN of 2^63 - 2, or MAX of 1 - 2^63 or 2 - 2^63, cannot be found match by match",
                hint="cast the expression to DOUBLE",
            )
        measures = found.arrays()
        return OwnMeasures(
            self.places,
            measures.mantissa[1:],
            measures.tier[1:],
            measures.low[1:],
            self.least_places,
            measures.least,
        )


def keys_of_matches(kind: pa.DataType, measure: MinimumMeasure) -> Sortable:
    """Return what gives the values of such a minimum back, given their type."""
    return Sortable(pa.nulls(0, kind), is_maximum=measure.is_maximum)
