"""What sharing costs, in nanoseconds of one core: rough figures, see docs/decisions/0019.

The order is that of kernels/shared/share_bursts.py: a step of one lane that holds runs, and of one
that does not; a step that is not written down, whatever the lanes; an entry or block of the log
that a lane applies; a block that is computed; a snapshot of one lane. Numbers of trends alone have
a formula, so that they need no blocks. `python -m benchmarks sharing-costs` measures them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import expm1
from typing import NamedTuple

from cepheid.plan.window_costs import WindowCosts

COUNTING_COSTS = (60.0, 20.0, 150.0, 100.0, 0.0, 100.0)
VALUE_COSTS = (50.0, 28.0, 100.0, 420.0, 5000.0, 1000.0)
RADIX = 8  # entries of the log in a block


class SetCosts(NamedTuple):
    """What a fold of a set costs.

    By event; by position in no part that an event fires, and by member that it touches, in one
    lane; by step that is written down, by entry or block that a lane with runs applies; by step
    that a lane with runs takes at once, and one without.
    """

    event: float
    fired: float
    touched: float
    written: float
    applied: float
    taken: float
    empty: float


COUNTED_SET = SetCosts(100.0, 150.0, 30.0, 0.0, 60.0, 36.0, 2.0)
VALUE_SET = SetCosts(220.0, 97.0, 97.0, 50.0, 530.0, 60.0, 7.0)
SET, QUERY_OF_SET = 2_600_000.0, 130_000.0  # however few events there are
# With plain numbers: an event, a position that it fires, and one window of that.
PLAIN_EVENT, PLAIN_FIRED, PLAIN_LANE = 60.0, 60.0, 2.0
# In panes: how many times as long the same takes; to find out which lanes they need, by query; a
# number or minimum that is read from a pane, and one in an entry of a matrix that is multiplied.
IN_PANES, PANE_QUERY, PANE_VALUE, PANE_PRODUCT = 1.18, 40_000.0, 60.0, 10.0
# In folds of single queries: all of them, a query, a partition of it, an event.
ALONE, QUERY, OWN_PARTITION, OWN_EVENT = 2_600_000.0, 1_550_000.0, 200.0, 98.0
# An update of a vector with sums and with minima alone: one of an open window, and one in panes.
UPDATE, MINIMUM_UPDATE, PANE_UPDATE, MINIMUM_PANE_UPDATE = 31.0, 26.0, 47.0, 26.0
COUNTED_UPDATE = 15.0
# A row of a partition and a window: in a set with a lane for every window, and in other folds.
ROW, OWN_ROW = 1_300.0, 500.0
# With adjacent predicates, by query and event. In a lane: a window that may be open, with events or
# not. Alone: whatever is open, and a window that has events of its own.
LANE_WINDOW, OWN_LOOKUP, OWN_WINDOW = 60.0, 2_500.0, 80.0
# How many times as much each by itself must cost, so that queries are folded together: what is
# estimated is off by a tenth or two, and what is known best is a fold for one query.
CLEAR_GAIN = 1.05


class Touched(NamedTuple):
    """How often a member of a part is touched, in how many lanes, and how many hold runs."""

    times: float
    lanes: float
    occupied: float


def sharing_costs(*, is_counted: bool) -> tuple[float, ...]:
    """Return the costs that bursts are decided by, of queries that only count, or of others."""
    return COUNTING_COSTS if is_counted else VALUE_COSTS


def set_costs(*, is_counted: bool) -> SetCosts:
    """Return the costs of a set that only counts, or of another one."""
    return COUNTED_SET if is_counted else VALUE_SET


def part_costs(
    steps: float, taken: float, members: Sequence[Touched], costs: SetCosts, *, is_counted: bool
) -> float:
    """Return what the steps of a part cost, shared or not, whichever is less.

    `taken` is how often a lane takes a step if none is shared. Members that are touched have to
    apply what is written down in between.
    """
    touched = sum(each.times * each.lanes for each in members)
    shared = steps * costs.written
    for times, lanes, occupied in members:
        if times:
            waiting = 1.0 if is_counted else applied(steps / times)
            shared += times * lanes * occupied * waiting * costs.applied
    occupied = sum(each.occupied for each in members) / max(1, len(members))
    at_once = taken * (occupied * costs.taken + costs.empty)
    return touched * costs.touched + min(shared, at_once)


def applied(entries: float) -> float:
    """Return how many entries and blocks of the log stand for so many entries, about.

    >>> applied(5), applied(15), applied(7 + 8 * 15)
    (5, 8.0, 15.0)
    """
    if entries < RADIX:
        return entries
    return RADIX - 1 + applied((entries - RADIX + 1) / RADIX)


def occupied(events: float) -> float:
    """Return how much of its time a window holds runs that has so many events to begin them.

    >>> round(occupied(0.01), 3), round(occupied(1), 3), round(occupied(100), 3)
    (0.005, 0.368, 0.99)
    """
    return 1.0 + expm1(-events) / events if events > 0 else 0.0


def alone_costs(kept: float, updates: float, partitions: int) -> float:
    """Return what a fold for one query costs that keeps so many events, each with its updates."""
    return QUERY + partitions * OWN_PARTITION + kept * (OWN_EVENT + updates)


def update_costs(costs: WindowCosts, *, has_numbers: bool) -> float:
    """Return what an event costs with what it updates, in vectors or in panes."""
    update = UPDATE if has_numbers else MINIMUM_UPDATE
    in_pane = PANE_UPDATE if has_numbers else MINIMUM_PANE_UPDATE
    return costs.vectors * update if costs.vectors < costs.panes else costs.panes * in_pane


def pane_costs(slots: Iterable[int], values: int, width: int) -> float:
    """Return what a pane costs whose queries have so many slots each, and values in all.

    The width is how many numbers and minima a value has.
    """
    return width * (PANE_VALUE * values + PANE_PRODUCT * sum(each**3 for each in slots))
