"""How baselines are compiled, and the rows that all of them write.

Numba's cache looks at the file of a function, not at those it calls: after a change here, remove
the `__pycache__` of this folder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba
import numpy as np
import numpy.typing as npt

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Ints = npt.NDArray[np.int64]
States = npt.NDArray[np.int8]

FIRST_ROWS = 1024


def compiled(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Compile a function with the flags that the engine's kernels have, and keep it on disk."""
    made: Callable[Parameters, Result] = numba.njit(cache=True, nogil=True, error_model="numpy")(
        function
    )
    return made


@compiled
def grown(rows: Ints) -> Ints:
    """Return the same rows with as much space again."""
    larger = np.empty((2 * len(rows), rows.shape[1]), np.int64)
    larger[: len(rows)] = rows
    return larger
