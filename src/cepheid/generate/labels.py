"""Codes to strings."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from cepheid.generate.stream import Ints


def label(codes: Ints, names: Sequence[str]) -> pa.Array:
    """Return the names at the codes; a negative code is a missing value.

    >>> import numpy as np
    >>> label(np.array([1, -1]), ["Solo", "Pool"]).to_pylist()
    ['Pool', None]
    """
    indices = pa.array(codes, mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(names, pa.string())).dictionary_decode()
