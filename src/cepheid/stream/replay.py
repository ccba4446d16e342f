"""Run the settled events of a stream again; only what became final is reported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.events.report_range import Settled
from cepheid.engine.matches.find_matches import find_matches
from cepheid.engine.matches.forms.compressed import GRAPHS, compress_matches, graphs_of
from cepheid.engine.matches.match_pairs import find_pairs
from cepheid.engine.matches.match_task import SearchMode
from cepheid.engine.results import aggregated
from cepheid.engine.run import result_schema
from cepheid.engine.trends.partial_table import partial_schema
from cepheid.engine.trends.trend_events import TrendEvents
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import MatchOutput, Program


class Replayed(NamedTuple):
    """Results, and what they leave behind.

    `taken` has the rows of events at which matches end that NON OVERLAPPING took, `panes` the
    matrices of windows that are still open; None if none was closed.
    """

    result: pa.Table
    taken: NDArray[np.int64]
    panes: pa.Table | None = None


def empty_result(program: Program, schema: pa.Schema, *, partially: bool) -> pa.Table:
    """Return no results, in the columns that results have."""
    output = program.output
    if isinstance(output, MatchOutput) and output.is_compressed:
        return GRAPHS.empty_table()
    if isinstance(output, AggregateOutput) and partially:
        return partial_schema(program, output, schema).empty_table()
    return result_schema(program, schema).empty_table()


def replay(
    program: Program,
    events: pa.Table,
    schema: pa.Schema,
    settled: Settled,
    *,
    partially: bool,
    columns: Mapping[str, Any] | None = None,
) -> Replayed:
    """Return what became final. `schema` is that of the events without hidden columns.

    `columns` are those of the events, if their order is found for several programs at once.
    """
    output, none = program.output, np.empty(0, np.int64)
    mode = SearchMode(RankedFolds(), 1, settled)
    if columns is None:
        columns = dict(zip(events.column_names, events.columns, strict=True))
    if isinstance(output, AggregateOutput):
        given = TrendEvents(program, output, columns, events.num_rows, 1, settled)
        return Replayed(aggregated(given, schema, partially=partially), none)
    if output.is_compressed:
        matches, _ = compress_matches(program, output, events, schema, mode, columns)
        # A graph may have ends, and yet no match: negations, or starts reported before.
        is_empty = matches.is_empty or matches.first(1).num_rows == 0
        return Replayed(GRAPHS.empty_table() if is_empty else graphs_of(matches), none)
    if program.pair is not None:
        found = find_pairs(program, program.pair, events, schema, mode, columns)
    else:
        found = find_matches(program, columns, events.num_rows, schema, mode)
    return Replayed(found.table, found.taken)
