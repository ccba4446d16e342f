"""The part of a program that negation needs."""

from __future__ import annotations

from dataclasses import dataclass

from cepheid.program.position_automaton import PositionAutomaton
from cepheid.program.run_program import PathClause, RunProgram

FREE = (0,)  # the ways through a gap that no negated part can block


@dataclass(frozen=True, slots=True)
class BranchProgram:
    """Conditions of one branch of WHERE: on every part, and on the positive match."""

    negative: tuple[tuple[PathClause, ...], ...]
    positive: tuple[PathClause, ...]


@dataclass(frozen=True, slots=True)
class NegatedProgram:
    """A negated part; `masks` is its place among the masks of all negated parts of the pattern.

    Its own matches must not be blocked by the negations inside it. `runs` has the tests that its
    matches must pass, if these read nothing of the positive match.
    """

    automaton: PositionAutomaton
    masks: int
    inner: NegationProgram | None
    runs: RunProgram | None = None


@dataclass(frozen=True, slots=True)
class NegationProgram:
    """What blocks which binding (edges, entries, ends): sets of parts, as bit masks."""

    parts: tuple[NegatedProgram, ...]
    gaps: tuple[tuple[int, ...], ...]
    branches: tuple[BranchProgram, ...]

    def has_conditions(self, part: int) -> bool:
        """Whether some branch restricts the matches of a part."""
        return any(branch.negative[part] for branch in self.branches)

    @property
    def is_conditional(self) -> bool:
        """Whether it takes the whole match to tell if it stays."""
        return len(self.branches) > 1 or any(map(self.has_conditions, range(len(self.parts))))
