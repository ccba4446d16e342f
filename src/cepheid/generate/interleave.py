"""Merge sessions that overlap in time into one stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from cepheid.generate.clock import separate

Rows = dict[str, npt.NDArray[Any]]


def interleave(batches: Iterable[tuple[Rows, int]]) -> Iterator[Rows]:
    """Yield the rows of all batches in strictly increasing integer `time`.

    A batch is its rows in any order, sessions of any length, and the time of its last session
    start. Sessions of later batches start after it, so all rows up to it can be given away.
    """
    waiting: Rows | None = None
    latest = -1
    for rows, last_start in batches:
        if waiting is not None:
            rows = {name: np.concatenate([waiting[name], rows[name]]) for name in rows}  # noqa: PLW2901
        order = np.argsort(rows["time"], kind="stable")
        ready = np.searchsorted(rows["time"], last_start, side="right", sorter=order)
        waiting = {name: values[order[ready:]] for name, values in rows.items()}
        given = {name: values[order[:ready]] for name, values in rows.items()}
        given["time"] = separate(given["time"], latest)
        latest = int(given["time"][-1]) if ready else latest
        yield given
