"""Of matches that are listed, one for every start (semantics, section 7)."""

from __future__ import annotations

import numpy as np

from cepheid.engine.events.order_events import starts_of_runs
from cepheid.engine.matches.match_chunks import picked
from cepheid.engine.matches.sequence_ranks import sequence_ranks
from cepheid.kernels.graph.event_order import MOST_POSITIONS, EventOrder
from cepheid.kernels.graph.match_nodes import MatchArrays
from cepheid.language.ast import OutputMode, SkipTo
from cepheid.program.match_choice import MatchChoice


def chosen_of_starts(matches: MatchArrays, choice: MatchChoice, order: EventOrder) -> MatchArrays:
    """Return the matches that are taken; moves the boundaries."""
    first, last = matches.event[matches.offsets[:-1]], matches.event[matches.offsets[1:] - 1]
    steps = order.rank[matches.event] * MOST_POSITIONS + matches.position
    ends = order.rank[last]
    places = np.lexsort(
        [
            sequence_ranks(matches.offsets, order.values[matches.event]),
            sequence_ranks(matches.offsets, steps),
            -ends if choice.form is OutputMode.LONGEST else ends,
            order.rank[first],
            order.owner[first],
        ]
    )
    owner, start = order.owner[first][places], order.rank[first][places]
    best = places[starts_of_runs(owner) | starts_of_runs(start)]
    taken = []
    for match in best.tolist():
        whose = order.owner[first[match]]
        if order.rank[first[match]] > order.boundary[whose]:
            taken.append(match)
            after = _begins_after(matches, match, choice, order)
            order.boundary[whose] = max(order.boundary[whose], after)
    return picked(matches, np.array(taken, np.int64))


def _begins_after(matches: MatchArrays, match: int, choice: MatchChoice, order: EventOrder) -> int:
    """Return the rank after which the next match begins."""
    whole = slice(matches.offsets[match], matches.offsets[match + 1])
    ranks = order.rank[matches.event[whole]]
    match choice.skip:
        case SkipTo.NEXT_EVENT:
            return 0
        case SkipTo.PAST_LAST_EVENT:
            return int(ranks[-1])
    is_bound = (choice.skip_positions >> matches.position[whole].astype(np.int64)) & 1
    bound = ranks[is_bound == 1]
    if not bound.size:
        return 0
    return int(bound[0] if choice.skip is SkipTo.FIRST else bound[-1]) - 1
