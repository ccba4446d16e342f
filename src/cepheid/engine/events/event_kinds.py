"""The kind of every event: which of many tests it passes, as one number.

Masks of positions have 64 bits; a workload has more tests than that. But few combinations occur.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.program.arrow_arrays import to_arrow, to_numpy
from cepheid.program.evaluate import Booleans, LocalPredicates
from cepheid.program.position_automaton import PositionTest
from cepheid.program.position_masks import TakenColumns, reject_overflows, type_codes

Int64s = NDArray[np.int64]
TESTS_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class EventKinds:
    """Rows that pass any test (None: all), their kinds, and by kind the tests it passes."""

    rows: Int64s | None
    kind: Int64s
    passes: tuple[tuple[int, ...], ...]


def event_kinds(
    tests: Sequence[PositionTest],
    type_column: str | None,
    columns: Mapping[str, Any],
    length: int,
) -> EventKinds:
    """Return the kinds of all events that pass a test."""
    names = sorted({name for test in tests for name in test.types})
    rows: Int64s | None = None
    code, passes = np.zeros(length, np.int64), [tuple(range(len(tests)))]
    if type_column is not None:
        codes = type_codes(columns[type_column], names)
        if not codes.all():
            rows = np.flatnonzero(codes)
            codes = codes[rows]
        code = codes.astype(np.int64) - 1
        passes = [
            tuple(number for number, test in enumerate(tests) if name in test.types)
            for name in names
        ]
    conditions = _Conditions(columns, rows, code, names if type_column is not None else None)
    for test in tests:
        if test.checked_first:
            _, predicates = conditions.of(test.types)
            reject_overflows(test.checked_first, predicates)
    conditional = [n for n, test in enumerate(tests) if test.condition is not None]
    for begin in range(0, len(conditional), TESTS_AT_ONCE):
        some = conditional[begin : begin + TESTS_AT_ONCE]
        failed = np.zeros(code.size, np.int64)
        for bit, number in enumerate(some):
            conditions.mark_failures(tests[number], failed, bit)
        code, passes = _refined(code, passes, failed, some)
    for number, test in enumerate(tests):
        if test.checked:
            fits = np.flatnonzero(np.array([number in each for each in passes], np.bool_)[code])
            own = fits if rows is None else rows[fits]
            reject_overflows(test.checked, LocalPredicates(TakenColumns(columns, own), own.size))
    fits = np.array([bool(each) for each in passes], np.bool_)
    if not fits.all():
        chosen = np.flatnonzero(fits[code])
        rows = chosen if rows is None else rows[chosen]
        code = code[chosen]
    return EventKinds(rows, code, tuple(passes))


class _Conditions:
    """Evaluates the conditions of tests, each for events of its types only."""

    def __init__(
        self,
        columns: Mapping[str, Any],
        rows: Int64s | None,
        type_code: Int64s,
        names: list[str] | None,
    ) -> None:
        self.columns = columns
        self.rows = rows
        self.type_code = type_code
        self.names = names
        self.by_types: dict[tuple[str, ...], tuple[Int64s | None, LocalPredicates]] = {}

    def mark_failures(self, test: PositionTest, failed: Int64s, bit: int) -> None:
        """Set a bit for every event of the test's types that fails its condition."""
        assert test.condition is not None
        events, predicates = self.of(test.types)
        exempt: dict[str, Booleans] = {}
        for event_type, attribute in test.exempt:
            lacking = exempt.get(attribute, np.zeros(predicates.length, np.bool_))
            exempt[attribute] = lacking | self._is_of_type(events, event_type, predicates.length)
        fails = (~predicates.holds(test.condition, exempt)).astype(np.int64) << bit
        if events is None:
            failed |= fails
        else:
            failed[events] |= fails

    def of(self, types: tuple[str, ...]) -> tuple[Int64s | None, LocalPredicates]:
        """Return the events of some types, and their columns."""
        if types not in self.by_types:
            events, rows = None, self.rows
            if self.names is not None:
                numbers = [self.names.index(each) for each in types]
                events = np.flatnonzero(np.isin(self.type_code, numbers))
                rows = events if self.rows is None else self.rows[events]
            size = self.type_code.size if events is None else events.size
            self.by_types[types] = events, LocalPredicates(TakenColumns(self.columns, rows), size)
        return self.by_types[types]

    def _is_of_type(self, events: Int64s | None, name: str, size: int) -> Booleans:
        if self.names is None or events is None:
            return np.ones(size, np.bool_)
        result: Booleans = self.type_code[events] == self.names.index(name)
        return result


def _refined(
    code: Int64s, passes: Sequence[tuple[int, ...]], failed: Int64s, some: Sequence[int]
) -> tuple[Int64s, list[tuple[int, ...]]]:
    """Return the kinds of events that are told apart by failed conditions, too."""
    encoded = pc.dictionary_encode(to_arrow(code << TESTS_AT_ONCE | failed))
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    refined = []
    for value in encoded.dictionary.to_pylist():
        kind, bits = value >> TESTS_AT_ONCE, value & (1 << TESTS_AT_ONCE) - 1
        lost = {number for bit, number in enumerate(some) if bits >> bit & 1}
        refined.append(tuple(each for each in passes[kind] if each not in lost))
    return to_numpy(encoded.indices).astype(np.int64), refined
