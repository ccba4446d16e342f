"""Tables of what tests say of every two texts; kernels look ranks up in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.errors import DataError
from cepheid.kernels.predicates.predicate_machine import FALSE_CELL, NULL_CELL, TRUE_CELL
from cepheid.program.arrow_arrays import in_one, to_arrow, to_numpy
from cepheid.program.evaluate import LocalPredicates
from cepheid.program.run_program import TextPairs

Int64s = NDArray[np.int64]
MOST_PAIRS = 2**22  # of which a table takes a megabyte, and some seconds
AT_ONCE = 2**18
CELLS = 32  # in an integer


def pair_table(
    pairs: TextPairs, texts: Sequence[str], distinct: Mapping[str, Sequence[str]]
) -> Int64s:
    """Return the table of a test, as `predicate_machine._looked_up` reads it.

    `texts` are all texts in order, their places are ranks; `distinct` has those of each column.

    Raises:
        DataError: there are too many pairs.
    """
    left, right = distinct[pairs.left], distinct[pairs.right]
    if len(left) * len(right) > MOST_PAIRS:
        raise DataError(
            f"'{pairs.text}' in WHERE has to look at every pair of {len(left):,} texts of "
            f"'{pairs.left}' and {len(right):,} of '{pairs.right}': more than {MOST_PAIRS:,}",
            hint="join the events by other conditions, RETURN the texts with INTO, and test them "
            "in a second query",
        )
    rank = {text: place for place, text in enumerate(texts, start=1)}
    places = []
    for some in (left, right):
        place = np.zeros(len(texts) + 1, np.int64)  # NULL has the first row
        place[[rank[each] for each in some]] = np.arange(1, len(some) + 1)
        places.append(place)
    cells = _cells(pairs, [None, *left], [None, *right])
    padded = np.zeros(-(-cells.size // CELLS) * CELLS, np.uint64)
    padded[: cells.size] = cells
    shifts = 2 * np.arange(CELLS, dtype=np.uint64)
    words = np.bitwise_or.reduce(padded.reshape(-1, CELLS) << shifts, axis=1).view(np.int64)
    sizes = np.array([len(texts) + 1, len(right) + 1], np.int64)
    return np.concatenate([sizes, *places, words])


def _cells(
    pairs: TextPairs, left: Sequence[str | None], right: Sequence[str | None]
) -> NDArray[np.uint8]:
    """Return what the test says of every pair, row by row."""
    columns = pa.array(right, pa.string())
    rows_at_once = max(1, AT_ONCE // len(right))
    parts = []
    for begin in range(0, len(left), rows_at_once):
        some = pa.array(left[begin : begin + rows_at_once], pa.string())
        count = len(some) * len(right)
        row = to_arrow(np.repeat(np.arange(len(some)), len(right)))
        column = to_arrow(np.tile(np.arange(len(right)), len(some)))
        taken = {"left": some.take(row), "right": columns.take(column)}
        found = LocalPredicates(taken, count).value(pairs.test)
        found = pa.repeat(found, count) if isinstance(found, pa.Scalar) else in_one(found)
        known = pc.fill_null(pc.cast(found, pa.bool_()), False)
        holds = np.where(to_numpy(known), TRUE_CELL, FALSE_CELL)
        parts.append(np.where(to_numpy(found.is_valid()), holds, NULL_CELL).astype(np.uint8))
    return np.concatenate(parts)
