"""Numbers that are the same for the same bytes, in every process."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.jit import kernel_in_place

OFFSET, PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a
Bytes = NDArray[np.uint8]
Hashes = NDArray[np.uint64]


@kernel_in_place
def add_to_hashes(offsets: Int64s, data: Bytes, hashes: Hashes) -> None:
    """Continue the hash of row i with bytes `offsets[i]:offsets[i + 1]`; one step per byte."""
    for row in range(hashes.size):
        value = (hashes[row] ^ OFFSET) * PRIME
        for place in range(offsets[row], offsets[row + 1]):
            value = (value ^ np.uint64(data[place])) * PRIME
        hashes[row] = value
