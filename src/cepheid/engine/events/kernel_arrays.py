"""The program's automaton as kernel arrays."""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import AutomatonArrays, EventArrays
from cepheid.program.position_automaton import PositionAutomaton
from cepheid.program.program import StrategyCode


def automaton_arrays(automaton: PositionAutomaton, strategy: StrategyCode) -> AutomatonArrays:
    """Return masks and in-edges in the dtypes that kernels are compiled for."""
    sources = [
        [source for source, target in automaton.edges if target == position]
        for position in range(len(automaton.follow))
    ]
    offsets = np.cumsum([0, *(len(each) for each in sources)]).astype(np.int64)
    flat = np.array([each for one in sources for each in one], np.int64)
    return AutomatonArrays(
        np.uint64(automaton.first),
        np.uint64(automaton.last),
        np.array(automaton.follow, np.uint64),
        np.array(automaton.mandatory, np.uint64),
        offsets,
        flat,
        int(strategy),
    )


def widest_step(events: EventArrays) -> int:
    """Return how many events are concurrent at most."""
    if events.step_offsets.size == events.fires.size + 1:  # mostly none are
        return 1
    return int(np.diff(events.step_offsets).max(initial=0))
