"""Repetitions of a negated part that need not be gone through: one match is enough to block.

A clause such as `n.x > a.x` holds for a match if it holds for each event of `n`. So it holds for
every part of that match, too, and where `B+ n` has a match in a gap, one of its events is a match.
An edge back into a group is left out, if whatever the conditions say of a match with several
repetitions of the group, they say of one of these repetitions as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cepheid.analysis.expressions import Role
from cepheid.program.lower_automaton import bit_mask
from cepheid.program.lower_paths import HAS_CLOSED, HAS_EACH, HAS_FIRST, ROLES
from cepheid.program.position_automaton import PositionAutomaton
from cepheid.program.run_program import PathClause


def shortened(automaton: PositionAutomaton, conditions: Iterable[PathClause]) -> PositionAutomaton:
    """Return the automaton of a negated part without repetitions that do not matter."""
    reads = _reads(conditions)
    edges = tuple(edge for edge in automaton.edges if not _is_needless(edge, reads))
    follow = tuple(
        bit_mask(target for source, target in edges if source == position)
        for position in range(len(automaton.follow))
    )
    mandatory = tuple(mask & follow[position] for position, mask in enumerate(automaton.mandatory))
    return replace(automaton, edges=edges, follow=follow, mandatory=mandatory)


def _reads(conditions: Iterable[PathClause]) -> dict[int, int]:
    """Return how every negated variable, by the mask of its positions, is read.

    An aggregate over its whole block counts as first and last event: both ends matter.
    """
    reads: dict[int, int] = {}
    for clause in conditions:
        for number, variable in enumerate(clause.variables):
            if not variable.is_negated:
                continue
            flags = variable.flags
            roles = {each.role for each in clause.operands if each.variable == number}
            if flags & HAS_CLOSED and roles & {ROLES[Role.ALL]}:
                flags |= HAS_FIRST
            reads[variable.mask] = reads.get(variable.mask, 0) | flags
    return reads


def _is_needless(edge: tuple[int, int], reads: dict[int, int]) -> bool:
    """Whether an edge leads to another repetition that conditions do not need.

    Positions are numbered from left to right, so that an edge back spans the repeated group. Of a
    single event that repeats, the first one or the last one can stand for all: then `n[i]` and
    `n[i-1]` read nothing, and `n[1]` or `n[n.LEN]` reads what it did before.
    """
    source, target = edge
    if target > source:
        return False
    group = bit_mask(range(target, source + 1))
    for mask, flags in reads.items():
        if not mask & group or flags == HAS_EACH:
            continue
        has_both_ends = flags & HAS_FIRST and flags & HAS_CLOSED
        if mask != group or source != target or has_both_ends:
            return False
    return True
