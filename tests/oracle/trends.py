"""From formed matches to the trends of a query: negation, AND, OUTPUT (sections 2, 6 and 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from cepheid.analysis.bound import BoundPattern, BoundQuery, Strategy
from cepheid.language.ast import OutputMode, SkipTo
from tests.oracle.events import Event, column_values, measure
from tests.oracle.matches import Formed, Match, bindings, form_matches, spans_window
from tests.oracle.negation import Surroundings, stays

Trend: TypeAlias = tuple[Match, ...]  # one match per side of AND; without AND just one


class Trends:
    """The trends of a query over some events."""

    def __init__(self, query: BoundQuery, events: list[Event]) -> None:
        self.query = query
        self.events = events
        self.formed = [form_matches(query, pattern, events) for pattern in query.patterns]

    def covered(self, covers: Callable[[Event], bool]) -> list[Trend]:
        """Return the trends of an aggregate that lie wholly in a view."""
        sides = [
            [
                match
                for match in formed.matches
                if all(covers(event) for event, _ in match)
                and self._stays(pattern, match, self._reach(match, covers))
            ]
            for pattern, formed in self._sides()
        ]
        return [(match,) for match in sides[0]] if len(sides) == 1 else self._pairs(*sides)

    def reported(self) -> list[Trend]:
        """Return what a match query reports, in the order of NON OVERLAPPING."""
        is_partial = self.query.output is OutputMode.PARTIAL
        sides = []
        for pattern, formed in self._sides():
            matches = formed.partial if is_partial else formed.matches
            kept = [each for each in matches if self._stays_in_span(pattern, each, not is_partial)]
            sides.append(kept)
        if len(sides) == 1:
            trends: list[Trend] = [(match,) for match in sides[0]]
        else:
            assert not is_partial, "partial runs of AND have no meaning"
            trends = [
                pair
                for pair in self._pairs(*sides)
                if spans_window(self.query, [event for match in pair for event, _ in match])
            ]
        trends.sort(key=self._rank)
        if self.query.output is OutputMode.NON_OVERLAPPING:
            return self._non_overlapping(trends)
        if self.query.output in (OutputMode.LONGEST, OutputMode.SHORTEST):
            return self._of_starts(trends)
        if self.query.output in (OutputMode.FIRST, OutputMode.LAST):
            return self._of_windows(trends)
        return trends

    # --- negation -------------------------------------------------------------------------------

    def _sides(self) -> Iterable[tuple[BoundPattern, Formed]]:
        return zip(self.query.patterns, self.formed, strict=True)

    def _stays(
        self,
        pattern: BoundPattern,
        match: Match,
        reaches: Callable[[Event], bool],
        *,
        ended: bool = True,
    ) -> bool:
        partition = match[0][0].partition
        neighbours = [event for event in self.events if event.partition == partition]
        around = Surroundings(neighbours, reaches)
        return stays(self.query, pattern, match, around, ended=ended)

    def _reach(self, match: Match, covers: Callable[[Event], bool]) -> Callable[[Event], bool]:
        """How far the start and end negations of an aggregate look.

        With SLIDE that is the window. With WITHIN alone a start negation looks back from the last
        event, not from t, so that the expiry of a negative match revives nothing; an end negation
        looks up to t.
        """
        if self.query.window is None or self.query.window.slide is not None:
            return covers
        first, last = match[0][0], match[-1][0]

        def reaches(event: Event) -> bool:
            if event.key < first.key:
                return spans_window(self.query, [event, last])
            return covers(event)

        return reaches

    def _stays_in_span(self, pattern: BoundPattern, match: Match, ended: bool) -> bool:
        """In a match query start and end negations reach as far as WITHIN would let a match."""
        span = [match[0][0], match[-1][0]]
        return self._stays(
            pattern, match, lambda event: spans_window(self.query, [*span, event]), ended=ended
        )

    # --- AND ------------------------------------------------------------------------------------

    def _pairs(self, left: list[Match], right: list[Match]) -> list[Trend]:
        """Unordered pairs of distinct event sequences of one partition, one of each side.

        Where both sequences are of both sides, the lower in rank is shown on the left.
        """
        sides = [self._sequences(each) for each in (left, right)]
        pairs: dict[frozenset[tuple[Event, ...]], Trend] = {}
        for one in sides[0]:
            for other in sides[1]:
                if one != other and one[0].partition == other[0].partition:
                    pairs.setdefault(frozenset((one, other)), (sides[0][one], sides[1][other]))
        return list(pairs.values())

    def _sequences(self, matches: list[Match]) -> dict[tuple[Event, ...], Match]:
        """Return the event sequences in order, each with its lowest assignment of positions."""
        result: dict[tuple[Event, ...], Match] = {}
        for match in sorted(matches, key=lambda each: self._rank((each,))):
            result.setdefault(tuple(event for event, _ in match), match)
        return result

    # --- order ----------------------------------------------------------------------------------

    def _rank(self, trend: Trend) -> tuple[Any, ...]:
        """By last order key, first, (order key, position) pairs, then column values."""
        return (
            trend_last(trend).key,
            trend_first(trend).key,
            [[(event.key, position) for event, position in match] for match in trend],
            [[column_values(event, self.query.schema) for event, _ in match] for match in trend],
        )

    def _of_starts(self, trends: list[Trend]) -> list[Trend]:
        """Go through the starts of a partition; take the longest or shortest match of each."""
        by_start: dict[Any, dict[Any, list[Trend]]] = {}
        for trend in trends:
            starts = by_start.setdefault(trend[0][0][0].partition, {})
            starts.setdefault(trend_first(trend).key, []).append(trend)
        result = []
        for starts in by_start.values():
            skipped: Callable[[Any], bool] = _nothing
            for key in sorted(starts):
                if skipped(key):
                    continue
                ends = [trend_last(each).key for each in starts[key]]
                end = max(ends) if self.query.output is OutputMode.LONGEST else min(ends)
                found = [each for each in starts[key] if trend_last(each).key == end]
                result.append(min(found, key=self._rank))
                skipped = self._skips(result[-1], skipped)
        return result

    def _skips(self, trend: Trend, before: Callable[[Any], bool]) -> Callable[[Any], bool]:
        """Return which starts are skipped after a match; a later match never frees one."""
        skip = self.query.tree.skip
        match SkipTo.NEXT_EVENT if skip is None else skip.to:
            case SkipTo.NEXT_EVENT:
                return before
            case SkipTo.PAST_LAST_EVENT:
                return lambda key: before(key) or key <= trend_last(trend).key
            case to:
                assert skip is not None
                assert skip.variable is not None
                pattern = self.query.pattern
                occurrences = pattern.variables[skip.variable].occurrences
                keys = [
                    event.key
                    for event, occurrence in bindings(pattern, trend[0])
                    if occurrence in occurrences
                ]
                if not keys:
                    return before
                target = keys[0] if to is SkipTo.FIRST else keys[-1]
                return lambda key: before(key) or key < target

    def _of_windows(self, trends: list[Trend]) -> list[Trend]:
        """Take one match of all that end in a window [i w, i w + w) of a partition."""
        window, found = self.query.window, dict[Any, list[Trend]]()
        for trend in trends:
            last = trend_last(trend)
            index = 0 if window is None else measure(self.query, last) // window.length
            found.setdefault((last.partition, index), []).append(trend)
        result = []
        for some in found.values():
            ends = [trend_last(each).key for each in some]
            end = max(ends) if self.query.output is OutputMode.LAST else min(ends)
            result.append(min((e for e in some if trend_last(e).key == end), key=self._rank))
        return result

    def _non_overlapping(self, trends: list[Trend]) -> list[Trend]:
        taken: dict[Any, Trend] = {}
        result = []
        for trend in trends:
            strict = self.query.strategy is Strategy.STRICT
            place = None if strict else trend[0][0][0].partition
            if place not in taken or trend_first(trend).key > trend_last(taken[place]).key:
                taken[place] = trend
                result.append(trend)
        return result


def _nothing(key: Any) -> bool:
    return False


def trend_first(trend: Trend) -> Event:
    """Return the first event of all sides."""
    return min((match[0][0] for match in trend), key=lambda event: event.key)


def trend_last(trend: Trend) -> Event:
    """Return the last event of all sides."""
    return max((match[-1][0] for match in trend), key=lambda event: event.key)
