"""What sharing costs, in nanoseconds of one core: rough figures, see docs/decisions/0019.

The order is that of kernels/shared/share_bursts.py: a step of one lane; a step that is not
written down, whatever the lanes; an entry or block of the log that a lane applies; a block that is
computed; a snapshot of one lane. Numbers of trends alone have a formula, so that they need no
blocks.
"""

from __future__ import annotations

from collections.abc import Iterable

COUNTING_COSTS = (60.0, 150.0, 100.0, 0.0, 100.0)
VALUE_COSTS = (100.0, 150.0, 270.0, 2200.0, 1000.0)
RADIX = 8  # entries of the log in a block
# In a set: an event, and a position in no part that an event fires in one lane.
COUNTED_EVENT, COUNTED_FIRED = 150.0, 300.0
EVENT, FIRED = 340.0, 510.0
# In a fold for one query: an event, an update of a vector, and the query.
OWN_EVENT, UPDATE, COUNTED_UPDATE = 175.0, 115.0, 25.0
QUERY = 1_000_000.0


def sharing_costs(*, is_counted: bool) -> tuple[float, ...]:
    """Return the costs of queries that only count, or of others."""
    return COUNTING_COSTS if is_counted else VALUE_COSTS


def event_costs(events: float, fired: float, *, is_counted: bool) -> float:
    """Return what a set costs beside its parts; `fired` are positions, once for every lane."""
    if is_counted:
        return COUNTED_EVENT * events + COUNTED_FIRED * fired
    return EVENT * events + FIRED * fired


def part_costs(
    steps: float, taken: float, touched: Iterable[tuple[float, float]], *, is_counted: bool
) -> float:
    """Return what the steps of a part cost, shared or not, whichever is less.

    `taken` is how often a lane takes a step if none is shared. Members that are `touched` so many
    times, each with so many lanes, have to apply what is written down in between.
    """
    step, _, apply, block, _ = sharing_costs(is_counted=is_counted)
    shared = steps * block / (RADIX - 1)
    for times, lanes in touched:
        if times:
            waiting = 1.0 if is_counted else applied(steps / times)
            shared += times * lanes * waiting * apply
    return min(taken * step, shared)


def applied(entries: float) -> float:
    """Return how many entries and blocks of the log stand for so many entries, about.

    >>> applied(5), applied(15), applied(7 + 8 * 15)
    (5, 8.0, 15.0)
    """
    if entries < RADIX:
        return entries
    return RADIX - 1 + applied((entries - RADIX + 1) / RADIX)


def alone_costs(kept: float, updates: float, *, is_counted: bool) -> float:
    """Return what a fold for one query costs that keeps so many events, each with its updates."""
    return QUERY + kept * (OWN_EVENT + updates * (COUNTED_UPDATE if is_counted else UPDATE))
