"""The order keys of matches that become events of another query, as columns of the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from cepheid.analysis.derived_types import StreamTime
from cepheid.engine.events.ticks import from_ticks, to_ticks, window_type
from cepheid.program.arrow_arrays import take
from cepheid.program.program import Program

KEY_TIME = "__key_time"


def key_order(name: str) -> str:
    """Return the column of the result that holds an order column of the key."""
    return f"__key_order_{name}"


def key_fields(program: Program, when: StreamTime, events: pa.Schema) -> list[pa.Field]:
    """Return the fields that `key_columns` fills."""
    time = events.field(program.time).type
    fields = [pa.field(KEY_TIME, window_type(time) if when is StreamTime.SPAN_END else time)]
    return fields + [pa.field(key_order(each), events.field(each).type) for each in program.order]


def key_columns(
    program: Program, when: StreamTime, columns: Mapping[str, Any], first: pa.Array, last: pa.Array
) -> list[Any]:
    """Return the order keys of matches with these first and last rows.

    The time is that of the last event. With an end negation it is the last tick that could have
    spoilt the match, and there is no event at it whose order columns could be taken.
    """
    times = columns[program.time]
    if when is StreamTime.LAST_EVENT:
        return [take(times, last), *(take(columns[each], last) for each in program.order)]
    ticks = to_ticks(times.take(first), program.time) + (program.window_length or 0) - 1
    unknown = [pa.nulls(len(first), columns[each].type) for each in program.order]
    return [from_ticks(ticks, times.type), *unknown]
