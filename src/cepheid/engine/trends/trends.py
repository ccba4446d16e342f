"""What of the trends of a pattern is added up, as its program says: what folds are chosen by."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cepheid.engine.matches.match_folds import Matches, OfOneQuery, matches_of
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Program

MOST_CODES = 256  # of events that are counted in order


@dataclass(frozen=True, slots=True)
class Trends(OfOneQuery):
    """A pattern, and how many numbers beside the count and minima its trends carry.

    `is_modular`: residues are added up. `is_own`: what is added up are the numbers of the program's
    output. `is_step`: of a stream, which reports some windows only. `what`: see FoldGroup.
    """

    numbers: int = 0
    minima: int = 0
    is_modular: bool = False
    is_own: bool = True
    is_step: bool = False
    what: str = ""

    @property
    def counts_only(self) -> bool:
        """Whether trends are counted, and nothing else."""
        return not self.numbers and not self.minima

    @property
    def reads_numbers(self) -> bool:
        """Whether predicates may have read all that is added up, so that it need not be read."""
        return self.is_own and not self.minima and not self.is_moving

    @property
    def is_moving(self) -> bool:
        """Whether the window moves with every event: WITHIN alone."""
        return self.program.window_length is not None and self.program.slide is None

    @property
    def overlap(self) -> int:
        """How many windows an event can be in."""
        length, slide = self.program.window_length, self.program.slide
        return 1 if length is None or slide is None else -(-length // slide)

    @property
    def sides(self) -> tuple[Trends, ...]:
        """What is added up of each side of AND, and of the trends that both have, if any."""
        folds = None if self.program.pair is None else self.program.pair.folds
        if folds is None:
            return ()
        sides = ((folds.first, "first side"), (folds.second, "second side"))
        found = [self._side(program, side) for program, side in sides]
        if folds.common is not None:
            # A minimum of pairs needs no other than those of the sides.
            found.append(replace(self._side(folds.common, "trends of both sides"), minima=0))
        return tuple(found)

    def _side(self, program: Program, side: str) -> Trends:
        return replace(self, program=program, is_own=False, what=self._also(side))

    @property
    def added_up(self) -> tuple[Matches, ...]:
        """The matches, of both sides of AND, that are added up one by one."""
        return matches_of(self.program, self._also("matches that are added up"))

    def _also(self, what: str) -> str:
        return f"{what}, {self.what}" if self.what else what


def residues_of(program: Program, numbers: int = 1, *, is_step: bool = False) -> Trends:
    """Return what a query adds up modulo primes, where numbers are beyond 64 bits."""
    given = (program, numbers, 0, True, False, is_step)
    return Trends(*given, what="residues of large numbers")


def trends_of(program: Program) -> Trends:
    """Return what a query adds up."""
    output = program.output
    assert isinstance(output, AggregateOutput)
    return Trends(program, len(output.numbers), len(output.minima))
