"""How matches that do not overlap are found."""

from __future__ import annotations

from cepheid.analysis.bound import BoundPattern, BoundQuery, Strategy
from cepheid.language import ast
from cepheid.plan.negated_pattern import across_events, negated_pattern
from cepheid.plan.physical import Choice, Overlaps
from cepheid.plan.place_tests import place_tests


def choose_overlaps(query: BoundQuery) -> Choice[Overlaps] | None:
    """Return how matches are chosen, None if they may overlap."""
    if query.output is not ast.OutputMode.NON_OVERLAPPING:
        return None
    if len(query.patterns) > 1:
        return Choice(Overlaps.ALL_PAIRS, "whether pairs overlap is known of whole pairs only")
    for placed in place_tests(query.pattern):
        if placed.needs_path:
            reason = f"'{placed.clause.text}' reads several events of a run, so none are merged"
            return Choice(Overlaps.WHOLE_RUNS, reason)
    obstacle = _tied(query.pattern)
    if obstacle is not None:
        return Choice(Overlaps.IN_TURN, obstacle)
    if query.pattern.automaton.negated_parts:
        return Choice(
            Overlaps.BEST_PATH, "what negated parts block is known of every edge of the match graph"
        )
    if query.strategy is Strategy.STRICT:
        return Choice(Overlaps.BEST_PATH, "matches of all partitions exclude one another")
    return Choice(
        Overlaps.START_ANEW, "of the matches that end first one is taken, and all runs overlap it"
    )


def _tied(pattern: BoundPattern) -> str | None:
    """Return why it takes a whole match to know whether a negated part blocks it."""
    if len(pattern.branches) > 1:
        return "OR joins conditions on negated parts with others"
    for part in pattern.automaton.negated_parts:
        if across_events(pattern, part) and negated_pattern(pattern, part) is None:
            return f"conditions on ¬ {part.text} are tested on whole matches"
    return None
