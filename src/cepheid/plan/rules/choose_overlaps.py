"""How matches are found where not all are taken."""

from __future__ import annotations

from dataclasses import replace

from cepheid.analysis.bound import BoundPattern, BoundQuery, Strategy
from cepheid.analysis.expressions import BlockAggregate, Role
from cepheid.language import ast
from cepheid.plan.helpful_directions import MORE, NEITHER, agreed, helpful_directions
from cepheid.plan.negated_pattern import across_events, negated_pattern
from cepheid.plan.physical import Choice, Overlaps
from cepheid.plan.place_tests import place_tests


def choose_overlaps(query: BoundQuery) -> Choice[Overlaps] | None:
    """Return how matches are chosen, and what may become much of it; None if all are taken."""
    choice = _chosen(query)
    if choice is None or choice.value is Overlaps.WHOLE_RUNS:
        return choice
    values = ", ".join(_told_apart(query))
    if not values:
        return choice
    return replace(
        choice,
        reason=f"{choice.reason}; runs are told apart by {values}, and each value may need one: "
        "an event more can double them, until live_limit stops the query",
    )


def _told_apart(query: BoundQuery) -> list[str]:
    """Return the sums and averages of which runs keep more than the best value.

    A run with a larger sum makes others superfluous if sums are bounded from below only. A smaller
    one does not: it has fewer events, and what has more comes first. Beside negated parts every run
    may be the one that is not blocked.
    """
    if query.strategy is not Strategy.SKIP_TILL_ANY:
        return []
    directions: dict[BlockAggregate, int] = {}
    for pattern in query.patterns:
        if not pattern.automaton.has_unbounded_repetition:
            continue
        is_negated = bool(pattern.automaton.negated_parts)
        for placed in place_tests(pattern):
            for read, found in helpful_directions(placed.clause.condition).items():
                if isinstance(read, BlockAggregate) and read.function in ("SUM", "AVG"):
                    direction = NEITHER if is_negated or read.function == "AVG" else found
                    key = replace(read, role=Role.ALL)
                    directions[key] = agreed(directions.get(key, direction), direction)
    return [
        f"{each.function.lower()}({each.variable}[].{each.attribute})"
        for each, direction in directions.items()
        if direction != MORE
    ]


def _chosen(query: BoundQuery) -> Choice[Overlaps] | None:
    if query.output in (ast.OutputMode.LONGEST, ast.OutputMode.SHORTEST):
        return _of_starts(query)
    if query.output in (ast.OutputMode.FIRST, ast.OutputMode.LAST):
        return _of_windows(query)
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


def _of_starts(query: BoundQuery) -> Choice[Overlaps]:
    obstacle = _tied(query.pattern)
    if obstacle is not None:
        return Choice(Overlaps.ALL_LISTED, obstacle)
    end = "last" if query.output is ast.OutputMode.LONGEST else "first"
    reason = f"of the matches with the same start the one that ends {end} is taken"
    return Choice(Overlaps.BEST_WAY, reason)


def _of_windows(query: BoundQuery) -> Choice[Overlaps]:
    obstacle = _tied(query.pattern)
    if obstacle is not None:
        return Choice(Overlaps.IN_TURN, obstacle)
    end = "last" if query.output is ast.OutputMode.LAST else "first"
    reason = f"of the matches that end in the same window the one that ends {end} is taken"
    return Choice(Overlaps.BEST_PATH, reason)


def _tied(pattern: BoundPattern) -> str | None:
    """Return why it takes a whole match to know whether a negated part blocks it."""
    if len(pattern.branches) > 1:
        return "OR joins conditions on negated parts with others"
    for part in pattern.automaton.negated_parts:
        if across_events(pattern, part) and negated_pattern(pattern, part) is None:
            return f"conditions on ¬ {part.text} are tested on whole matches"
    return None
