"""Keys of which a step cannot yet say that they have nothing to report.

What a negated part has blocked stays so, whatever else is looked at. So a step looks at few events
of every key first, and at more only of those keys that may still have a match to be reported.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.events.key_hashes import Hashes, key_hashes
from cepheid.engine.events.report_range import ReportRange
from cepheid.engine.matches.find_matches import MatchSearch
from cepheid.engine.matches.match_task import SearchMode
from cepheid.errors import MatchLimitError
from cepheid.program.arrow_arrays import to_arrow
from cepheid.program.program import Program
from cepheid.stream.start_marks import marks_after

Int64s = NDArray[np.int64]


def undecided_keys(
    program: Program,
    events: pa.Table,
    keys: Sequence[str],
    report: ReportRange,
    began_until: int | None = None,
) -> Hashes:
    """Return the keys that have a match to be reported, or a run alive that began until a tick."""
    columns = dict(zip(events.column_names, events.columns, strict=True))
    mode = SearchMode(RankedFolds(), 1, report)
    search = MatchSearch(program, columns, events.num_rows, events.schema, mode)
    ordered = search.task.ordered
    try:
        rows = np.unique(ordered.row[_first_events(search)])
    except MatchLimitError:  # most may be blocked by events that are not looked at yet
        return np.unique(key_hashes(events, keys))
    left = [key_hashes(events.take(to_arrow(rows)), keys)]
    if began_until is not None:
        hashes, since = marks_after(program, ordered, events, keys)
        left.append(hashes[since <= began_until])
    return np.unique(np.concatenate(left))


def _first_events(search: MatchSearch) -> Int64s:
    starts = [np.empty(0, np.int64)]
    for walkable in search.fold(search.task.partitions):
        for found in search.walker.matches(walkable):
            starts.append(np.unique(found.event[found.offsets[:-1]]))
    return np.concatenate(starts)
