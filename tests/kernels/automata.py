"""Random automata and events for kernels, and the slow twin that runs them by hand.

The twin keeps every run as a tuple of (event, position) and applies the definitions step by step.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from cepheid.kernels.arrays import (
    CONTIGUOUS,
    SKIP_TILL_ANY,
    SKIP_TILL_NEXT,
    SKIP_TILL_NEXT_KLEENE,
    AutomatonArrays,
    EventArrays,
)

STRATEGIES = (SKIP_TILL_ANY, SKIP_TILL_NEXT, SKIP_TILL_NEXT_KLEENE, CONTIGUOUS)
Run = tuple[tuple[int, int], ...]  # (event, position)


@dataclass(frozen=True)
class Automaton:
    """Sets of positions; `follow` and `mandatory` by position."""

    first: frozenset[int]
    last: frozenset[int]
    follow: tuple[frozenset[int], ...]
    mandatory: tuple[frozenset[int], ...]
    strategy: int

    def arrays(self) -> AutomatonArrays:
        size = len(self.follow)
        sources = [[p for p in range(size) if q in self.follow[p]] for q in range(size)]
        return AutomatonArrays(
            np.uint64(mask(self.first)),
            np.uint64(mask(self.last)),
            np.array([mask(each) for each in self.follow], np.uint64),
            np.array([mask(each) for each in self.mandatory], np.uint64),
            np.cumsum([0, *map(len, sources)]).astype(np.int64),
            np.array([each for one in sources for each in one], np.int64),
            self.strategy,
        )

    def survives(self, position: int, fired: frozenset[int]) -> bool:
        match self.strategy:
            case 0:
                return True
            case 1:
                return not self.follow[position] & fired
            case 2:
                return not self.mandatory[position] & fired
            case _:
                return False


@dataclass(frozen=True, order=True)
class Event:
    """`key` is order key, time and rank at once: a missing key is an event of somebody else."""

    partition: int
    key: int
    fires: tuple[int, ...]


def mask(positions: frozenset[int] | tuple[int, ...]) -> int:
    return sum(1 << each for each in positions)


@st.composite
def automata(draw: st.DrawFn) -> Automaton:
    size = draw(st.integers(1, 4))
    some = st.frozensets(st.integers(0, size - 1))
    follow = tuple(draw(some) for _ in range(size))
    mandatory = tuple(draw(st.sampled_from([each, each & draw(some) or each])) for each in follow)
    not_none = st.frozensets(st.integers(0, size - 1), min_size=1)
    return Automaton(
        draw(not_none), draw(not_none), follow, mandatory, draw(st.sampled_from(STRATEGIES))
    )


@st.composite
def streams(draw: st.DrawFn, positions: int, partitions: int = 3) -> list[Event]:
    """Events in order of partition and key, some of them concurrent."""
    event = st.builds(
        Event,
        st.integers(0, partitions - 1),
        st.integers(-4, 4),
        st.lists(st.integers(0, positions - 1), unique=True, max_size=3).map(tuple),
    )
    return sorted(draw(st.lists(event, max_size=8)))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Automaton, list[Event]]:
    automaton = draw(automata())
    return automaton, draw(streams(len(automaton.follow)))


def starts(values: list[object]) -> list[int]:
    """Where values change, and the end."""
    changes = [at for at in range(len(values)) if at == 0 or values[at] != values[at - 1]]
    return [*changes, len(values)]


def event_arrays(events: list[Event]) -> EventArrays:
    steps = starts([(each.partition, each.key) for each in events])
    partitions = starts([events[at].partition for at in steps[:-1]])
    keys = np.array([each.key for each in events], np.int64)
    fires = np.array([mask(each.fires) for each in events], np.uint64)
    return EventArrays(
        fires, keys, keys.copy(), np.array(steps, np.int64), np.array(partitions, np.int64)
    )


def all_matches(automaton: Automaton, events: list[Event]) -> Iterator[Run]:
    """Yield every match, by following every run."""
    for partition in sorted({each.partition for each in events}):
        runs: list[Run] = []
        key_before = None
        for key in sorted({each.key for each in events if each.partition == partition}):
            step = [
                (index, position)
                for index, each in enumerate(events)
                if (each.partition, each.key) == (partition, key)
                for position in each.fires
            ]
            fired = frozenset(position for _, position in step)
            if automaton.strategy == CONTIGUOUS and key_before != key - 1:
                runs = []
            key_before = key
            new = [(bound,) for bound in step if bound[1] in automaton.first]
            new += [
                (*run, bound) for run in runs for bound in step
                if bound[1] in automaton.follow[run[-1][1]]
            ]  # fmt: skip
            runs = [run for run in runs if automaton.survives(run[-1][1], fired)] + new
            yield from (run for run in new if run[-1][1] in automaton.last)
