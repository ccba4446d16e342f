"""Where windows end, and the latest negative match inside each."""

from __future__ import annotations

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.jit import kernel_in_place


@kernel_in_place
def find_ends(
    partition: Int64s, until: Int64s, clock: Int64s, partition_offsets: Int64s, end: Int64s
) -> None:
    """Write for every window its first step at or after its end.

    Windows are ordered by partition and end, steps by partition and clock.
    """
    step = 0
    for window in range(partition.size):
        owner = partition[window]
        step = max(step, partition_offsets[owner])
        while step < partition_offsets[owner + 1] and clock[step] < until[window]:
            step += 1
        end[window] = step


@kernel_in_place
def find_latest(starts: Int64s, begin: Int64s, end: Int64s, latest: Int64s) -> None:
    """Write the largest entry of every stretch `begin[i]:end[i]`, at least 0."""
    for index in range(begin.size):
        largest = starts[begin[index]]
        for event in range(begin[index], end[index]):
            largest = max(largest, starts[event])
        latest[index] = largest
