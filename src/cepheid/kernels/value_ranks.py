"""Dense ranks of values within partitions."""

from __future__ import annotations

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.jit import kernel_in_place


@kernel_in_place
def rank_in_partitions(
    order: Int64s, number: Int64s, partition: Int64s, latest: Int64s, size: Int64s, rank: Int64s
) -> None:
    """Write how many different smaller values a partition has, and how many it has at all.

    `order` sorts the values; `number[i]` is the same for equal values of the whole stream. `latest`
    and `size` have an entry for every partition, -1 and 0 at first.
    """
    for index in range(order.size):
        item = order[index]
        owner = partition[item]
        if latest[owner] != number[index]:
            latest[owner] = number[index]
            size[owner] += 1
        rank[item] = size[owner] - 1
