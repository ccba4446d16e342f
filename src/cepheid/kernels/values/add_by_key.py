"""Add up values that belong together: the partitions of a group."""

from __future__ import annotations

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.jit import kernel_in_place
from cepheid.kernels.values.extended import added
from cepheid.kernels.values.value_arrays import ValueRows


@kernel_in_place
def add_by_key(keys: Int64s, rows: ValueRows, moduli: Int64s, totals: ValueRows) -> None:
    """Add row i to the total with number `keys[i]`."""
    for row in range(keys.size):
        key = keys[row]
        for number in range(rows.mantissa.shape[1]):
            totals.mantissa[key, number], totals.tier[key, number] = added(
                totals.mantissa[key, number],
                totals.tier[key, number],
                rows.mantissa[row, number],
                rows.tier[row, number],
            )
            totals.low[key, number] += rows.low[row, number]
            if moduli[number] != 0:
                totals.low[key, number] %= abs(moduli[number])
        for least in range(rows.least.shape[1]):
            totals.least[key, least] = min(totals.least[key, least], rows.least[row, least])
