"""The folds that build graphs of matches, and those that choose matches or pairs of them."""

from __future__ import annotations

from dataclasses import dataclass

from cepheid.engine.fold import Facts, Fold, Precedence
from cepheid.program.lower_runs import LAST_EVENT
from cepheid.program.program import MatchOutput, Program, Ranking, StrategyCode

BUILT = "cepheid.engine.matches.match_chunks"
CHOSEN = "cepheid.engine.matches.forms.non_overlapping"
PAIRED = "cepheid.engine.matches.match_pairs"
MOST_LISTED = 2**20  # matches, of which those that do not overlap are chosen
NO_STEP = "all events are known"
READS_SEVERAL = "a predicate reads several events of a run"
NOT_ANY = "events take runs away from each other"


@dataclass(frozen=True, slots=True)
class OfOneQuery:
    """What is folded of one query."""

    program: Program

    @property
    def queries(self) -> tuple[str, ...]:
        """The query."""
        return (self.program.name,)


@dataclass(frozen=True, slots=True)
class Matches(OfOneQuery):
    """A pattern whose matches are listed, kept, or added up one by one."""

    what: str = ""


@dataclass(frozen=True, slots=True)
class MatchesApart(OfOneQuery):
    """The matches of a graph, of which those are to be chosen that do not overlap."""

    what: str = "matches that do not overlap"


@dataclass(frozen=True, slots=True)
class Pairs(OfOneQuery):
    """The trends of both sides of AND that are to be paired.

    `is_step`: in a step of a stream. `waits`: for events that come after the pair, which may block
    it.
    """

    is_step: bool = False
    waits: bool = False
    what: str = "pairs"


def matches_of(program: Program, what: str = "") -> tuple[Matches, ...]:
    """Return the matches of a program, or those of both sides of AND."""
    if program.pair is None:
        return (Matches(program, what),)
    also = f", {what}" if what else ""
    sides = ((program, "first side"), (program.pair.second, "second side"))
    return tuple(Matches(each, f"{side}{also}") for each, side in sides)


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


def _anything(group: object, facts: Facts) -> None:
    return None


def _has_conditions(matches: MatchesApart, facts: Facts) -> str | None:
    negation = matches.program.negation
    is_conditional = negation is not None and negation.is_conditional
    return "a negated part with conditions may block a match" if is_conditional else None


def _has_no_conditions(matches: MatchesApart, facts: Facts) -> str | None:
    return None if _has_conditions(matches, facts) else "no negated part has conditions"


def _many_matches(matches: MatchesApart, facts: Facts) -> str | None:
    return f"there are {facts['matches']:,} matches" if facts["matches"] > MOST_LISTED else None


def _is_step(pairs: Pairs, facts: Facts) -> str | None:
    return "a step reports what has become final" if pairs.is_step else None


def _not_with_new(pairs: Pairs, facts: Facts) -> str | None:
    if not pairs.is_step:
        return NO_STEP
    return "pairs wait for what comes after them" if pairs.waits else None


def _not_of_spans(pairs: Pairs, facts: Facts) -> str | None:
    if not pairs.is_step:
        return NO_STEP
    return None if pairs.waits else "pairs are final with their last event"


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
# OUTPUT NON OVERLAPPING. No match is written but those that are taken.
FIRST_PATHS = Fold(
    "first paths of a graph", MatchesApart, Precedence.DOUBLES, _has_conditions,
    f"{CHOSEN}:first_paths",
)  # fmt: skip
# All matches are written, to ask of each whether a negated part blocks it.
MATCHES_LISTED = Fold(
    "matches listed", MatchesApart, Precedence.ANY_SIZE, _anything, f"{CHOSEN}:matches_listed",
    waste=_many_matches,
)  # fmt: skip
# They are tried in their order, and beginnings that are alike once.
PATHS_SEARCHED = Fold(
    "paths searched", MatchesApart, Precedence.LISTED, _has_no_conditions,
    f"{CHOSEN}:paths_searched",
)  # fmt: skip
# P1 AND P2: for every trend, a stretch of those of the other side.
PAIRS_OF_WINDOWS = Fold(
    "pairs of windows", Pairs, Precedence.DOUBLES, _is_step, f"{PAIRED}:pairs_of_windows"
)
# The same without pairs of two trends that an earlier step knew.
PAIRS_WITH_NEW = Fold(
    "pairs with new trends", Pairs, Precedence.DOUBLES, _not_with_new, f"{PAIRED}:pairs_with_new"
)
# Pairs whose window is over, so that nothing can block them any more.
PAIRS_OF_SPANS = Fold(
    "pairs of closed windows", Pairs, Precedence.DOUBLES, _not_of_spans, f"{PAIRED}:pairs_of_spans"
)
