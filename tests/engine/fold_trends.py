"""Add up the trends of ordered events, by a fold of one's choice."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.trends.folds.folded_pair import SideEvents
from cepheid.engine.trends.trend_task import TrendTask
from cepheid.engine.trends.trends import Trends
from cepheid.kernels.values.value_arrays import Measures, ValueRows
from cepheid.program.program import Program


def fold_trends(
    program: Program,
    ordered: OrderedEvents,
    measures: Measures,
    *,
    columns: Mapping[str, Any] | None = None,
    folds: Sequence[str] = (),
) -> ValueRows:
    """Return a row for every partition or window; `folds` come first where they can fold."""
    group = np.zeros(ordered.row.size, np.int64)
    events = SideEvents(columns or {}, ordered.row.size, 1, ordered, group, None, None)
    trends = Trends(
        program,
        measures.moduli.size - 1,
        measures.least_positions.size,
        is_modular=bool(measures.moduli.any()),
        is_own=False,
    )
    folding = RankedFolds(folds)
    return folding.fold(TrendTask(trends, events, lambda: measures, folding))
