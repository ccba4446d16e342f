"""The position automaton (Glushkov) of a pattern, with negations on its edges.

One position per occurrence of an event type. A negated part blocks edges: an edge, an entry or an
exit carries *alternatives*, a set of sets of negated parts; it is open while the parts of at least
one of the sets have no match in the gap. An edge that no negation concerns carries `FREE`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Alternatives: TypeAlias = frozenset[frozenset[int]]
FREE: Alternatives = frozenset([frozenset()])


@dataclass(frozen=True, slots=True)
class Position:
    """One state: an event of one of `types`, bound to the variable of its occurrence."""

    index: int
    types: tuple[str, ...]
    variable: str
    occurrence: int


@dataclass(frozen=True, slots=True)
class Edge:
    """From one position to the next event's; `is_loop` if it starts another repetition."""

    source: int
    target: int
    is_loop: bool
    blocked_by: Alternatives = FREE


@dataclass(frozen=True, slots=True)
class Border:
    """An entry into a first position, or an exit from a last one."""

    position: int
    blocked_by: Alternatives = FREE


@dataclass(frozen=True, slots=True)
class NegatedPart:
    """A negated sub-pattern: its own automaton, matched by skip-till-any."""

    index: int
    automaton: Automaton
    variables: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Automaton:
    """Positions, edges, entries (`first`) and exits (`last`), and the parts that block them."""

    positions: tuple[Position, ...]
    first: tuple[Border, ...]
    last: tuple[Border, ...]
    edges: tuple[Edge, ...]
    negated_parts: tuple[NegatedPart, ...] = ()

    def edges_from(self, position: int) -> tuple[Edge, ...]:
        """Return the edges out of a position."""
        return tuple(edge for edge in self.edges if edge.source == position)

    def mandatory_from(self, position: int) -> frozenset[int]:
        """Targets of the loop edges out of a position if there are any, else of all edges."""
        edges = self.edges_from(position)
        loops = [edge for edge in edges if edge.is_loop]
        return frozenset(edge.target for edge in loops or edges)

    @property
    def has_unbounded_repetition(self) -> bool:
        """Whether some position can be reached from itself."""
        reach = {edge.source: set[int]() for edge in self.edges}
        for edge in self.edges:
            reach[edge.source].add(edge.target)
        for start, targets in reach.items():
            seen, waiting = set[int](), list(targets)
            while waiting:
                position = waiting.pop()
                if position == start:
                    return True
                if position not in seen:
                    seen.add(position)
                    waiting += reach.get(position, ())
        return False


def combine(left: Alternatives, right: Alternatives) -> Alternatives:
    """Both gaps are crossed: every set of the one with every set of the other."""
    return minimal(frozenset(one | other for one in left for other in right))


def either(left: Alternatives, right: Alternatives) -> Alternatives:
    """Either way will do."""
    return minimal(left | right)


def minimal(alternatives: Alternatives) -> Alternatives:
    """Drop the sets that contain another set: they never help."""
    return frozenset(one for one in alternatives if not any(other < one for other in alternatives))
