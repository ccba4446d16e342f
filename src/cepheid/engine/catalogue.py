"""All folds, how they are ranked, and the one place where a group is folded.

Folds are asked in this order where their costs are the same. To add one: a class as in
`trends/trend_folds.py`, a line here, two rows in docs/decisions/0022.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from cepheid.analysis.schema import OPEN_SCHEMA, EventSchema
from cepheid.engine.fold import Facts, Fold, FoldGroup, Precedence, Ranked, Task, TooLarge
from cepheid.engine.matches import match_folds as matches
from cepheid.engine.shared import shared_folds as shared
from cepheid.engine.trends import trend_folds as trends
from cepheid.engine.trends.trends import Trends
from cepheid.errors import ConfigError, InternalError
from cepheid.program.run_record import (
    NOT_NEEDED,
    RAN,
    REFUSED,
    TOO_LARGE,
    FoldRecord,
    GroupRecord,
    RunRecord,
)

if TYPE_CHECKING:
    from cepheid.engine.shared.analyze_set import SetAnalysis

FOLDS: tuple[Fold[Any], ...] = (
    trends.COUNT_IN_ORDER,
    trends.WINDOWS_ONE_BY_ONE,
    trends.COUNTS_IN_VECTORS,
    trends.COUNTS_IN_PANES,
    trends.VALUES_IN_VECTORS,
    trends.VALUES_IN_PANES,
    trends.WINDOWS_COUNTED_ANEW,
    trends.COUNTS_BY_START,
    trends.VALUES_IN_QUEUE,
    trends.CONTIGUOUS_IN_QUEUE,
    trends.CONTIGUOUS,
    trends.FEW_LOOKED_UP,
    trends.COUNTS_LOOKED_UP,
    trends.VALUES_BY_LAST_EVENT,
    trends.SIDES_APART,
    trends.MATCHES_ADDED_UP,
    trends.PAIRS_ADDED_UP,
    matches.GRAPH_OF_POSITIONS,
    matches.GRAPH_OF_BEST_RUNS,
    matches.GRAPH_OF_RUNS,
    matches.GRAPH_OF_LATEST_RUNS,
    matches.FIRST_PATHS,
    matches.WAYS_FROM_STARTS,
    matches.MATCHES_LISTED,
    matches.PATHS_SEARCHED,
    matches.PAIRS_OF_WINDOWS,
    matches.PAIRS_WITH_NEW,
    matches.PAIRS_OF_SPANS,
    shared.COUNTED_TOGETHER,
    shared.BURSTS_TOGETHER,
    shared.PANES_TOGETHER,
    shared.SET_ALONE,
    shared.LANES_TOGETHER,
    shared.LANES_ALONE,
    shared.SEGMENTS_TOGETHER,
    shared.SEGMENTS_ALONE,
)

# What facts are called in EXPLAIN, in the order of its lines.
FACTS = {
    "rows": "events",
    "order": "order (0: none, 1: with concurrent events, 2: strict)",
    "kept": "events that matter",
    "steps": "steps: times of one partition",
    "partitions": "partitions",
    "open windows": "windows open at once, at most",
    "steps in windows": "steps, once for each window",
    "panes": "panes",
    "wanted windows": "windows that are due (-1: all)",
    "results": "results that are due",
    "steps of results": "steps, once for each result",
    "steps in a moving window": "steps in a window on average, about",
    "compiled": "kernels for moving windows are compiled already",
    "first events in a window": "times in a window at which runs begin, at most",
    "first events on average": "times in a window at which runs began that are alive, on average",
    "looked up": "values that are compared have an order",
    "in columns": "what is added up is what predicates read",
    "huge numbers": "numbers beyond 2^256",
    "repeated positions": "positions of a set that repeat and take every event at once",
    "numbers kept": "numbers that lanes keep",
    "matches": "matches of a graph, of which some are taken",
    "counted": "microseconds of one fold for a set with plain numbers, by costs",
    "least together": "microseconds of one fold for a set, at least, by costs",
    "together": "microseconds of one fold for a set, by costs",
    "in panes": "microseconds of one fold for a set in panes, by costs",
    "alone": "microseconds of a fold for each query of a set, by costs",
}


# What measures the facts of a group.
MEASURED = {
    Trends: "cepheid.engine.trends.trend_facts:trend_facts",
    matches.MatchesTaken: "cepheid.engine.matches.forms.taken_matches:taken_facts",
    shared.SharedSet: "cepheid.engine.shared.fold_set:set_facts",
    shared.SharedLanes: "cepheid.engine.shared.run_lanes:lane_facts",
}


# What counts more of a group after it was folded, for those who want to know all.
COUNTED: dict[type[Any], str] = {Trends: "cepheid.engine.trends.trend_facts:trend_counts"}


class Ranking:
    """The folds that take a group, best first; and why the others do not.

    Those in `preferred` come first if they can fold the group, whatever they cost. Which facts are
    measured follows from what is asked for: nobody who takes the first fold needs the costs of the
    last one.
    """

    def __init__(self, group: FoldGroup, facts: Facts, preferred: Sequence[str] = ()) -> None:
        self.group, self.facts, self.preferred = group, facts, preferred
        self.refused: dict[str, str] = {}
        self.candidates = [each for each in FOLDS if isinstance(group, each.takes)]

    def __iter__(self) -> Iterator[Ranked[Any]]:
        first = [each for each in self.candidates if each.name in self.preferred]
        yield from (Ranked(each, None) for each in first if self._takes(each))
        others = [each for each in self.candidates if each.name not in self.preferred]
        precedence = attrgetter("precedence")
        for _, alike in groupby(sorted(others, key=precedence), precedence):
            accepted = [each for each in alike if self._takes(each)]
            if len(accepted) == 1:
                yield Ranked(accepted[0], None)
            elif accepted:
                costs = [(each.cost(self.group, self.facts), each) for each in accepted]
                costs.sort(key=lambda each: each[0])
                yield from (Ranked(fold, cost) for cost, fold in costs)

    def _takes(self, fold: Fold[Any]) -> bool:
        reason = fold.refusal(self.group, self.facts)
        if reason is None and fold.name not in self.preferred:
            reason = fold.waste(self.group, self.facts)
        if reason is not None:
            self.refused[fold.name] = reason
        return reason is None


@dataclass
class RankedFolds:
    """Folds groups, and writes down what it did.

    Folds in `preferred` come first wherever they can fold at all. `sets` writes down more of the
    queries that are folded together; `schema` is that of the events.
    """

    preferred: Sequence[str] = ()
    record: RunRecord = field(default_factory=RunRecord)
    sets: SetAnalysis | None = None
    schema: EventSchema = OPEN_SCHEMA

    def __post_init__(self) -> None:
        unknown = set(self.preferred) - {each.name for each in FOLDS}
        if unknown:
            raise ConfigError(f"there is no fold called {sorted(unknown)[0]!r}")

    def fold(self, task: Task) -> Any:
        """Return what the first fold in the ranking gives whose range is not left."""
        ranking = Ranking(task.group, measured_facts(task), self.preferred)
        tried: list[FoldRecord] = []
        for each in ranking:
            with self.record.stage("fold"):
                result = _called(each.fold.place, task, ranking.facts)
            if not isinstance(result, TooLarge):
                tried.append(FoldRecord(each.fold.name, RAN, None, each.cost))
                self._write(ranking, tried)
                if self.record.is_detailed and each.fold.precedence is not Precedence.STRAIGHT:
                    self._count(task)
                return result
            tried.append(FoldRecord(each.fold.name, TOO_LARGE, result.what, each.cost))
        raise InternalError(f"no fold takes {task.group!r}: {ranking.refused}")

    def unrecorded(self) -> RankedFolds:
        """Return what folds in the same way, and writes down what it did for nobody."""
        return RankedFolds(self.preferred)

    def _count(self, task: Task) -> None:
        """Write down what events and windows a fold was of, where that takes time to count."""
        place = COUNTED.get(type(task.group))
        if place is not None:
            with self.record.stage("count for this report"):
                for name, number in _called(place, task).items():
                    self.record.most(name, number)

    def _write(self, ranking: Ranking, tried: list[FoldRecord]) -> None:
        refused = [FoldRecord(name, REFUSED, why) for name, why in ranking.refused.items()]
        known = {each.name for each in (*tried, *refused)}
        others = [_left_out(each, ranking) for each in ranking.candidates if each.name not in known]
        folds, group = (*tried, *others, *refused), ranking.group
        known_facts = dict(ranking.facts.known)
        self.record.add(GroupRecord(group.queries, folds, known_facts, group.what))


def _left_out(fold: Fold[Any], ranking: Ranking) -> FoldRecord:
    """Return why a fold that was not asked did not run, as far as that is known anyway."""
    facts = Facts(ranking.facts.known)
    try:
        reason = fold.refusal(ranking.group, facts) or fold.waste(ranking.group, facts)
    except KeyError:  # it would have been measured
        reason = None
    return FoldRecord(fold.name, NOT_NEEDED if reason is None else REFUSED, reason)


def measured_facts(task: Task) -> Facts:
    """Return the facts of a task, of which each is measured when a fold asks for it."""
    place = MEASURED.get(type(task.group))
    if place is None:
        return Facts()  # the programs say all
    facts: Facts = _called(place, task)
    return facts


def _called(place: str, *given: Task | Facts) -> Any:
    """Return what a function gives; its module is imported when it is needed."""
    module, function = place.split(":")
    return getattr(import_module(module), function)(*given)
