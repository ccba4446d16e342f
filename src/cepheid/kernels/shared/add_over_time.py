"""What the partitions of a group amount to together, whenever the value of one of them changes."""

from __future__ import annotations

from cepheid.kernels.arrays import Float64s, Int64s
from cepheid.kernels.jit import inlined, kernel_in_place
from cepheid.kernels.values.value_arrays import NOTHING

ROOT = 1


@kernel_in_place
def add_over_time(
    leaf: Int64s,
    group_offsets: Int64s,
    leaves: Int64s,
    tree: Float64s,
    least_tree: Int64s,
    numbers: Float64s,
    least: Int64s,
) -> None:
    """Replace what a partition of a group amounts to by what all do; O(log partitions) per change.

    A row is a change of the partition `leaf[row]` of its group, which has `leaves[group]` of them.
    The partitions are the leaves of a tree of sums, so that nothing is ever subtracted.
    """
    for group in range(leaves.size):
        size = leaves[group]
        tree[: 2 * size] = 0.0
        least_tree[: 2 * size] = NOTHING
        for row in range(group_offsets[group], group_offsets[group + 1]):
            node = size + leaf[row]
            _copy(tree, least_tree, node, numbers, least, row)
            while node > ROOT:
                node //= 2
                _add(tree, least_tree, node)
            _copy(numbers, least, row, tree, least_tree, ROOT)


@inlined
def _copy(
    numbers: Float64s,
    least: Int64s,
    at: int,
    other_numbers: Float64s,
    other_least: Int64s,
    other: int,
) -> None:
    for number in range(numbers.shape[1]):
        numbers[at, number] = other_numbers[other, number]
    for number in range(least.shape[1]):
        least[at, number] = other_least[other, number]


@inlined
def _add(tree: Float64s, least_tree: Int64s, node: int) -> None:
    """Write the sum of the two nodes below a node."""
    for number in range(tree.shape[1]):
        tree[node, number] = tree[2 * node, number] + tree[2 * node + 1, number]
    for number in range(least_tree.shape[1]):
        one, other = least_tree[2 * node, number], least_tree[2 * node + 1, number]
        least_tree[node, number] = min(one, other)
