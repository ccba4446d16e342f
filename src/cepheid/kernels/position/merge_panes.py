"""Matrices of the same pane, put together; see pane_matrices.py."""

from __future__ import annotations

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.jit import kernel_in_place
from cepheid.kernels.position.pane_matrices import PaneMatrices, copy_matrix, multiply
from cepheid.kernels.values.value_arrays import Values


@kernel_in_place
def merge_panes(
    size: int, moduli: Int64s, panes: PaneMatrices, work: Values, merged: PaneMatrices
) -> int:
    """Write one matrix for every partition and pane; return how many there are.

    Matrices come by partition and pane, those of one pane in the order of time. They have `size`
    slots; `work` has room for one.
    """
    count = 0
    for at in range(panes.owner.size):
        last = count - 1
        if (
            count > 0
            and merged.owner[last] == panes.owner[at]
            and merged.pane[last] == panes.pane[at]
        ):
            multiply(size, moduli, work, 0, merged.values, last * size, panes.values, at * size)
            copy_matrix(size, merged.values, last * size, work, 0)
        else:
            merged.owner[count], merged.pane[count] = panes.owner[at], panes.pane[at]
            merged.breaks[count] = panes.breaks[at]
            copy_matrix(size, merged.values, count * size, panes.values, at * size)
            count += 1
    return count


@kernel_in_place
def multiply_onwards(size: int, moduli: Int64s, panes: PaneMatrices, work: Values) -> None:
    """Multiply every matrix by those of all later panes of its partition; see `merge_panes`."""
    for back in range(panes.owner.size - 1):
        at = panes.owner.size - 2 - back
        if panes.owner[at] == panes.owner[at + 1]:
            row = at * size
            multiply(size, moduli, work, 0, panes.values, row, panes.values, row + size)
            copy_matrix(size, panes.values, row, work, 0)
