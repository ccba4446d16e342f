"""Pattern to position automaton.

Every fragment knows its first and last positions, each with the negations crossed on the way to
the fragment's border, and, if it can be skipped, the negations crossed by skipping it.
`P{n,m}` is n copies and then nested options, `P{n,}` is n-1 copies and then `P+`; the edge to the
next copy is a loop edge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from cepheid.analysis.automaton import (
    FREE,
    Alternatives,
    Automaton,
    Border,
    Edge,
    NegatedPart,
    Position,
    combine,
    either,
)
from cepheid.analysis.problems import Problems
from cepheid.language import ast
from cepheid.language.printer import print_pattern

MAXIMUM_POSITIONS = 1000


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An event pattern as written once in the text; copies of it share the occurrence."""

    index: int
    types: tuple[str, ...]
    variable: str
    is_named: bool
    is_array: bool
    negated_part: int | None
    node: ast.EventPattern


@dataclass(frozen=True, slots=True)
class _Fragment:
    first: Mapping[int, Alternatives]
    last: Mapping[int, Alternatives]
    skipped: Alternatives | None  # None: it cannot be skipped


EMPTY = _Fragment({}, {}, FREE)


def build_automaton(
    pattern: ast.Pattern, occurrences: Mapping[int, Occurrence], problems: Problems
) -> Automaton:
    """Return the automaton; `occurrences` is keyed by the id of the event-pattern node."""
    builder = _Builder(occurrences, problems)
    fragment = builder.fragment(pattern)
    return builder.finish(fragment)


