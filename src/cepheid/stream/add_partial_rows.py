"""Add the partial rows of groups whose partitions lie in several buckets.

All buckets close a window in the same micro-batch, the first whose watermark has passed its end. So
all that a group adds up from is in one micro-batch, and no state is needed to combine it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.engine.trends.partial_table import NUMBERS, extreme_name, from_collected
from cepheid.engine.trends.result_table import place_fields
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.arrow_arrays import in_one, to_arrow, to_numpy
from cepheid.program.program import Program


def group_keys(program: Program, output: AggregateOutput, events: pa.Schema) -> list[str]:
    """Return the columns of partial rows, which have numbers as names, that tell groups apart."""
    return [str(number) for number in range(len(place_fields(program, output, events)))]


def add_partial_rows(
    program: Program, output: AggregateOutput, events: pa.Schema, rows: pa.Table
) -> pa.Table:
    """Return one row per window and group from the partial rows of all buckets."""
    collected = collect(output, group_keys(program, output, events), rows)
    return from_collected(program, output, events, collected)


def collect(output: AggregateOutput, keys: Sequence[str], rows: pa.Table) -> pa.Table:
    """Return a row per group: the list of its numbers, its smallest minima and largest maxima.

    Sums of floats depend on their order, and Spark hands over rows in any: they are sorted, so that
    a micro-batch that is repeated gives the same.
    """
    numbers = in_one(rows.column(NUMBERS))
    parts = {f"{NUMBERS}.{place}": each for place, each in enumerate(numbers.flatten())}
    sortable = pa.table({**{each: rows.column(each) for each in keys}, **parts})
    order = pc.sort_indices(
        sortable, sort_keys=[(name, "ascending") for name in sortable.schema.names]
    )
    rows = rows.take(order)
    first = np.zeros(rows.num_rows, np.bool_)
    first[0] = True
    for each in keys:
        column = in_one(rows.column(each))
        same = pc.equal(column[1:], column[:-1])
        is_none = pc.is_null(column, nan_is_null=True)  # NaN is a key like others
        both_none = pc.and_(is_none[1:], is_none[:-1])
        both_none = pc.and_(both_none, pc.equal(column.is_null()[1:], column.is_null()[:-1]))
        first[1:] |= ~to_numpy(pc.or_(pc.fill_null(same, False), both_none))
    start = np.flatnonzero(first)
    offsets = to_arrow(np.append(start, rows.num_rows).astype(np.int32))
    columns = {each: rows.column(each).take(to_arrow(start)) for each in keys}
    columns[NUMBERS] = pa.ListArray.from_arrays(offsets, in_one(rows.column(NUMBERS)))
    group = np.cumsum(first) - 1
    for number, measure in enumerate(output.minima):
        name = extreme_name(number)
        value = in_one(rows.column(name))
        is_nan = pc.and_(pc.is_null(value, nan_is_null=True), value.is_valid())
        ranked = pa.table({"group": to_arrow(group), "is_nan": is_nan, "value": value})
        # NaN is the largest; the sort would put it behind all numbers, whatever the direction.
        direction = "descending" if measure.is_maximum else "ascending"
        keys_of_best = [("group", "ascending"), ("is_nan", direction), ("value", direction)]
        best = pc.sort_indices(ranked, sort_keys=keys_of_best)
        columns[name] = rows.column(name).take(best.take(to_arrow(start)))
    return pa.table(columns)
