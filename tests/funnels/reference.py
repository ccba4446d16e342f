"""Funnels by brute force: every chain of events is looked at."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

Event = dict[str, Any]
Fits = Callable[[Event], bool]


@dataclass(frozen=True)
class Asked:
    """A funnel: whether an event fits each step, the window, the mode."""

    steps: Sequence[Fits]
    within: int | None
    mode: str


def chains(events: Sequence[Event], asked: Asked) -> Iterator[list[Event]]:
    """Yield every chain that takes some steps, from the first one on."""
    pending = [[each] for each in events if asked.steps[0](each)]
    while pending:
        chain = pending.pop()
        if is_run(chain, events, asked):
            yield chain
            if len(chain) < len(asked.steps):
                fits = asked.steps[len(chain)]
                pending += [[*chain, each] for each in events if fits(each)]


def is_run(chain: Sequence[Event], events: Sequence[Event], asked: Asked) -> bool:
    times = [each["ts"] for each in chain]
    if any(before >= after for before, after in pairwise(times)):
        return False
    if asked.within is not None and times[-1] - times[0] >= asked.within:
        return False
    for place, (before, after) in enumerate(pairwise(times), 1):
        between = [each for each in events if before < each["ts"] < after]
        if asked.mode == "contiguous" and between:
            return False
        reached = asked.steps[:place]
        if asked.mode == "no-repeats" and any(fits(each) for each in between for fits in reached):
            return False
    return True


def levels(events: Sequence[Event], key: str, asked: Asked) -> dict[Any, list[int]]:
    """Return the times of the steps of every key's run; their number is its level.

    The longest; of these the one that ends first, and took every step the earliest.
    """
    found = {}
    for each in {each[key] for each in events if each[key] is not None}:
        own = [event for event in events if event[key] == each]
        runs = [[event["ts"] for event in chain] for chain in chains(own, asked)]
        if runs:
            found[each] = min(runs, key=lambda times: (-len(times), times[-1], times))
    return found