class _Builder:
    def __init__(self, occurrences: Mapping[int, Occurrence], problems: Problems) -> None:
        self.occurrences = occurrences
        self.problems = problems
        self.positions: list[Position] = []
        self.edges: dict[tuple[int, int], Edge] = {}
        self.parts: dict[int, NegatedPart] = {}
        self.part_by_node: dict[int, int] = {}
        self.is_full = False

    def finish(self, fragment: _Fragment) -> Automaton:
        return Automaton(
            tuple(self.positions),
            tuple(Border(*each) for each in sorted(fragment.first.items())),
            tuple(Border(*each) for each in sorted(fragment.last.items())),
            tuple(self.edges[key] for key in sorted(self.edges)),
            tuple(self.parts[key] for key in sorted(self.parts)),
        )

    def fragment(self, pattern: ast.Pattern) -> _Fragment:
        match pattern:
            case ast.EventPattern():
                return self._event(pattern)
            case ast.Sequence():
                return self._sequence(pattern)
            case ast.Repeat():
                return self._repeat(pattern)
            case ast.Alternation():
                fragments = [self.fragment(each) for each in pattern.parts]
                skipped = [each.skipped for each in fragments if each.skipped is not None]
                return _Fragment(
                    {key: value for each in fragments for key, value in each.first.items()},
                    {key: value for each in fragments for key, value in each.last.items()},
                    _any_of(skipped),
                )
            case ast.Negation():
                self.problems.add(
                    "misplaced-negation",
                    "a negation must stand inside a SEQ next to other events",
                    pattern.span,
                    "write SEQ(A, !B, C)",
                )
                return EMPTY
            case ast.Conjunction():
                self.problems.add(
                    "misplaced-and",
                    "AND joins two whole patterns and cannot be nested",
                    pattern.span,
                    "for events in any order write SEQ(A, B) OR SEQ(B, A); or ask two queries",
                )
                return EMPTY
        assert_never(pattern)

    def _event(self, pattern: ast.EventPattern) -> _Fragment:
        occurrence = self.occurrences[id(pattern)]
        index = len(self.positions)
        if index >= MAXIMUM_POSITIONS:
            if not self.is_full:
                self.problems.add(
                    "pattern-too-large",
                    f"the pattern has more than {MAXIMUM_POSITIONS} positions",
                    pattern.span,
                    "use + or * instead of a large repetition count",
                )
            self.is_full = True
            index -= 1
        else:
            self.positions.append(
                Position(index, occurrence.types, occurrence.variable, occurrence.index)
            )
        return _Fragment({index: FREE}, {index: FREE}, None)

    def _sequence(self, pattern: ast.Sequence) -> _Fragment:
        whole = EMPTY
        gap: frozenset[int] = frozenset()
        positive = 0
        for part in pattern.parts:
            if isinstance(part, ast.Negation):
                gap |= {self._negated_part(part)}
                continue
            positive += 1
            whole = self._concatenate(whole, gap, self.fragment(part))
            gap = frozenset()
        if positive == 0:
            self.problems.add(
                "only-negation",
                "this sequence has no event that must occur",
                pattern.span,
                "add an event without '!'",
            )
        return self._concatenate(whole, gap, EMPTY)

    def _negated_part(self, negation: ast.Negation) -> int:
        known = self.part_by_node.get(id(negation))
        if known is not None:
            return known
        index = len(self.parts)
        self.part_by_node[id(negation)] = index
        inner = _Builder(self.occurrences, self.problems)
        known_mistakes = len(self.problems.diagnostics)
        fragment = inner.fragment(negation.pattern)
        automaton = inner.finish(fragment)
        # A part with a mistake is built as if it were empty: one message is enough.
        if fragment.skipped is not None and len(self.problems.diagnostics) == known_mistakes:
            self.problems.add(
                "nullable-negation",
                "the negated pattern can match nothing at all, so it would always block",
                negation.span,
                "negate a pattern that needs at least one event",
            )
        if any(each.blocked_by != FREE for each in (*automaton.first, *automaton.last)):
            self.problems.add(
                "negation-at-border",
                "a negation at the start or end of a negated pattern has no window of its own",
                negation.span,
                "put the inner negation between two events",
            )
        variables = tuple(dict.fromkeys(each.variable for each in automaton.positions))
        text = print_pattern(negation.pattern)
        self.parts[index] = NegatedPart(index, automaton, variables, text)
        return index

    def _repeat(self, pattern: ast.Repeat) -> _Fragment:
        minimum, maximum = pattern.minimum, pattern.maximum
        copies = max(1, minimum) if maximum is None else max(1, maximum)
        fragments = []
        for _ in range(copies):
            fragments.append(self.fragment(pattern.pattern))
            if self.is_full:
                break
        if maximum is None:
            self._connect(fragments[-1], frozenset(), fragments[-1], is_loop=True)
        rest = fragments[-1]
        for number in range(len(fragments) - 1, 0, -1):
            optional = _optional(rest) if number >= minimum else rest
            rest = self._concatenate(fragments[number - 1], frozenset(), optional, is_loop=True)
        return _optional(rest) if minimum == 0 else rest

    def _connect(
        self, left: _Fragment, gap: frozenset[int], right: _Fragment, *, is_loop: bool
    ) -> None:
        crossed = frozenset([gap])
        for source, leaving in left.last.items():
            for target, entering in right.first.items():
                blocked = combine(combine(leaving, crossed), entering)
                known = self.edges.get((source, target))
                if known is None:
                    edge = Edge(source, target, is_loop, blocked)
                else:
                    edge = replace(
                        known,
                        is_loop=known.is_loop or is_loop,
                        blocked_by=either(known.blocked_by, blocked),
                    )
                self.edges[source, target] = edge

    def _concatenate(
        self, left: _Fragment, gap: frozenset[int], right: _Fragment, *, is_loop: bool = False
    ) -> _Fragment:
        self._connect(left, gap, right, is_loop=is_loop)
        crossed = frozenset([gap])
        first, last = dict(left.first), dict(right.last)
        if left.skipped is not None:
            skipping = combine(left.skipped, crossed)
            for position, entering in right.first.items():
                blocked = combine(skipping, entering)
                first[position] = either(first[position], blocked) if position in first else blocked
        if right.skipped is not None:
            skipping = combine(crossed, right.skipped)
            for position, leaving in left.last.items():
                blocked = combine(leaving, skipping)
                last[position] = either(last[position], blocked) if position in last else blocked
        skipped = None
        if left.skipped is not None and right.skipped is not None:
            skipped = combine(combine(left.skipped, crossed), right.skipped)
        return _Fragment(first, last, skipped)


def _optional(fragment: _Fragment) -> _Fragment:
    skipped = FREE if fragment.skipped is None else either(FREE, fragment.skipped)
    return replace(fragment, skipped=skipped)


def _any_of(choices: list[Alternatives]) -> Alternatives | None:
    if not choices:
        return None
    result = choices[0]
    for each in choices[1:]:
        result = either(result, each)
    return result
