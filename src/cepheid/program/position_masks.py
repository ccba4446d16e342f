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


def position_masks(
    program: Program, columns: Mapping[str, Any], length: int
) -> list[NDArray[np.uint64]]:
    """Return a mask an event; bit q is set if the event fits position q.

    The first array is for the pattern, the others are for its negated parts. Without a type column
    every event is of every type.
    """
    is_type = _type_tests(program, columns, length)
    predicates = LocalPredicates(columns, length)
    groups = (program.tests, *program.negative_tests)
    return [_masks(tests, is_type, predicates) for tests in groups]


def _masks(
    tests: Sequence[PositionTest], is_type: Mapping[str, Booleans], predicates: LocalPredicates
) -> NDArray[np.uint64]:
    length = predicates.length
    masks = np.zeros(length, np.uint64)
    for position, test in enumerate(tests):
        fits = np.zeros(length, np.bool_)
        for event_type in test.types:
            fits |= is_type[event_type]
        if test.condition is not None:
            exempt: dict[str, Booleans] = {}
            for event_type, attribute in test.exempt:
                lacking = exempt.get(attribute, np.zeros(length, np.bool_))
                exempt[attribute] = lacking | is_type[event_type]
            fits &= predicates.holds(test.condition, exempt)
        masks |= fits.astype(np.uint64) << np.uint64(position)
    return masks


def _type_tests(program: Program, columns: Mapping[str, Any], length: int) -> dict[str, Booleans]:
    if program.type_column is None:
        return {each: np.ones(length, np.bool_) for each in program.types}
    column = columns[program.type_column]
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    encoded = column if pa.types.is_dictionary(column.type) else pc.dictionary_encode(column)
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    names = encoded.dictionary.to_pylist()
    codes = pc.fill_null(pc.cast(encoded.indices, pa.int64()), -1).to_numpy()
    tests = {}
    for event_type in program.types:
        wanted = names.index(event_type) if event_type in names else -2
        tests[event_type] = codes == wanted
    return tests
