"""Add up enumerated matches, each over a stretch of places (windows or moments).

The places are the leaves of a tree. A match is added to the few nodes that cover its stretch; in
the end every node is added to its children. So a match costs its events and the logarithm of the
number of places, however long its stretch is, and nothing is ever subtracted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Float64s, Int64s
from cepheid.kernels.graph.match_nodes import MatchArrays
from cepheid.kernels.jit import inner_in_place, kernel_in_place
from cepheid.kernels.values.extended import added
from cepheid.kernels.values.value_arrays import NOTHING, Measures, Values


class OwnMeasures(NamedTuple):
    """What matches contribute themselves, beside their events: by number or minimum, and match.

    `numbers` and `minima` say which ones these are.
    """

    numbers: Int64s
    mantissa: Float64s
    tier: Int64s
    low: Int64s
    minima: Int64s
    least: Int64s


@inner_in_place
def _add(values: Values, target: int, source: int) -> None:
    """Add one node to another."""
    for number in range(values.mantissa.shape[2]):
        values.mantissa[0, target, number], values.tier[0, target, number] = added(
            values.mantissa[0, target, number],
            values.tier[0, target, number],
            values.mantissa[0, source, number],
            values.tier[0, source, number],
        )
        values.low[0, target, number] += values.low[0, source, number]
    for least in range(values.least.shape[2]):
        values.least[0, target, least] = min(
            values.least[0, target, least], values.least[0, source, least]
        )


@inner_in_place
def _write_match(
    matches: MatchArrays,
    match: int,
    measures: Measures,
    own: OwnMeasures,
    values: Values,
    node: int,
) -> None:
    """Write the value of one match: 1, what its events contribute and what it does itself."""
    numbers, minima = measures.positions.size, measures.least_positions.size
    for number in range(numbers):
        is_one = number == 0 or measures.moduli[number] > 0
        values.mantissa[0, node, number] = 1.0 if is_one else 0.0
        values.tier[0, node, number] = 0
        values.low[0, node, number] = 1 if is_one else 0
    for least in range(minima):
        values.least[0, node, least] = NOTHING
    for place in range(matches.offsets[match], matches.offsets[match + 1]):
        event = matches.event[place]
        bit = np.uint64(1) << np.uint64(matches.position[place])
        for number in range(1, numbers):
            if measures.positions[number] & bit:
                values.mantissa[0, node, number], values.tier[0, node, number] = added(
                    values.mantissa[0, node, number],
                    values.tier[0, node, number],
                    measures.mantissa[number, event],
                    measures.tier[number, event],
                )
                values.low[0, node, number] += measures.low[number, event]
                if measures.moduli[number] < 0:
                    values.low[0, node, number] %= -measures.moduli[number]
        for least in range(minima):
            if measures.least_positions[least] & bit:
                values.least[0, node, least] = min(
                    values.least[0, node, least], measures.least[least, event]
                )
    for row in range(own.numbers.size):
        values.mantissa[0, node, own.numbers[row]] = own.mantissa[row, match]
        values.tier[0, node, own.numbers[row]] = own.tier[row, match]
        values.low[0, node, own.numbers[row]] = own.low[row, match]
    for row in range(own.minima.size):
        values.least[0, node, own.minima[row]] = own.least[row, match]


@kernel_in_place
def add_matches(
    matches: MatchArrays,
    begin: Int64s,
    end: Int64s,
    measures: Measures,
    own: OwnMeasures,
    tree: Values,
) -> None:
    """Add each match to the places `begin:end`.

    Of n places, place i is node n + i of the tree; node 0 is used for the value of a match.
    """
    places = tree.mantissa.shape[1] // 2
    for match in range(begin.size):
        low, high = begin[match] + places, end[match] + places
        if low >= high:
            continue
        _write_match(matches, match, measures, own, tree, 0)
        while low < high:
            if low & 1:
                _add(tree, low, 0)
                low += 1
            if high & 1:
                high -= 1
                _add(tree, high, 0)
            low >>= 1
            high >>= 1


def no_own_measures() -> OwnMeasures:
    """Return those of matches that contribute nothing themselves."""
    no_places, none = np.zeros(0, np.int64), np.zeros((0, 0), np.int64)
    return OwnMeasures(no_places, np.zeros((0, 0)), none, none, no_places, none)


@kernel_in_place
def push_to_places(tree: Values) -> None:
    """Add every node to its children, so that places have all that covers them."""
    places = tree.mantissa.shape[1] // 2
    for node in range(1, places):
        _add(tree, 2 * node, node)
        _add(tree, 2 * node + 1, node)
