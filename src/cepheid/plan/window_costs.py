"""Which way to keep overlapping windows of a linear aggregate is cheaper.

A vector for every open window takes one update per event and window. A matrix for every pane takes
one update per event and slot, and two products of matrices per pane, however much windows overlap.
Plain counts take less: vectors of all open windows are then updated together.
"""

from __future__ import annotations

from dataclasses import dataclass

# In updates of a vector, measured.
PRODUCT_OF_ONE_ENTRY = 0.3
PLAIN_PRODUCT_OF_ONE_ENTRY = 0.1
PLAIN_UPDATE = 1 / 60
MANY_WINDOWS = 128  # that an event is in: plain counts of fewer never take less in panes


@dataclass(frozen=True, slots=True)
class WindowCosts:
    """Costs per event, in updates of a vector."""

    vectors: float
    panes: float


def window_costs(
    slots: int, open_windows: float, events_per_pane: float, *, is_plain: bool = False
) -> WindowCosts:
    """Estimate both ways; `open_windows` is the mean number of windows that an event is in.

    Windows that begin between the same two events count as one. `is_plain` if small numbers of
    trends are all that is kept.
    """
    product = PLAIN_PRODUCT_OF_ONE_ENTRY if is_plain else PRODUCT_OF_ONE_ENTRY
    panes = slots + 2 * product * slots**3 / max(1.0, events_per_pane)
    return WindowCosts(open_windows * (PLAIN_UPDATE if is_plain else 1.0), panes)
