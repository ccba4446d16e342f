"""Larger copies of arrays, for outputs whose size is not known beforehand."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.jit import inner

Scalar = TypeVar("Scalar", bound=np.generic)


@inner
def grown(array: NDArray[Scalar], size: int) -> NDArray[Scalar]:
    """Return a copy with room for `size` entries."""
    larger = np.empty(size, array.dtype)
    for index in range(array.size):
        larger[index] = array[index]
    return larger
