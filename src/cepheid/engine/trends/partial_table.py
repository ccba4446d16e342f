"""Values between the tasks of a distributed run: as columns, and back.

A task adds up what it has of each group. Its rows have the columns that tell rows apart, one struct
with all numbers, and a column for every minimum or maximum. Integers beyond 64 bits are bytes. Who
combines them collects the structs of a group, takes the smallest minimum and the largest maximum,
and finishes the rows here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.process.name_errors import errors_of
from cepheid.engine.trends.columns import extreme_type
from cepheid.engine.trends.groups import add_rows, taken
from cepheid.engine.trends.integer_sums import (
    as_double,
    determined_sums,
    is_determined,
    rounded_sums,
    signed_sums,
)
from cepheid.engine.trends.result_table import Finished, finish, place_fields
from cepheid.kernels.values.value_arrays import NOTHING, ValueRows
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.arrow_arrays import in_one, to_arrow, to_numpy
from cepheid.program.program import Program

NUMBERS, EXACT = "numbers", "exact"
SUM, BOUND = "sum_", "bound_"  # before the number that they are of


def extreme_name(number: int) -> str:
    """Return the column of a minimum or maximum."""
    return f"extreme_{number}"


def partial_schema(program: Program, output: AggregateOutput, events: pa.Schema) -> pa.Schema:
    """Return the schema of partial rows; columns that tell rows apart are numbered."""
    places = place_fields(program, output, events)
    fields = [pa.field(str(number), each.type) for number, each in enumerate(places)]
    fields.append(pa.field(NUMBERS, _numbers_type(output)))
    for number, each in enumerate(output.minima):
        fields.append(pa.field(extreme_name(number), extreme_type(each, output, events)))
    return pa.schema(fields)


def _numbers_type(output: AggregateOutput) -> pa.DataType:
    fields = []
    for number in range(len(output.numbers) + 1):
        fields += [
            pa.field(f"mantissa_{number}", pa.float64()),
            pa.field(f"tier_{number}", pa.int64()),
            pa.field(f"low_{number}", pa.int64()),
        ]
    names = [EXACT, *(f"{SUM}{number}" for number in signed_sums(output))]
    fields += [pa.field(name, pa.binary()) for name in names]
    fields += [pa.field(f"{BOUND}{number}", pa.float64()) for number in rounded_sums(output)]
    return pa.struct(fields)


def to_partial(schema: pa.Schema, rows: Finished) -> pa.Table:
    """Return the rows of one task as columns."""
    values = rows.values
    arrays: list[Any] = []
    for number in range(values.mantissa.shape[1]):
        arrays += [
            to_arrow(np.ascontiguousarray(each[:, number]))
            for each in (values.mantissa, values.tier, values.low)
        ]
    fields = list(schema.field(NUMBERS).type)
    arrays.append(_to_bytes(rows.exact, values))
    for name in (each.name for each in fields[len(arrays) :]):
        if name.startswith(SUM):
            arrays.append(_to_bytes(rows.sums.get(int(name.removeprefix(SUM))), values))
            continue
        bound = rows.bounds.get(int(name.removeprefix(BOUND)))
        arrays.append(pa.nulls(len(arrays[0]), pa.float64()) if bound is None else to_arrow(bound))
    numbers = pa.StructArray.from_arrays(arrays, fields=fields)
    columns = [*rows.places.columns, numbers, *rows.extremes]
    return pa.Table.from_arrays(columns, names=schema.names).cast(schema)


def _to_bytes(integers: Sequence[int] | None, values: ValueRows) -> pa.Array:
    if integers is None:
        return pa.nulls(values.mantissa.shape[0], pa.binary())
    return pa.array(
        [each.to_bytes(each.bit_length() // 8 + 1, "little", signed=True) for each in integers],
        pa.binary(),
    )


def _from_bytes(integers: Any) -> list[int | None]:
    return [
        None if each is None else int.from_bytes(each, "little", signed=True)
        for each in integers.to_pylist()
    ]


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
        for key, each in zip(keys.tolist(), _from_bytes(parts[3 * count]), strict=True):
            assert each is not None
            exact[key] += each
    sums: dict[int, list[int]] = {}
    for place, (number, magnitude) in enumerate(signed_sums(output).items(), 3 * count + 1):
        if not is_determined(as_double(totals, magnitude)).all():
            found = _added(values, number, magnitude, _from_bytes(parts[place]))
            sums |= {} if found is None else {number: found}
    first_bound = len(parts) - len(rounded_sums(output))
    bounds: dict[int, NDArray[np.float64]] = {}
    for number, part in zip(rounded_sums(output), parts[first_bound:], strict=True):
        known = to_numpy(part.fill_null(np.inf))
        bounds[number] = np.zeros(len(lists))
        np.add.at(bounds[number], keys, known)
    extremes = [collected.column(extreme_name(each)) for each in range(len(output.minima))]
    rows = Finished(places, totals, exact, extremes, np.zeros(len(lists), np.bool_), sums, bounds)
    with errors_of(program.name):
        return finish(program, output, events, rows)


def _added(
    values: ValueRows, number: int, magnitude: int, known: Sequence[int | None]
) -> list[int] | None:
    """Return the sum per owner; None if a part of one is not known."""
    total = [0] * (int(values.owner.max()) + 1)
    is_known = is_determined(as_double(values, magnitude))
    parts = taken(values, np.flatnonzero(is_known))
    determined = iter(determined_sums(parts, number))
    for owner, whole, each in zip(values.owner.tolist(), known, is_known.tolist(), strict=True):
        part = next(determined) if each else whole
        if part is None:
            return None
        total[owner] += part
    return total
