"""Values between the tasks of a distributed run: as columns, and back.

A task adds up what it has of each group. Its rows have the columns that tell rows apart, one struct
with all numbers, and a column for every minimum or maximum. Who combines them collects the structs
of a group, takes the smallest minimum and the largest maximum, and finishes the rows here.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cepheid.kernels.values import NOTHING, ValueRows
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.arrow_arrays import in_one, texts_to_arrow, to_arrow, to_numpy
from cepheid.program.program import Program
from cepheid.runtime.aggregate.columns import extreme_type
from cepheid.runtime.aggregate.group_rows import add_rows
from cepheid.runtime.aggregate.result_table import (
    Finished,
    aggregate_schema,
    finish,
    place_fields,
)
from cepheid.runtime.name_errors import errors_of

NUMBERS, EXACT = "numbers", "exact"


def extreme_name(number: int) -> str:
    """Return the column of a minimum or maximum."""
    return f"extreme_{number}"


def partial_schema(program: Program, output: AggregateOutput, events: pa.Schema) -> pa.Schema:
    """Return the schema of partial rows; columns that tell rows apart are numbered."""
    places = place_fields(program, output, events)
    fields = [pa.field(str(number), each.type) for number, each in enumerate(places)]
    fields.append(pa.field(NUMBERS, _numbers_type(output)))
    for number, each in enumerate(output.minima):
        fields.append(pa.field(extreme_name(number), extreme_type(each, events)))
    return pa.schema(fields)


def _numbers_type(output: AggregateOutput) -> pa.DataType:
    fields = []
    for number in range(len(output.numbers) + 1):
        fields += [
            pa.field(f"mantissa_{number}", pa.float64()),
            pa.field(f"tier_{number}", pa.int64()),
            pa.field(f"low_{number}", pa.int64()),
        ]
    return pa.struct([*fields, pa.field(EXACT, pa.string())])


def to_partial(schema: pa.Schema, rows: Finished) -> pa.Table:
    """Return the rows of one task as columns."""
    values = rows.values
    arrays = []
    for number in range(values.mantissa.shape[1]):
        arrays += [
            to_arrow(np.ascontiguousarray(each[:, number]))
            for each in (values.mantissa, values.tier, values.low)
        ]
    exact = pa.nulls(values.mantissa.shape[0], pa.string())
    if rows.exact is not None:
        exact = texts_to_arrow([str(each) for each in rows.exact])
    fields = list(schema.field(NUMBERS).type)
    numbers = pa.StructArray.from_arrays([*arrays, exact], fields=fields)
    columns = [*rows.places.columns, numbers, *rows.extremes]
    return pa.Table.from_arrays(columns, names=schema.names).cast(schema)


def from_collected(
    program: Program, output: AggregateOutput, events: pa.Schema, collected: pa.Table
) -> pa.Table:
    """Return the result; in every row `numbers` is the list of a group's partial values."""
    fields = place_fields(program, output, events)
    places = collected.select([str(number) for number in range(len(fields))])
    places = places.rename_columns([each.name for each in fields])
    lists = in_one(collected.column(NUMBERS))
    keys = np.repeat(np.arange(len(lists)), to_numpy(lists.value_lengths()))
    parts = [in_one(each) for each in pa.chunked_array([lists.flatten()]).flatten()]
    count = len(output.numbers) + 1
    by_number = [[to_numpy(parts[3 * n + k]) for n in range(count)] for k in range(3)]
    mantissa, tier, low = (np.stack(each, axis=1) for each in by_number)
    none = np.full((keys.size, 0), NOTHING, np.int64)
    values = ValueRows(keys, keys, mantissa, tier, low, none)
    totals = add_rows(values, keys, len(lists), np.zeros(count, np.int64))
    exact = None
    if output.has_exact:
        exact = [0] * len(lists)
        for key, text in zip(keys.tolist(), parts[-1].to_pylist(), strict=True):
            exact[key] += int(text)
    extremes = [collected.column(extreme_name(each)) for each in range(len(output.minima))]
    rows = Finished(places, totals, exact, extremes, np.zeros(len(lists), np.bool_))
    with errors_of(program.name):
        return finish(output, aggregate_schema(program, output, events), rows)
