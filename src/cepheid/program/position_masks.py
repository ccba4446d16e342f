"""Which positions every event fits, as bit masks: types and local predicates before the kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.program.evaluate import Booleans, LocalPredicates
from cepheid.program.position_automaton import PositionTest
from cepheid.program.program import Program


class EventTypes:
    """The type of every event as a number; 0 stands for types that the program does not name.

    Without a type column every event is of every type.
    """

    def __init__(self, program: Program, columns: Mapping[str, Any], length: int) -> None:
        self.names = sorted(program.types)
        self.length = length
        self.codes: NDArray[np.int64] | None = None
        if program.type_column is not None:
            self.codes = _codes(columns[program.type_column], self.names)

    def masks(self, types_by_position: Sequence[tuple[str, ...]]) -> NDArray[np.uint64]:
        """Return the positions that every event fits by its type: one look-up an event."""
        table = np.zeros(len(self.names) + 1, np.uint64)
        for position, types in enumerate(types_by_position):
            for name in types:
                table[self.names.index(name) + 1] |= np.uint64(1) << np.uint64(position)
        if self.codes is None:
            return np.full(self.length, np.bitwise_or.reduce(table), np.uint64)
        return table[self.codes]

    def is_type(self, name: str) -> Booleans:
        """Return which events are of a type."""
        if self.codes is None:
            return np.ones(self.length, np.bool_)
        result: Booleans = self.codes == self.names.index(name) + 1
        return result


def position_masks(
    program: Program, columns: Mapping[str, Any], length: int
) -> list[NDArray[np.uint64]]:
    """Return a mask an event; bit q is set if the event fits position q.

    The first array is for the pattern, the others are for its negated parts and for what the
    second side of AND has.
    """
    types = EventTypes(program, columns, length)
    predicates = LocalPredicates(columns, length)
    return [_masks(tests, types, predicates) for tests in program.test_groups]


def _masks(
    tests: Sequence[PositionTest], types: EventTypes, predicates: LocalPredicates
) -> NDArray[np.uint64]:
    masks = types.masks([test.types for test in tests])
    for position, test in enumerate(tests):
        if test.condition is not None:
            exempt: dict[str, Booleans] = {}
            for event_type, attribute in test.exempt:
                lacking = exempt.get(attribute, np.zeros(types.length, np.bool_))
                exempt[attribute] = lacking | types.is_type(event_type)
            fails = ~predicates.holds(test.condition, exempt)
            masks[fails] &= ~(np.uint64(1) << np.uint64(position))
    return masks


def _codes(column: Any, names: list[str]) -> NDArray[np.int64]:
    """Return the place of every event's type among the names, from 1."""
    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries() if pa.types.is_dictionary(column.type) else column
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        by_entry = _codes(column.dictionary, names)
        indices: NDArray[np.int64] = pc.fill_null(
            pc.cast(column.indices, pa.int64()), -1
        ).to_numpy()
        return np.append(by_entry, 0)[indices]  # NULL is index -1: the 0 at the end
    found = pc.index_in(column, pa.array(names, column.type))
    codes: NDArray[np.int64] = pc.fill_null(found, -1).to_numpy().astype(np.int64)
    return codes + 1
