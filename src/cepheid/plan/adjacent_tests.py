"""Whether the predicates of a pattern read only the last event of a run and the new one.

Then runs with the same last event have the same future, and can be added up. A reference that is
tested at a binding reads the *new* event, the *last* one of the run, *nothing* (no run has bound
its variable by then, so the clause holds), or an event *further back*.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.automaton import Automaton
from cepheid.analysis.bound import BoundPattern, BoundQuery, NeighbourBound, Strategy
from cepheid.analysis.expressions import (
    AttributeReference,
    BlockAggregate,
    Compare,
    Condition,
    Constant,
    Operation,
    Reference,
    Role,
    Value,
    reads_one_event,
    references,
)
from cepheid.plan.place_tests import (
    Binding,
    PlacedTest,
    all_bindings,
    bound_bindings,
    place_tests,
)


class Source(StrEnum):
    """Which event a reference reads at a binding."""

    NEW = "new"
    LAST = "last"
    NOTHING = "nothing"
    BACK = "further back"


@dataclass(frozen=True, slots=True)
class AdjacentTest:
    """A test at a binding, in the order in which tests are lowered.

    `always_holds` if it reads a variable that is not bound there. `operator` is set for a
    comparison `last operator new`, of the values `last` and `new`; `reads` says which of the two
    events any other test reads. A difference that is compared with a constant, `new - last < 10`,
    is a comparison too, `last > new + shift`: as long as no difference leaves 64 bits.
    """

    text: str
    always_holds: bool
    reads: frozenset[Source]
    operator: str | None = None
    last: Value | None = None
    new: Value | None = None
    shift: int | None = None


@dataclass(frozen=True, slots=True)
class AdjacentTests:
    """The tests of every binding (edges, entries, ends)."""

    by_binding: tuple[tuple[AdjacentTest, ...], ...]


@dataclass(frozen=True, slots=True)
class NotAdjacent:
    """Why runs with the same last event must be told apart."""

    reason: str


LARGEST_SHIFT = 2**61  # values may be as large, too: no sum and no difference leaves 64 bits
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}


def find_adjacent_tests(query: BoundQuery) -> AdjacentTests | NotAdjacent:
    """Return the tests of a pattern, or the first reason why they are not all adjacent."""
    pattern = query.pattern
    if len(query.patterns) > 1:
        return NotAdjacent("AND pairs whole trends")
    if len(pattern.branches) > 1:
        return NotAdjacent("an OR concerns a negated part, which is settled by the whole match")
    for part in pattern.automaton.negated_parts:
        conditions = pattern.branches[0].negative.get(part.index, ())
        if not all(reads_one_event(each) for each in conditions):
            return NotAdjacent(f"a condition on !{part.text} reads several events")
    reading = _Sources(pattern, keeps_runs=query.strategy is Strategy.SKIP_TILL_ANY)
    bindings = all_bindings(pattern.automaton)
    tests: dict[Binding, list[AdjacentTest]] = {each: [] for each in bindings}
    for placed in place_tests(pattern):
        test = reading.test(placed)
        if isinstance(test, NotAdjacent):
            return test
        if not placed.needs_path:  # what needs a path and always holds is no test of a run
            tests[placed.binding].append(test)
    for bound in query.neighbour_bounds:
        for binding in bound_bindings(pattern, bound, bindings):
            test = reading.neighbour_test(bound, binding)
            if isinstance(test, NotAdjacent):
                return test
            tests[binding].append(test)
    return AdjacentTests(tuple(tuple(tests[each]) for each in bindings))


class _Sources:
    """Where references get their events."""

    def __init__(self, pattern: BoundPattern, *, keeps_runs: bool) -> None:
        self.pattern = pattern
        self.keeps_runs = keeps_runs
        self.automaton: Automaton = pattern.automaton

    @cached_property
    def reachable(self) -> dict[int, set[int]]:
        """The positions that come after a position in some run."""
        follow = {each.index: set[int]() for each in self.automaton.positions}
        for edge in self.automaton.edges:
            follow[edge.source].add(edge.target)
        reach = {}
        for start, targets in follow.items():
            seen, waiting = set[int](), list(targets)
            while waiting:
                position = waiting.pop()
                if position not in seen:
                    seen.add(position)
                    waiting += follow[position]
            reach[start] = seen
        return reach

    def _may_be_bound(self, variable: str, position: int) -> bool:
        """Whether a run at a position may have bound a variable, at it or before it."""
        own = self.pattern.variables[variable].positions
        return position in own or any(position in self.reachable[each] for each in own)

    def test(self, placed: PlacedTest) -> AdjacentTest | NotAdjacent:
        condition, text = placed.clause.condition, placed.clause.text
        sources = [self.source(each, placed.binding) for each in references(condition)]
        if Source.NOTHING in sources:
            return AdjacentTest(text, always_holds=True, reads=frozenset())
        if placed.needs_path or Source.BACK in sources:
            return NotAdjacent(
                f"the {placed.clause.predicate_class.value} predicate '{text}' reads more of a "
                "run than its last event"
            )
        operator, last, new = self._comparison(condition, placed.binding)
        test = AdjacentTest(text, False, frozenset(sources), operator, last, new)
        return self._rearranged(test, condition, placed.binding) or test

    def neighbour_test(self, bound: NeighbourBound, binding: Binding) -> AdjacentTest | NotAdjacent:
        """The first event of its second variable in the whole match settles a bound of two."""
        text = f"WITHIN … BETWEEN {bound.first}, {bound.second}"
        assert binding.source is not None
        if not self._may_be_bound(bound.first, binding.source):
            return AdjacentTest(text, always_holds=True, reads=frozenset())
        is_last = binding.source in self.pattern.variables[bound.first].positions
        is_settled = not bound.is_within_one and self._may_be_bound(bound.second, binding.source)
        if not is_last or is_settled:
            return NotAdjacent(f"{text} reads the latest {bound.first} of a run")
        return AdjacentTest(text, False, frozenset((Source.LAST, Source.NEW)))

    def _comparison(
        self, condition: Condition, binding: Binding
    ) -> tuple[str | None, Value | None, Value | None]:
        if not isinstance(condition, Compare):
            return None, None, None
        left, right = (
            {self.source(each, binding) for each in references(side)}
            for side in (condition.left, condition.right)
        )
        if left == {Source.LAST} and right == {Source.NEW}:
            return condition.operator, condition.left, condition.right
        if left == {Source.NEW} and right == {Source.LAST}:
            return FLIPPED[condition.operator], condition.right, condition.left
        return None, None, None

    def _rearranged(
        self, test: AdjacentTest, condition: Condition, binding: Binding
    ) -> AdjacentTest | None:
        """Return a difference as a comparison of two values, where it is looked up."""
        match condition:
            case Compare(operator, Operation("-", minuend, subtrahend), Constant(limit)):
                pass
            case Compare(operator, Constant(limit), Operation("-", minuend, subtrahend)):
                operator = FLIPPED[operator]
            case _:
                return None
        if not self.keeps_runs or not isinstance(limit, int) or abs(limit) > LARGEST_SHIFT:
            return None
        if not (isinstance(minuend, AttributeReference) and minuend.type is AttributeType.INTEGER):
            return None
        if not (
            isinstance(subtrahend, AttributeReference) and subtrahend.type is AttributeType.INTEGER
        ):
            return None
        match self.source(minuend, binding), self.source(subtrahend, binding):
            case Source.LAST, Source.NEW:
                return replace(test, operator=operator, last=minuend, new=subtrahend, shift=limit)
            case Source.NEW, Source.LAST:
                flipped = FLIPPED[operator]
                return replace(test, operator=flipped, last=subtrahend, new=minuend, shift=-limit)
            case _:
                return None

    def source(self, reference: Reference, binding: Binding) -> Source:
        """Return which event a reference reads at a binding that tests it."""
        positions = self.pattern.variables[reference.variable].positions
        is_bound_now = binding.target is not None and binding.target in positions
        if reference.role in (Role.LEFT, Role.PREVIOUS):
            return Source.LAST
        if reference.role in (Role.RIGHT, Role.CURRENT):
            return Source.NEW
        if is_bound_now and reference.role is Role.EACH:
            return Source.NEW
        if is_bound_now and reference.role is Role.FIRST and binding.source not in positions:
            return Source.NEW
        if binding.source is None or not self._may_be_bound(reference.variable, binding.source):
            return Source.NOTHING
        if isinstance(reference, BlockAggregate) or binding.source not in positions:
            return Source.BACK
        if reference.role is Role.FIRST and self._has_long_blocks(binding.source, positions):
            return Source.BACK
        return Source.LAST

    def _has_long_blocks(self, position: int, positions: tuple[int, ...]) -> bool:
        """Whether the event at a position may be a later one of its variable's block."""
        return any(
            edge.target == position and edge.source in positions for edge in self.automaton.edges
        )
