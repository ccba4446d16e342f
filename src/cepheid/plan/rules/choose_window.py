"""How windows are kept."""

from __future__ import annotations

from cepheid.analysis.bound import BoundQuery
from cepheid.plan.physical import AggregateMethod, Choice, WindowMethod
from cepheid.plan.slot_layout import lay_out_slots
from cepheid.plan.split_sides import split_sides


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
    open_windows = "one window is open" if overlap == 1 else f"at most {overlap} windows are open"
    if is_enumerated:
        return Choice(
            WindowMethod.MATCHES_PLACED,
            f"{open_windows} at a time, and a match costs the logarithm of the number of windows",
        )
    if method.value is AggregateMethod.LAST_EVENTS:
        return Choice(
            WindowMethod.FOLDED_APART,
            f"{open_windows} at a time, and values of last events cannot be composed; windows with"
            " the same events are folded once",
        )
    return _of_positions(query, overlap, f"{open_windows} at a time")


def _of_positions(query: BoundQuery, overlap: int, open_windows: str) -> Choice[WindowMethod]:
    """Panes can only pay where an event is in more windows than there are slots."""
    slots = min(_slots(query))
    if overlap == 1:
        return Choice(WindowMethod.VECTOR_PER_WINDOW, open_windows)
    if overlap <= slots:
        return Choice(
            WindowMethod.VECTOR_PER_WINDOW, f"{open_windows}, too few for matrices of panes"
        )
    return Choice(
        WindowMethod.VECTORS_OR_PANES,
        f"{open_windows}: an event takes an update for each, or one for each of {slots} slots"
        " and its share in two products of matrices per pane",
    )


def _slots(query: BoundQuery) -> list[int]:
    """Return how many slots the query has, or each side of AND."""
    sides = (query,) if len(query.patterns) == 1 else split_sides(query)
    layouts = [lay_out_slots(each) for each in sides]
    return [each.size for each in layouts if not isinstance(each, str)]
