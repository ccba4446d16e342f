"""Events that belong to several partitions, once for each: see `analysis/key_copies.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.analysis.key_copies import KeyCopies, KeySlot
from cepheid.program.arrow_arrays import in_one, to_arrow, to_numpy, to_scalar

Booleans = NDArray[np.bool_]
ROW = "__cepheid_row"
WIDE_INTEGERS = pa.decimal128(20, 0)


def with_copies(table: pa.Table, copies: KeyCopies | None, *, keeps_all: bool = False) -> pa.Table:
    """Return the copies of events, with the columns of their keys; in the order of the events.

    `keeps_all`: events of no partition are there too, once, without a key. Events that have keys
    are copies already.
    """
    if copies is None or copies.names[0] in table.column_names:
        return table
    table = _with_coded_types(table, copies.type_column)
    keys = [_one_type([_plain(table[each.attributes[number]]) for each in copies.slots])
            for number in range(len(copies.names))]  # fmt: skip
    has_copy = np.stack(_slots_of_events(table, copies, keys), axis=1)
    without: Booleans = np.zeros(table.num_rows, np.bool_)
    if keeps_all:
        without = np.logical_not(np.logical_or.reduce(has_copy, axis=1))
    if without.any():
        has_copy[without, 0] = True
    rows, slots = np.divmod(np.flatnonzero(has_copy.ravel()), len(copies.slots))
    copied = table.take(to_arrow(rows))
    places = to_arrow(slots * table.num_rows + rows, without[rows] if without.any() else None)
    for name, values in zip(copies.names, keys, strict=True):
        copied = copied.append_column(name, pa.concat_arrays(values).take(places))
    return copied


def without_copies(
    table: pa.Table, copies: KeyCopies | None, fits: Callable[[pa.Table], Booleans]
) -> pa.Table:
    """Return events of which copies are given that all fit, wherever their other copies are.

    Of an event stays the first copy that fits, without its keys.
    """
    if copies is None or not table.num_rows:
        return table
    events = table.drop_columns(list(copies.names))
    numbered = events.append_column(ROW, to_arrow(np.arange(table.num_rows)))
    every = with_copies(numbered, copies)
    fitting = every.filter(to_arrow(fits(every)))
    _, places = np.unique(to_numpy(fitting[ROW]), return_index=True)
    first = fitting.take(to_arrow(places))
    same = [_are_same(in_one(table[each]), in_one(first[each])) for each in copies.names]
    return events.filter(to_arrow(np.logical_and.reduce(same)))


def copies_schema(events: pa.Schema, copies: KeyCopies | None) -> pa.Schema:
    """Return the schema of copies of events."""
    return with_copies(events.empty_table(), copies).schema


def _slots_of_events(
    table: pa.Table, copies: KeyCopies, keys: list[list[pa.Array]]
) -> list[Booleans]:
    """Return for every slot which events have a copy for it, and no equal one for another."""
    found: list[Booleans] = []
    for number, slot in enumerate(copies.slots):
        is_new = _has_type(table, copies.type_column, slot)
        for slots in keys:
            is_new &= to_numpy(slots[number].is_valid())
        for earlier, has_other in enumerate(found):
            same = [_are_same(slots[earlier], slots[number]) for slots in keys]
            is_new &= ~(has_other & np.logical_and.reduce(same))
        found.append(is_new)
    return found


def _with_coded_types(table: pa.Table, type_column: str | None) -> pa.Table:
    """Return events whose types are codes: texts would take longer to copy than all the rest."""
    if type_column is None:
        return table
    types = table[type_column]
    if pa.types.is_dictionary(types.type):
        types = types.unify_dictionaries()
    else:
        types = pc.dictionary_encode(types)
    place = table.column_names.index(type_column)
    return table.set_column(place, type_column, in_one(types))


def _has_type(table: pa.Table, type_column: str | None, slot: KeySlot) -> Booleans:
    if type_column is None or slot.types is None:
        return np.ones(table.num_rows, np.bool_)
    types = in_one(table[type_column])
    names = types.dictionary.to_pylist()
    is_named = np.array([*(each in slot.types for each in names), False])
    codes = pc.fill_null(pc.cast(types.indices, pa.int64()), to_scalar(len(names)))
    found: Booleans = is_named[to_numpy(codes)]
    return found


def _are_same(left: pa.Array, right: pa.Array) -> Booleans:
    """Return whether two keys name one partition; all NaN are one."""
    same = pc.fill_null(pc.equal(left, right), False)
    if pa.types.is_floating(left.type):
        are_nan = pc.and_(pc.is_nan(left), pc.is_nan(right))
        same = pc.or_(same, pc.fill_null(are_nan, False))
    found: Booleans = to_numpy(same)
    return found


def _plain(column: Any) -> pa.Array:
    """Return a column in one piece, not encoded."""
    array = in_one(column)
    if pa.types.is_dictionary(array.type):
        return pc.cast(array, array.type.value_type)
    return pc.cast(array, pa.string()) if pa.types.is_string_view(array.type) else array


def _one_type(slots: list[pa.Array]) -> list[pa.Array]:
    """Return arrays of the same kind of values with a type that holds those of all."""
    types = list(dict.fromkeys(each.type for each in slots))
    if len(types) == 1:
        return slots
    is_wide = pa.uint64() in types and any(map(pa.types.is_signed_integer, types))
    schemas = [pa.schema([("key", each)]) for each in types]
    united = pa.unify_schemas(schemas, promote_options="permissive").field("key").type
    return [pc.cast(each, WIDE_INTEGERS if is_wide else united) for each in slots]
