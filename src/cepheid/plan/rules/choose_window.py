"""How windows are kept."""

from __future__ import annotations

from cepheid.analysis.bound import BoundQuery
from cepheid.plan.physical import AggregateMethod, Choice, WindowMethod


def choose_window(query: BoundQuery, method: Choice[AggregateMethod]) -> Choice[WindowMethod]:
    """Return the method for the query's window."""
    window = query.window
    if window is None:
        return Choice(WindowMethod.NONE, "the query covers the whole bounded input")
    is_enumerated = method.value is AggregateMethod.ENUMERATION
    if query.aggregates is None or (window.slide is None and is_enumerated):
        return Choice(
            WindowMethod.START_TIMES, "a walk through the graph stops at starts that are too old"
        )
    if window.slide is None and method.value is AggregateMethod.LAST_EVENTS:
        return Choice(
            WindowMethod.FOLDED_AGAIN,
            "a result is due at every event that can end a match, and values of last events cannot"
            " be composed",
        )
    if window.slide is None:
        return Choice(
            WindowMethod.STEP_QUEUE,
            "a result is due at every event that can end a match, at a cost that does not depend on"
            " the window",
        )
    overlap = -(-window.length // window.slide)
    open_windows = "one window is" if overlap == 1 else f"at most {overlap} windows are"
    return Choice(WindowMethod.VECTOR_PER_WINDOW, f"{open_windows} open at a time")
