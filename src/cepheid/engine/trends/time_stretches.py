"""Aggregates without a window of many events that come in order: a stretch of them at a time.

Every stretch becomes a matrix for each partition, as a range of time does that another task folds;
in the end these are multiplied. So what is made of events beside their columns is as large as a
stretch, however long the stream is. Events that do not come in order are folded all at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from cepheid.engine.events.scan import Scan
from cepheid.engine.events.ticks import to_ticks
from cepheid.engine.process.threads import stop_if_unwanted
from cepheid.engine.trends.integer_sums import as_double, is_determined, signed_sums
from cepheid.engine.trends.min_max_keys import has_own_keys
from cepheid.engine.trends.range_table import compose, events_of_range, range_rows
from cepheid.engine.trends.result_table import Finished
from cepheid.errors import DataError
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Program, Ranking

LEAST_ROWS = 1 << 19  # of which what is made of them takes some 60 MB
STRETCH = 1 << 16
MOST_PARTITIONS = 256  # in a stretch: each has a matrix
NAME = "matrices of stretches"


class Folded(NamedTuple):
    """The values of groups, from how many events; and how many belong to no partition."""

    rows: Finished
    events: int
    dropped: int
    partitions: int


def can_be_ranges(program: Program, events: pa.Schema) -> bool:
    """Whether matrices of ranges can be put together; see `plan/rules/choose_parallelism.py`."""
    output = program.output
    if not isinstance(output, AggregateOutput):
        return False
    if program.slots is None or program.pair is not None or output.has_exact:
        return False
    if program.ranking is Ranking.STREAM and program.partition_by:
        return False
    return all(has_own_keys(events.field(each.attribute).type) for each in output.minima)


def in_stretches(
    program: Program,
    output: AggregateOutput,
    columns: Mapping[str, Any],
    length: int,
    schema: pa.Schema,
) -> Folded | None:
    """Return the values of all groups; None if the events are to be folded all at once.

    Counts alone are, as that takes little room. So are sums that cancel, whose digits take several
    passes.
    """
    slots = program.slots
    asks_more = bool(output.numbers or output.minima)
    if length < LEAST_ROWS or not asks_more or program.window_length is not None:
        return None
    if isinstance(columns, Scan) or not can_be_ranges(program, schema) or slots is None:
        return None
    found, size, dropped, partitions = [], 0, 0, 0
    own = replace(program, cuts_time=True)
    try:
        for events in _stretches(program, columns, length):
            stop_if_unwanted()
            given = events_of_range(own, output, events)
            found.append(range_rows(given, slots, events.schema))
            if found[-1].num_rows > MOST_PARTITIONS:
                return None
            size, dropped = size + given.ordered.row.size, dropped + given.dropped
            partitions = max(partitions, found[-1].num_rows)
        rows = compose(program, slots, output, schema, pa.concat_tables(found))
    except (DataError, _OutOfOrderError):
        return None  # a fold of all events says it, with the row
    signed = signed_sums(output).values()
    if not all(is_determined(as_double(rows.values, each)).all() for each in signed):
        return None
    return Folded(rows, size, dropped, partitions)


class _OutOfOrderError(Exception):
    """Events do not come in the order of time."""


def _stretches(program: Program, columns: Mapping[str, Any], length: int) -> Iterator[pa.Table]:
    """Yield the events in parts of which each is later than those before it."""
    begin, latest = 0, None
    while begin < length:
        times = columns[program.time].slice(begin, STRETCH + 1)
        ticks = to_ticks(times, program.time)
        size = ticks.size
        if size > STRETCH:  # a step is not cut
            size = int(np.searchsorted(ticks[:STRETCH], ticks[STRETCH]))
        own = ticks[:size]
        if not size or (latest is not None and own.min() <= latest):
            raise _OutOfOrderError
        latest = own.max()
        yield pa.table({name: each.slice(begin, size) for name, each in columns.items()})
        begin += size
