"""Which slots an aggregate needs if no predicate reads the last event of a run, and whether it may.

Runs that have not begun, runs at a position and complete runs each have a slot; where a gap that
negated parts look at comes next, one slot for each state of the gap's automaton.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from cepheid.analysis.automaton import FREE, Alternatives, Automaton
from cepheid.analysis.bound import BoundPattern, BoundQuery, PredicateClass
from cepheid.analysis.expressions import reads_one_event
from cepheid.plan.gap_automaton import (
    MOST_NEGATIVE_POSITIONS,
    GapAutomaton,
    first_bits,
    gap_automaton,
)

MOST_SLOTS = 128


class Place(StrEnum):
    """Where the runs of a slot are."""

    START = "not begun"
    POSITION = "at a position"
    END = "complete"


@dataclass(frozen=True, slots=True)
class Gap:
    """Slots for runs before one kind of gap: as many as its automaton has states, else one.

    `position` is None for runs that have not begun, and for complete ones.
    """

    place: Place
    position: int | None
    blocked_by: Alternatives
    automaton: GapAutomaton | None

    @property
    def size(self) -> int:
        """The number of slots."""
        return 1 if self.automaton is None else len(self.automaton.moves)


@dataclass(frozen=True, slots=True)
class SlotLayout:
    """The gaps, in the order of their slots."""

    gaps: tuple[Gap, ...]

    @property
    def size(self) -> int:
        """The number of slots."""
        return sum(gap.size for gap in self.gaps)


def lay_out_slots(query: BoundQuery) -> SlotLayout | str:
    """Return the slots of a query; or why it is not linear, as a part of a sentence."""
    reason = _why_not_linear(query)
    layout = _lay_out(query.pattern.automaton) if reason is None else reason
    if isinstance(layout, str) or not covers_recent(query):
        return layout
    return why_not_recent(query.pattern.automaton, layout) or layout


def covers_recent(query: BoundQuery) -> bool:
    """Whether a query aggregates with WITHIN alone: a result covers the latest events."""
    is_aggregate = query.aggregates is not None
    return is_aggregate and query.window is not None and query.window.slide is None


def why_not_recent(automaton: Automaton, layout: SlotLayout) -> str | None:
    """Return why a window that moves with every event cannot be kept as a queue of steps.

    A negated part at the start looks back from the end of a trend, not from the newest event: when
    a negated event leaves the window, what it has blocked must stay blocked. That is all that was
    complete by then, if one event is enough to block; what two events block depends on both.
    """
    for gap in layout.gaps:
        if gap.place is Place.START and gap.size > 1:
            texts = ", ".join(_texts(automaton))
            return f"more than one event of {texts} is needed to block the start of a trend"
    return None


def _why_not_linear(query: BoundQuery) -> str | None:
    if len(query.patterns) > 1:
        return "AND joins two patterns"
    if query.neighbour_bounds:
        return "WITHIN … BETWEEN reads earlier events of a run"
    for clause in query.pattern.clauses:
        if clause.predicate_class is not PredicateClass.LOCAL:
            return (
                f"the {clause.predicate_class.value} predicate '{clause.text}' reads other events"
            )
    return _why_not_gaps(query.pattern)


def _why_not_gaps(pattern: BoundPattern) -> str | None:
    parts = pattern.automaton.negated_parts
    if not parts:
        return None
    if len(pattern.branches) > 1:
        return "OR in WHERE concerns a negated part"
    for part in parts:
        conditions = pattern.branches[0].negative.get(part.index, ())
        if not all(map(reads_one_event, conditions)):
            return f"the negated part !{part.text} has a condition on other events"
        if part.automaton.negated_parts:
            return f"the negated part !{part.text} has a negation inside"
    if first_bits(parts)[-1] > MOST_NEGATIVE_POSITIONS:
        return f"the negated parts have more than {MOST_NEGATIVE_POSITIONS} events"
    return None


def _lay_out(automaton: Automaton) -> SlotLayout | str:
    wanted: dict[tuple[Place, int | None, Alternatives], None] = {}
    for border in automaton.first:
        wanted[Place.START, None, border.blocked_by] = None
    for edge in sorted(automaton.edges, key=lambda edge: edge.source):
        wanted[Place.POSITION, edge.source, edge.blocked_by] = None
    for border in automaton.last:
        wanted[Place.END, None, border.blocked_by] = None
    gaps = []
    for place, position, blocked_by in wanted:
        states = None
        if blocked_by != FREE:
            states = gap_automaton(blocked_by, automaton.negated_parts)
            if states is None:
                return _too_many(automaton)
        gaps.append(Gap(place, position, blocked_by, states))
    layout = SlotLayout(tuple(gaps))
    return layout if layout.size <= MOST_SLOTS else _too_many(automaton)


def _too_many(automaton: Automaton) -> str:
    texts = ", ".join(_texts(automaton))
    return f"too much has to be remembered of the negated parts {texts}"


def _texts(automaton: Automaton) -> Iterable[str]:
    return (f"!{part.text}" for part in automaton.negated_parts)
