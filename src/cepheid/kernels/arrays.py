"""The arrays that kernels share."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Int64s: TypeAlias = NDArray[np.int64]
Float64s: TypeAlias = NDArray[np.float64]
Masks: TypeAlias = NDArray[np.uint64]
Bytes: TypeAlias = NDArray[np.int8]

# How runs survive a step: see `survives` in step.py.
SKIP_TILL_ANY = 0
SKIP_TILL_NEXT = 1
SKIP_TILL_NEXT_KLEENE = 2
CONTIGUOUS = 3


class AutomatonArrays(NamedTuple):
    """The position automaton. Bit q of a mask stands for position q.

    `source_offsets[q]:source_offsets[q + 1]` are the entries of `sources` with the positions that
    have an edge to q.
    """

    first: np.uint64
    last: np.uint64
    follow: Masks
    mandatory: Masks
    source_offsets: Int64s
    sources: Int64s
    strategy: int


class EventArrays(NamedTuple):
    """Events of whole partitions, ordered by partition, then by order key.

    `step_offsets` cuts the events into steps (concurrent events of one partition),
    `partition_offsets` cuts the steps into partitions. `fires[i]` is the mask of the positions that
    event i fits by type and local predicates; `clock` is its time or its index in the partition;
    `rank` numbers the steps for contiguity: a gap between two steps of a partition means that
    another event came between them.
    """

    fires: Masks
    clock: Int64s
    rank: Int64s
    step_offsets: Int64s
    partition_offsets: Int64s
