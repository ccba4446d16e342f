"""Which way to keep overlapping windows of a linear aggregate is cheaper.

A vector for every open window takes one update per event and window. A matrix for every pane takes
one update per event and slot, and two products of matrices per pane, however much windows overlap.
"""

from __future__ import annotations

from dataclasses import dataclass

PRODUCT_OF_ONE_ENTRY = 0.3  # in updates of a vector, measured


@dataclass(frozen=True, slots=True)
class WindowCosts:
    """Costs per event, in updates of a vector."""

    vectors: float
    panes: float

    @property
    def prefers_panes(self) -> bool:
        """Whether matrices of panes are cheaper."""
        return self.panes < self.vectors


def window_costs(slots: int, open_windows: float, events_per_pane: float) -> WindowCosts:
    """Estimate both ways; `open_windows` is the mean number of windows that an event is in.

    Windows that begin between the same two events count as one.
    """
    products = 2 * PRODUCT_OF_ONE_ENTRY * slots**3
    return WindowCosts(open_windows, slots + products / max(1.0, events_per_pane))
