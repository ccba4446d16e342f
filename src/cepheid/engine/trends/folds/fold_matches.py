"""Aggregate the matches themselves, where predicates tell runs apart by more than their last event.

Matches are enumerated in chunks and added up, so memory follows the window and the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.fold import Facts
from cepheid.engine.matches.blocked_matches import NegationFilter
from cepheid.engine.matches.match_chunks import (
    Walkable,
    empty_chunk,
    fold_in_parts,
    picked,
    walk_in_chunks,
)
from cepheid.engine.matches.match_task import MatchTask, SearchMode, task_of
from cepheid.engine.matches.walk_matches import MatchLimit
from cepheid.engine.trends.match_measures import MatchMeasures
from cepheid.engine.trends.trend_task import TrendTask
from cepheid.engine.trends.windows.windows_of_match import Places
from cepheid.kernels.graph.aggregate_matches import (
    add_matches,
    no_own_measures,
    push_to_places,
)
from cepheid.kernels.graph.match_nodes import Graph, MatchArrays
from cepheid.kernels.values.value_arrays import NOTHING, Measures, ValueRows, Values
from cepheid.program.aggregate_output import AggregateOutput

Int64s = NDArray[np.int64]
MOST_COPIES = 2**18


class PlacedMatches(NamedTuple):
    """Matches, each with the stretch of places in which it counts."""

    matches: MatchArrays
    begin: Int64s
    end: Int64s


def matches_added_up(task: TrendTask, facts: Facts) -> ValueRows:
    """Return the value of every place."""
    places, measures = task.places, task.measures
    tree = empty_values(2 * places.owner.size, measures)
    mode = SearchMode(task.folding, task.events.threads)
    found = task_of(task.group.added_up[0], task.ordered, task.events.columns, mode)
    output, given = found.program.output, None
    if isinstance(output, AggregateOutput) and output.of_matches and not task.group.is_modular:
        given = MatchMeasures(found, output)
    own = no_own_measures()
    limit = None if given is None else given.limit
    for matches, begin, end in placed_matches(found, places, limit):
        if given is not None:
            own = given.contributions(matches)
        add_matches(matches, begin, end, measures, own, tree)
    push_to_places(tree)
    return rows_of(tree, places)


def empty_values(slots: int, measures: Measures) -> Values:
    """Return one row of slots without runs."""
    numbers = (1, slots, measures.positions.size)
    return Values(
        np.zeros(numbers),
        np.zeros(numbers, np.int64),
        np.zeros(numbers, np.int64),
        np.full((1, slots, measures.least_positions.size), NOTHING, np.int64),
    )


def rows_of(tree: Values, places: Places) -> ValueRows:
    """Return the places of a tree of which everything has been pushed down."""
    values = leaves(tree)
    return ValueRows(
        places.owner, places.window, values.mantissa, values.tier, values.low, values.least
    )


def leaves(tree: Values) -> Values:
    """Return the second half of a tree's nodes, without the dimension of rows."""
    size = tree.mantissa.shape[1] // 2
    return Values(
        tree.mantissa[0, size:], tree.tier[0, size:], tree.low[0, size:], tree.least[0, size:]
    )


def placed_matches(
    task: MatchTask, places: Places, limit: MatchLimit | None = None
) -> Iterator[PlacedMatches]:
    """Yield all matches with their places, without those that a negated part blocks there.

    With a limit they are counted first; if a negated part may block them, as they are found.
    """
    program, ordered = task.program, task.ordered
    negation = None
    if program.negation is not None:
        negation = NegationFilter(program, program.negation, ordered, task.predicates)
    chunk, clock, window = empty_chunk(), ordered.arrays.clock, program.window_length or 0
    for graph, ends in fold_in_parts(task):
        listing = None
        if limit is not None:
            blocked = None if negation is None else partial(_staying, negation, graph, ends, task)
            listing = limit.listing(Walkable(graph, ends), blocked)
        for found in walk_in_chunks(graph, ends, clock, window, chunk):
            if negation is None or not program.blocks_borders:
                kept = found if negation is None else negation.unblocked(found)
                if listing is not None:
                    listing.add(kept, found.event.size)
                yield PlacedMatches(kept, *places.stretch(*_borders(kept)))
            else:
                if listing is not None:
                    listing.add(found, found.event.size)
                yield from _copies(found, negation, places)


def _staying(
    negation: NegationFilter, graph: Graph, ends: Int64s, task: MatchTask
) -> Iterator[tuple[MatchArrays, int]]:
    """Yield the matches that are not blocked, and how many events were walked to find them."""
    clock, window = task.ordered.arrays.clock, task.program.window_length or 0
    for found in walk_in_chunks(graph, ends, clock, window, empty_chunk()):
        yield negation.unblocked(found), found.event.size


def _borders(matches: MatchArrays) -> tuple[Int64s, Int64s]:
    """Return first and last events."""
    return matches.event[matches.offsets[:-1]], matches.event[matches.offsets[1:] - 1]


def _copies(
    matches: MatchArrays, negation: NegationFilter, places: Places
) -> Iterator[PlacedMatches]:
    """Yield a copy of every match for each of its places, if it is not blocked there."""
    begin, end = places.stretch(*_borders(matches))
    counts = np.maximum(end - begin, 0)
    for chosen in _portions(counts):
        number = np.repeat(chosen, counts[chosen])
        ends = np.cumsum(counts[chosen])
        offset = begin[chosen] - ends + counts[chosen]
        place = np.arange(number.size) + np.repeat(offset, counts[chosen])
        copies = picked(matches, number)
        kept = negation.find_unblocked(copies, places.reach(place, _borders(copies)[1]))
        yield PlacedMatches(picked(copies, kept), place[kept], place[kept] + 1)


def _portions(counts: Int64s) -> list[Int64s]:
    """Cut the numbers of matches into portions with not too many copies each."""
    portion = np.cumsum(counts) // MOST_COPIES
    cuts = np.flatnonzero(np.diff(portion)) + 1
    return np.split(np.arange(counts.size), cuts)
