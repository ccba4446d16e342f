"""When each clause is tested: at the bindings that add a combination of events it reads.

A binding moves a run along an edge, starts one at an entry, or ends a match. Which combinations it
adds follows from the roles in which the clause reads variables (semantics, section 4):

- binding a variable adds its event in the role EACH; as FIRST if it opens a block; as CURRENT,
  PREVIOUS and BEFORE if it continues one;
- leaving a variable's block, or ending the match in it, makes LAST and ALL available.

Most tests read one event per reference (*simple* tests): then a run need only carry those events.
A test that ranges over several events of an array needs the whole *path* of the run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from cepheid.analysis.automaton import Automaton
from cepheid.analysis.bound import BoundPattern, Clause, NeighbourBound, PredicateClass
from cepheid.analysis.expressions import BlockAggregate, Role, references

INDEXED = frozenset([Role.CURRENT, Role.PREVIOUS, Role.BEFORE])
CLOSED = frozenset([Role.LAST, Role.ALL])


@dataclass(frozen=True, slots=True)
class Binding:
    """An edge; an entry if `source` is None; an end if `target` is None."""

    source: int | None
    target: int | None


@dataclass(frozen=True, slots=True)
class PlacedTest:
    """A clause to test at a binding."""

    binding: Binding
    clause: Clause
    needs_path: bool


def all_bindings(automaton: Automaton) -> list[Binding]:
    """Return the edges, then an entry and an end for every position."""
    positions = range(len(automaton.positions))
    edges = [Binding(edge.source, edge.target) for edge in automaton.edges]
    entries = [Binding(None, position) for position in positions]
    return edges + entries + [Binding(position, None) for position in positions]


def bound_bindings(
    pattern: BoundPattern, bound: NeighbourBound, bindings: list[Binding]
) -> list[Binding]:
    """Return the edges that may bind an event from which a bound looks back.

    That is the first event of the second variable, or every one but the first if both are the same.
    """
    own = pattern.variables[bound.second].positions
    edges = [each for each in bindings if each.source is not None and each.target in own]
    return edges if bound.is_within_one else [each for each in edges if each.source not in own]


def place_tests(pattern: BoundPattern) -> tuple[PlacedTest, ...]:
    """Return every test of a clause that reads more than one event."""
    across = [each for each in pattern.clauses if each.predicate_class is not PredicateClass.LOCAL]
    return tuple(_placed(pattern, across))


def _placed(pattern: BoundPattern, clauses: list[Clause]) -> Iterator[PlacedTest]:
    bindings = all_bindings(pattern.automaton)
    for clause in clauses:
        reading = _Reading(pattern, clause)
        for binding in bindings:
            if reading.adds_combination(binding):
                yield PlacedTest(binding, clause, reading.needs_path(binding))


class _Reading:
    """What one clause reads."""

    def __init__(self, pattern: BoundPattern, clause: Clause) -> None:
        self.pattern = pattern
        self.roles: dict[str, set[Role]] = {}
        self.reads_all = False
        for reference in references(clause.condition):
            if isinstance(reference, BlockAggregate) and reference.reads_all:
                self.reads_all = True
            self.roles.setdefault(reference.variable, set()).add(reference.role)

    def positions(self, name: str) -> tuple[int, ...]:
        return self.pattern.variables[name].positions

    @cached_property
    def pair(self) -> tuple[str, str] | None:
        """The variables of a predicate with NEXT."""
        left = [name for name, roles in self.roles.items() if Role.LEFT in roles]
        right = [name for name, roles in self.roles.items() if Role.RIGHT in roles]
        return (left[0], right[0]) if left and right else None

    def adds_combination(self, binding: Binding) -> bool:
        if self.pair is not None:
            left, right = self.pair
            is_left = binding.source in self.positions(left)
            return is_left and binding.target in self.positions(right)
        return self._is_available(binding) and (
            any(self._binds_new(name, binding) for name in self.roles)
            or any(self._closes(name, binding) for name in self.roles)
        )

    def _continues(self, name: str, binding: Binding) -> bool:
        positions = self.positions(name)
        return binding.source in positions and binding.target in positions

    def _binds_new(self, name: str, binding: Binding) -> bool:
        if binding.target is None or binding.target not in self.positions(name):
            return False
        roles = self.roles[name]
        if Role.EACH in roles:
            return True
        if self._continues(name, binding):
            return bool(roles & INDEXED)
        return Role.FIRST in roles

    def _closes(self, name: str, binding: Binding) -> bool:
        """Whether the binding leaves the variable's block, or ends the match in it."""
        positions = self.positions(name)
        leaves = binding.source in positions and binding.target not in positions
        return leaves and bool(self.roles[name] & CLOSED)

    def _is_available(self, binding: Binding) -> bool:
        """Whether every reference can have an event; a block just bound is open."""
        for name, roles in self.roles.items():
            is_bound_now = binding.target is not None and binding.target in self.positions(name)
            if binding.source is None and not is_bound_now:
                return False
            if is_bound_now and roles & CLOSED:
                return False
            if is_bound_now and roles & INDEXED and not self._continues(name, binding):
                return False
        return True

    def needs_path(self, binding: Binding) -> bool:
        if self.pair is not None or self.reads_all:
            return self.reads_all
        closes = any(self._closes(name, binding) for name in self.roles)
        changed = {name for name in self.roles if self._binds_new(name, binding)}
        for name, roles in self.roles.items():
            is_bound_now = binding.target is not None and binding.target in self.positions(name)
            if Role.EACH in roles and self.pattern.variables[name].has_several_events:
                # Its older events meet what another name offers anew, be it the same event.
                is_only_change = changed == {name} and roles == {Role.EACH}
                if not is_only_change or closes:
                    return True
            if roles & INDEXED and not (is_bound_now and not closes):
                return True
        return False
