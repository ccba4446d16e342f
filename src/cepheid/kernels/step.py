"""Survival of runs: the one rule in which strategies differ."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from cepheid.kernels.arrays import (
    CONTIGUOUS,
    SKIP_TILL_ANY,
    SKIP_TILL_NEXT,
    Masks,
)
from cepheid.kernels.jit import inlined


class Automaton(Protocol):
    """What survival reads of an automaton."""

    @property
    def follow(self) -> Masks: ...  # noqa: D102

    @property
    def mandatory(self) -> Masks: ...  # noqa: D102

    @property
    def strategy(self) -> int: ...  # noqa: D102


@inlined
def survives(automaton: Automaton, position: int, fired: np.uint64) -> bool:
    """Whether runs at a position stay alive unchanged after a step that fires a mask."""
    if automaton.strategy == SKIP_TILL_ANY:
        return True
    if automaton.strategy == CONTIGUOUS:
        return False
    if automaton.strategy == SKIP_TILL_NEXT:
        return bool((automaton.follow[position] & fired) == 0)
    return bool((automaton.mandatory[position] & fired) == 0)


@inlined
def fired_by(fires: Masks, begin: int, end: int) -> np.uint64:
    """Return the positions that at least one event of a step fits."""
    mask = np.uint64(0)
    for event in range(begin, end):
        mask |= fires[event]
    return mask
