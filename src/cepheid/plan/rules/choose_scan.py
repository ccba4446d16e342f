"""Which events must reach the fold."""

from __future__ import annotations

from cepheid.analysis.bound import BoundQuery, Strategy, WindowUnit
from cepheid.analysis.names import event_patterns
from cepheid.language.ast import EVERY_TYPE
from cepheid.plan.physical import Choice, ScanMethod


def choose_scan(query: BoundQuery) -> Choice[ScanMethod]:
    """Other types matter only where they break contiguity or are counted by a window."""
    if query.strategy in (Strategy.CONTIGUOUS, Strategy.STRICT):
        return Choice(ScanMethod.BREAK_MARKS, "an event of any type breaks contiguity")
    if query.window is not None and query.window.unit is WindowUnit.EVENTS:
        return Choice(ScanMethod.BREAK_MARKS, "the window counts events of every type")
    if any(EVERY_TYPE in each.types for each in event_patterns(query.tree.pattern)):
        return Choice(ScanMethod.EVERY_TYPE, "ANY fits an event whatever its type is")
    return Choice(ScanMethod.RELEVANT, "events of other types change nothing under this strategy")
