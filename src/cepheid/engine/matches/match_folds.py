"""The folds that build graphs of matches."""

from __future__ import annotations

from dataclasses import dataclass

from cepheid.engine.fold import Facts, Fold, Precedence
from cepheid.program.program import Program

BUILT = "cepheid.engine.matches.match_chunks"


@dataclass(frozen=True, slots=True)
class Matches:
    """A pattern whose matches are listed, kept, or added up one by one."""

    program: Program

    @property
    def queries(self) -> tuple[str, ...]:
        """Whose matches these are."""
        return (self.program.name,)


def _not_by_position(matches: Matches, facts: Facts) -> str | None:
    runs = matches.program.runs
    if any(runs.path_clauses):
        return "a predicate reads several events of a run"
    return "predicates across events tell runs apart" if runs.has_tests else None


def _anything(matches: Matches, facts: Facts) -> None:
    return None


# A node for an event at a position: all runs that end in it have the same future.
GRAPH_OF_POSITIONS = Fold(
    "graph of positions", Matches, Precedence.DOUBLES, _not_by_position,
    f"{BUILT}:graph_of_positions",
)  # fmt: skip
# A node for an event at a position, with what later predicates read of the run.
GRAPH_OF_RUNS = Fold(
    "graph of runs", Matches, Precedence.ANY_SIZE, _anything, f"{BUILT}:graph_of_runs"
)
