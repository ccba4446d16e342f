"""What the compiled baselines know of a query and return of its matches.

The template of section 6, with p1: TRUE, p2: a[i].price > a[i-1].price, p3: a[i].price >
min(a[..i-1].price), and for the starred queries a third component c between a[1] and a[a.LEN].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

Int64s = npt.NDArray[np.int64]

P1, P2, P3 = 1, 2, 3
FIRST_PRICE_DIVISOR = 500
VOLUME_LIMIT = 150


class Partitions(NamedTuple):
    """The stream, one symbol after the other; `event` is an event's place in the stream."""

    offsets: Int64s
    event: Int64s
    price: Int64s
    volume: Int64s


class Rule(NamedTuple):
    """The query; `window` counts events of a partition."""

    predicate: int
    is_contiguous: bool
    has_third: bool
    window: int


class Found(NamedTuple):
    """Match m is `event[offsets[m]:offsets[m + 1]]`; empty if matches are only counted.

    `run_steps` is the sum over the events of the runs alive after them. `again` counts the events
    that backtracking reads once more; `updates` the pointers written to the shared buffer.
    """

    matches: int
    offsets: Int64s
    event: Int64s
    run_steps: int
    again: int
    updates: int


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function and keep it on disk.

    Numba notices changes only in the file of a function: functions that call each other stand in
    one file. After a change of this file, delete the folder `__pycache__` next to it.
    """
    return numba.njit(cache=True, nogil=True, error_model="numpy")(function)
