"""Negated parts: which bindings they block, and under which conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

from cepheid.analysis.automaton import FREE, Alternatives, Automaton, NegatedPart
from cepheid.analysis.bound import BoundPattern, Branch
from cepheid.plan.negated_pattern import is_local
from cepheid.plan.place_tests import all_bindings
from cepheid.program.lower_automaton import bit_mask, lower_automaton
from cepheid.program.lower_paths import lower_path_clause
from cepheid.program.negation_program import BranchProgram, NegatedProgram, NegationProgram
from cepheid.program.predicate_code import CodeWriter
from cepheid.program.shorten_negated import shortened


def lower_negation(pattern: BoundPattern, writer: CodeWriter) -> NegationProgram:
    """Return the negated parts of a pattern; local conditions are left to the position tests."""
    branches = tuple(_branch(each, pattern, writer) for each in pattern.branches)
    return _negation(pattern.automaton, branches, count())


def with_inner_parts(parts: Iterable[NegatedPart]) -> Iterator[NegatedPart]:
    """Yield negated parts, each followed by those inside it: the order of their masks."""
    for part in parts:
        yield part
        yield from with_inner_parts(part.automaton.negated_parts)


def _negation(
    automaton: Automaton, branches: tuple[BranchProgram, ...], masks: Iterator[int]
) -> NegationProgram:
    parts = []
    for number, part in enumerate(automaton.negated_parts):
        mask, inner = next(masks), _inner_negation(part.automaton, masks)
        lowered = lower_automaton(part.automaton)
        conditions = [clause for branch in branches for clause in branch.negative[number]]
        if conditions and inner is None:  # a longer gap may be one that an inner negation blocks
            lowered = shortened(lowered, conditions)
        parts.append(NegatedProgram(lowered, mask, inner))
    return NegationProgram(tuple(parts), tuple(_gaps(automaton)), branches)


def _inner_negation(automaton: Automaton, masks: Iterator[int]) -> NegationProgram | None:
    """Return the negations inside a negated part; WHERE cannot name their events."""
    if not automaton.negated_parts:
        return None
    no_conditions = BranchProgram(negative=((),) * len(automaton.negated_parts), positive=())
    return _negation(automaton, (no_conditions,), masks)


def _gaps(automaton: Automaton) -> Iterable[tuple[int, ...]]:
    """Return the alternatives of every binding."""
    edges = {(edge.source, edge.target): edge.blocked_by for edge in automaton.edges}
    first = {border.position: border.blocked_by for border in automaton.first}
    last = {border.position: border.blocked_by for border in automaton.last}
    for binding in all_bindings(automaton):
        if binding.source is None:
            blocked: Alternatives = first.get(binding.target or 0, FREE)
        elif binding.target is None:
            blocked = last.get(binding.source, FREE)
        else:
            blocked = edges[binding.source, binding.target]
        yield tuple(sorted(bit_mask(choice) for choice in blocked))


def _branch(branch: Branch, pattern: BoundPattern, writer: CodeWriter) -> BranchProgram:
    is_only = len(pattern.branches) == 1
    return BranchProgram(
        negative=tuple(
            tuple(
                lower_path_clause(condition, pattern, writer)
                for condition in branch.negative.get(part.index, ())
                if not is_local(condition, pattern)
            )
            for part in pattern.automaton.negated_parts
        ),
        # With one branch its positive conditions are clauses of the match already.
        positive=()
        if is_only
        else tuple(lower_path_clause(each, pattern, writer) for each in branch.positive),
    )
