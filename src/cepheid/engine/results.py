"""The form of a result: final rows, or rows of groups that others add to."""

from __future__ import annotations

import pyarrow as pa

from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.fold import Folding
from cepheid.engine.trends.aggregation import Aggregation
from cepheid.engine.trends.partial_table import partial_schema, to_partial
from cepheid.engine.trends.trend_events import TrendEvents


def aggregated(
    events: TrendEvents,
    schema: pa.Schema,
    folding: Folding | None = None,
    *,
    partially: bool = False,
) -> pa.Table:
    """Return the aggregates of events; with `partially` rows of groups that others add to.

    `schema` has the types of group attributes.
    """
    aggregation = Aggregation(events, folding or RankedFolds())
    if not partially:
        return aggregation.table(schema)
    rows = aggregation.finished(schema)
    return to_partial(partial_schema(events.program, events.output, schema), rows)
