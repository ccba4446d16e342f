"""The folds that build graphs of matches."""

from __future__ import annotations

from dataclasses import dataclass

from cepheid.engine.fold import Facts, Fold, Precedence
from cepheid.program.lower_runs import LAST_EVENT
from cepheid.program.program import MatchOutput, Program, Ranking, StrategyCode

BUILT = "cepheid.engine.matches.match_chunks"
READS_SEVERAL = "a predicate reads several events of a run"
NOT_ANY = "events take runs away from each other"


@dataclass(frozen=True, slots=True)
class Matches:
    """A pattern whose matches are listed, kept, or added up one by one."""

    program: Program

    @property
    def queries(self) -> tuple[str, ...]:
        """Whose matches these are."""
        return (self.program.name,)


def drops_overlaps(program: Program) -> bool:
    """Whether the fold may drop all runs when a match ends.

    Not with negation, which decides later whether there is such a match, nor under strict
    contiguity, where matches of several partitions exclude one another.
    """
    is_apart = isinstance(program.output, MatchOutput) and program.output.tie_columns is not None
    return is_apart and program.negation is None and program.ranking is not Ranking.STREAM


def _not_by_position(matches: Matches, facts: Facts) -> str | None:
    runs = matches.program.runs
    if any(runs.path_clauses):
        return READS_SEVERAL
    return "predicates across events tell runs apart" if runs.has_tests else None


def _not_the_best(matches: Matches, facts: Facts) -> str | None:
    program = matches.program
    if not drops_overlaps(program):
        return "more is wanted than the first match that ends"
    if any(program.runs.path_clauses):
        return READS_SEVERAL
    return None if program.strategy is StrategyCode.SKIP_TILL_ANY else NOT_ANY


def _no_bounds(matches: Matches, facts: Facts) -> str | None:
    program = matches.program
    if not program.runs.has_tests:
        return "no predicate tells runs apart"
    if program.runs.aggregate_slots:
        return None
    if program.window_length is not None:
        return "runs that start at different times share their nodes"
    tests = (test for tests in program.runs.tests for test in tests)
    reads_last = any(
        len(test.operands) > 1 and any(each.source == LAST_EVENT for each in test.operands)
        for test in tests
    )
    return "what a run takes next depends on its last event" if reads_last else None


def _anything(matches: Matches, facts: Facts) -> None:
    return None


# A node for an event at a position: all runs that end in it have the same future.
GRAPH_OF_POSITIONS = Fold(
    "graph of positions", Matches, Precedence.DOUBLES, _not_by_position,
    f"{BUILT}:graph_of_positions",
)  # fmt: skip
# The same with what predicates read, of the runs that can become the match that is taken.
GRAPH_OF_BEST_RUNS = Fold(
    "graph of best runs", Matches, Precedence.DOUBLES, _not_the_best,
    "cepheid.engine.matches.best_run_fold:graph_of_best_runs", waste=_no_bounds,
)  # fmt: skip
# A node for an event at a position, with what later predicates read of the run.
GRAPH_OF_RUNS = Fold(
    "graph of runs", Matches, Precedence.ANY_SIZE, _anything, f"{BUILT}:graph_of_runs"
)
