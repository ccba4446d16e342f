"""Values (see values.py) in numbered cells of one store, so that kernels pass few arrays.

The same arithmetic as in value_algebra.py, for numbers without a modulus.
"""

from __future__ import annotations

from typing import NamedTuple

from cepheid.kernels.arrays import Float64s, Int64s
from cepheid.kernels.jit import inlined
from cepheid.kernels.values.extended import added, multiplied, product
from cepheid.kernels.values.value_arrays import NOTHING


class Cells(NamedTuple):
    """`[cell, number]`, and `[cell, minimum]` for `least`."""

    mantissa: Float64s
    tier: Int64s
    low: Int64s
    least: Int64s


@inlined
def holds_runs(cells: Cells, cell: int) -> bool:
    """Whether there are any runs in a cell."""
    return bool(cells.mantissa[cell, 0] != 0.0)


@inlined
def clear_cell(cells: Cells, cell: int) -> None:
    """Set a cell to zero: no runs."""
    for number in range(cells.mantissa.shape[1]):
        cells.mantissa[cell, number] = 0.0
        cells.tier[cell, number] = 0
        cells.low[cell, number] = 0
    for number in range(cells.least.shape[1]):
        cells.least[cell, number] = NOTHING


@inlined
def set_to_one(cells: Cells, cell: int) -> None:
    """Set a cell to one: a run without events."""
    clear_cell(cells, cell)
    cells.mantissa[cell, 0] = 1.0
    cells.low[cell, 0] = 1


@inlined
def add_cell(cells: Cells, cell: int, other: int) -> None:
    """Add the runs of another cell to a cell."""
    if cells.mantissa[other, 0] == 0.0:
        return
    for number in range(cells.mantissa.shape[1]):
        cells.mantissa[cell, number], cells.tier[cell, number] = added(
            cells.mantissa[cell, number],
            cells.tier[cell, number],
            cells.mantissa[other, number],
            cells.tier[other, number],
        )
        cells.low[cell, number] += cells.low[other, number]
    for number in range(cells.least.shape[1]):
        cells.least[cell, number] = min(cells.least[cell, number], cells.least[other, number])


@inlined
def extend_cell(cells: Cells, cell: int, times: int, contribution: int) -> None:
    """Extend the runs of a cell by each of several events.

    A cell has what these contribute together; its number 0 is not read.
    """
    runs, runs_tier = cells.mantissa[cell, 0], cells.tier[cell, 0]
    if runs == 0.0:
        return
    runs_low = cells.low[cell, 0]
    for number in range(1, cells.mantissa.shape[1]):
        mantissa, tier = multiplied(
            cells.mantissa[cell, number], cells.tier[cell, number], float(times)
        )
        more, more_tier = product(
            cells.mantissa[contribution, number],
            cells.tier[contribution, number],
            runs,
            runs_tier,
        )
        cells.mantissa[cell, number], cells.tier[cell, number] = added(
            mantissa, tier, more, more_tier
        )
        cells.low[cell, number] = (
            cells.low[cell, number] * times + cells.low[contribution, number] * runs_low
        )
    if times != 1:
        cells.mantissa[cell, 0], cells.tier[cell, 0] = multiplied(runs, runs_tier, float(times))
        cells.low[cell, 0] = runs_low * times
    for number in range(cells.least.shape[1]):
        cells.least[cell, number] = min(
            cells.least[cell, number], cells.least[contribution, number]
        )


@inlined
def add_product_cell(cells: Cells, cell: int, left: int, right: int) -> None:
    """Add the runs that are one of `left` and then one of `right`."""
    runs, runs_tier = cells.mantissa[left, 0], cells.tier[left, 0]
    rest, rest_tier = cells.mantissa[right, 0], cells.tier[right, 0]
    if runs == 0.0 or rest == 0.0:
        return
    runs_low, rest_low = cells.low[left, 0], cells.low[right, 0]
    for number in range(1, cells.mantissa.shape[1]):
        mantissa, tier = product(
            runs, runs_tier, cells.mantissa[right, number], cells.tier[right, number]
        )
        more, more_tier = product(
            cells.mantissa[left, number], cells.tier[left, number], rest, rest_tier
        )
        mantissa, tier = added(mantissa, tier, more, more_tier)
        cells.mantissa[cell, number], cells.tier[cell, number] = added(
            cells.mantissa[cell, number], cells.tier[cell, number], mantissa, tier
        )
        cells.low[cell, number] += (
            runs_low * cells.low[right, number] + cells.low[left, number] * rest_low
        )
    mantissa, tier = product(runs, runs_tier, rest, rest_tier)
    cells.mantissa[cell, 0], cells.tier[cell, 0] = added(
        cells.mantissa[cell, 0], cells.tier[cell, 0], mantissa, tier
    )
    cells.low[cell, 0] += runs_low * rest_low
    for number in range(cells.least.shape[1]):
        least = min(cells.least[left, number], cells.least[right, number])
        cells.least[cell, number] = min(cells.least[cell, number], least)
