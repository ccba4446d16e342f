"""The folds that build graphs of matches, and those that choose matches or pairs of them."""

from __future__ import annotations

from dataclasses import dataclass

from cepheid.engine.fold import Facts, Fold, Precedence
from cepheid.language.ast import OutputMode
from cepheid.program.lower_runs import LAST_EVENT
from cepheid.program.match_choice import MatchChoice
from cepheid.program.program import MatchOutput, Program, Ranking, StrategyCode

BUILT = "cepheid.engine.matches.match_chunks"
TAKEN = "cepheid.engine.matches.forms.taken_matches"
PAIRED = "cepheid.engine.matches.match_pairs"
MOST_LISTED = 2**20  # matches, of which those that do not overlap are chosen
NO_STEP = "all events are known"
READS_SEVERAL = "a predicate reads several events of a run"
NOT_ANY = "events take runs away from each other"
REPLACED = "a newer run replaces one that waits"
PER_START = "every start has a match of its own"
TAKEN_ONES = {
    OutputMode.NON_OVERLAPPING: "matches that do not overlap",
    OutputMode.LONGEST: "longest matches",
    OutputMode.SHORTEST: "shortest matches",
    OutputMode.FIRST: "first matches",
    OutputMode.LAST: "last matches",
}


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
class MatchesTaken(OfOneQuery):
    """The matches of a graph, of which some are to be taken."""

    choice: MatchChoice

    @property
    def what(self) -> str:
        """Which ones."""
        return TAKEN_ONES[self.choice.form]


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
    choice = choice_of(program)
    is_apart = choice is not None and choice.form is OutputMode.NON_OVERLAPPING
    return is_apart and program.negation is None and program.ranking is not Ranking.STREAM


def choice_of(program: Program) -> MatchChoice | None:
    """Return which matches are taken; None if all are."""
    return program.output.choice if isinstance(program.output, MatchOutput) else None


def _not_by_position(matches: Matches, facts: Facts) -> str | None:
    runs = matches.program.runs
    if matches.program.strategy is StrategyCode.LATEST_WINS:
        return REPLACED
    if any(runs.path_clauses):
        return READS_SEVERAL
    return "predicates across events tell runs apart" if runs.has_tests else None


def _not_the_best(matches: Matches, facts: Facts) -> str | None:
    program, choice = matches.program, choice_of(matches.program)
    if choice is None:
        return "all matches are wanted"
    if program.negation is not None:
        return "a negated part may block the best run"
    if choice.is_per_start and program.order:
        return "of runs that start at the same time, each may have a match"
    if any(program.runs.path_clauses):
        return READS_SEVERAL
    return None if program.strategy is StrategyCode.SKIP_TILL_ANY else NOT_ANY


def _no_bounds(matches: Matches, facts: Facts) -> str | None:
    program = matches.program
    if not program.runs.has_tests:
        return "no predicate tells runs apart"
    if program.runs.aggregate_slots or program.runs.event_slots:
        return None  # there is a node for every event and what it carries: links would be many more
    if program.window_length is not None or not drops_overlaps(program):
        return "runs that start at different times share their nodes"
    tests = (test for tests in program.runs.tests for test in tests)
    has_value = any(
        len(test.operands) > 1
        and any(each.source == LAST_EVENT and each.direction == 0 for each in test.operands)
        for test in tests
    )
    return "what a run takes next depends on its last event" if has_value else None


def _not_all_runs(matches: Matches, facts: Facts) -> str | None:
    return REPLACED if matches.program.strategy is StrategyCode.LATEST_WINS else None


def _not_the_latest(matches: Matches, facts: Facts) -> str | None:
    is_latest = matches.program.strategy is StrategyCode.LATEST_WINS
    return None if is_latest else "runs do not replace one another"


def _anything(group: object, facts: Facts) -> None:
    return None


def _has_conditions(matches: MatchesTaken, facts: Facts) -> str | None:
    negation = matches.program.negation
    is_conditional = negation is not None and negation.is_conditional
    return "a negated part with conditions may block a match" if is_conditional else None


def _not_first_paths(matches: MatchesTaken, facts: Facts) -> str | None:
    return PER_START if matches.choice.is_per_start else _has_conditions(matches, facts)


def _not_by_start(matches: MatchesTaken, facts: Facts) -> str | None:
    if not matches.choice.is_per_start:
        return "starts have no match of their own"
    return _has_conditions(matches, facts)


def _not_searched(matches: MatchesTaken, facts: Facts) -> str | None:
    if matches.choice.is_per_start:
        return PER_START
    return None if _has_conditions(matches, facts) else "no negated part has conditions"


def _many_matches(matches: MatchesTaken, facts: Facts) -> str | None:
    if matches.choice.is_per_start:
        return None
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
    "graph of runs", Matches, Precedence.ANY_SIZE, _not_all_runs, f"{BUILT}:graph_of_runs"
)
# One run for every position, where a newer one replaces it.
GRAPH_OF_LATEST_RUNS = Fold(
    "graph of latest runs", Matches, Precedence.ANY_SIZE, _not_the_latest,
    "cepheid.engine.matches.latest_run_fold:graph_of_latest_runs",
)  # fmt: skip
# Where not all matches are taken. No match is written but those that are.
FIRST_PATHS = Fold(
    "first paths of a graph", MatchesTaken, Precedence.DOUBLES, _not_first_paths,
    f"{TAKEN}:first_paths",
)  # fmt: skip
WAYS_FROM_STARTS = Fold(
    "ways on from starts", MatchesTaken, Precedence.DOUBLES, _not_by_start,
    f"{TAKEN}:ways_from_starts",
)  # fmt: skip
# All matches are written, to ask of each whether a negated part blocks it.
MATCHES_LISTED = Fold(
    "matches listed", MatchesTaken, Precedence.ANY_SIZE, _anything, f"{TAKEN}:matches_listed",
    waste=_many_matches,
)  # fmt: skip
# They are tried in their order, and beginnings that are alike once.
PATHS_SEARCHED = Fold(
    "paths searched", MatchesTaken, Precedence.LISTED, _not_searched,
    f"{TAKEN}:paths_searched",
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
