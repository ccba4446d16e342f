"""Which positions every event fits, as bit masks: types and local predicates before the kernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.errors import DataError
from cepheid.program.arrow_arrays import (
    look_up,
    texts_to_arrow,
    to_arrow,
    to_numpy,
    to_scalar,
)
from cepheid.program.checked_columns import MARK
from cepheid.program.evaluate import OVERFLOW_HINT, Booleans, LocalPredicates, to_booleans
from cepheid.program.position_automaton import PositionTest
from cepheid.program.program import Program

Int64s = NDArray[np.int64]
Masks = NDArray[np.uint64]
Codes = NDArray[np.uint8] | NDArray[np.uint16]


def position_masks(program: Program, columns: Mapping[str, Any], length: int) -> list[Masks]:
    """Return a mask an event; bit q is set if the event fits position q.

    The first array is for the pattern, the others are for its negated parts and for what the
    second side of AND has.
    """
    return masks_of_types(program, columns, EventTypes(program, columns, length))


def masks_of_types(program: Program, columns: Mapping[str, Any], types: EventTypes) -> list[Masks]:
    """Return the masks of events whose types are known."""
    predicates = LocalPredicates(columns, types.length)
    return [_masks(tests, types, predicates) for tests in program.test_groups]


class EventTypes:
    """The type of every event as a number; 0 stands for types that the program does not name.

    Without a type column the program tests no types: its events are of the one that it names, or
    types are conditions like others (`every_type.py`). So every event is taken for every type.
    """

    def __init__(self, program: Program, columns: Mapping[str, Any], length: int) -> None:
        self.names = sorted(program.types)
        self.length = length
        self.codes: Codes | None = None
        if program.type_column is not None:
            self.codes = type_codes(columns[program.type_column], self.names)

    def at(self, rows: Int64s) -> EventTypes:
        """Return the types of some events."""
        types = EventTypes.__new__(EventTypes)
        types.names, types.length = self.names, rows.size
        types.codes = None if self.codes is None else look_up(self.codes, to_arrow(rows))
        return types

    def masks(self, types_by_position: Sequence[tuple[str, ...]]) -> Masks:
        """Return the positions that every event fits by its type: one look-up an event."""
        table = np.zeros(len(self.names) + 1, np.uint64)
        for position, types in enumerate(types_by_position):
            for name in types:
                table[self.names.index(name) + 1] |= np.uint64(1) << np.uint64(position)
        if self.codes is None:
            return np.full(self.length, np.bitwise_or.reduce(table), np.uint64)
        return look_up(table, to_arrow(self.codes))

    def is_type(self, name: str) -> Booleans:
        """Return which events are of a type."""
        if self.codes is None:
            return np.ones(self.length, np.bool_)
        result: Booleans = self.codes == self.names.index(name) + 1
        return result


class TakenColumns(Mapping[str, Any]):
    """Some rows of columns, or all, taken when a column is read first."""

    def __init__(self, columns: Mapping[str, Any], rows: Int64s | None) -> None:
        self.columns = columns
        self.rows = rows
        self.taken: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self.taken:
            column = self.columns[name]
            self.taken[name] = column if self.rows is None else column.take(to_arrow(self.rows))
        return self.taken[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


def _masks(tests: Sequence[PositionTest], types: EventTypes, predicates: LocalPredicates) -> Masks:
    masks = types.masks([test.types for test in tests])
    for position, test in enumerate(tests):
        if test.condition is not None:
            exempt: dict[str, Booleans] = {}
            for event_type, attribute in test.exempt:
                lacking = exempt.get(attribute, np.zeros(types.length, np.bool_))
                exempt[attribute] = lacking | types.is_type(event_type)
            fails = ~predicates.holds(test.condition, exempt)
            bits = np.uint64(1) << np.uint64(position)
            reject_overflows(test.checked_first, predicates, (masks & bits) != 0)
            masks &= ~(fails.astype(np.uint64) << np.uint64(position))
    for position, test in enumerate(tests):
        if test.checked:
            fits = (masks & (np.uint64(1) << np.uint64(position))) != 0
            reject_overflows(test.checked, predicates, fits)
    return masks


def reject_overflows(
    checked: Sequence[str], predicates: LocalPredicates, events: Booleans | None = None
) -> None:
    """Raise the error for whole numbers that left 64 bits in what is computed of events."""
    for name in checked:
        left = to_booleans(predicates.columns[name], predicates.length)
        if (left if events is None else left & events).any():
            computed = name.removeprefix(MARK).replace("@.", "")
            raise DataError(f"a whole number in '{computed}' leaves 64 bits", hint=OVERFLOW_HINT)


def type_codes(column: Any, names: list[str]) -> Codes:
    """Return the place of every event's type among the names, from 1."""
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    dtype = np.uint8 if len(names) < 2**8 else np.uint16
    codes = [_codes_of_chunk(chunk, names, dtype) for chunk in chunks]
    return codes[0] if len(codes) == 1 else np.concatenate([np.empty(0, dtype), *codes])


def _codes_of_chunk(chunk: Any, names: list[str], dtype: type[np.unsignedinteger[Any]]) -> Any:
    if pa.types.is_dictionary(chunk.type):
        by_entry = np.append(_codes_of_chunk(chunk.dictionary, names, dtype), dtype(0))
        indices = chunk.indices
        if chunk.null_count:  # the 0 at the end
            indices = pc.fill_null(pc.cast(indices, pa.int64()), to_scalar(len(by_entry) - 1))
        return look_up(by_entry, indices)
    found = pc.index_in(chunk, texts_to_arrow(names, chunk.type))
    return (to_numpy(pc.fill_null(found, to_scalar(-1, found.type))) + 1).astype(dtype)
