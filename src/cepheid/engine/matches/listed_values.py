"""How much the arrays of a result hold: few matches can have many events each.

A run may list ten values in arrays for every match that it may list, and ten million in any case.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cepheid.analysis.bound import EventsColumn
from cepheid.errors import MatchLimitError
from cepheid.kernels.graph.match_nodes import MatchArrays
from cepheid.program.program import MatchOutput, Program

Int64s = NDArray[np.int64]
VALUES_PER_MATCH, FEW_MATCHES = 10, 1_000_000
UNLIMITED = 2**63 - 1


def most_values(most_matches: int | None) -> int:
    """Return how many values arrays may hold, if so many matches may be listed; None: any."""
    if most_matches is None:
        return UNLIMITED
    return VALUES_PER_MATCH * max(most_matches, FEW_MATCHES)


def array_columns(program: Program) -> Int64s:
    """Return by position how many arrays an event there is put into."""
    output = program.output
    columns = np.zeros(len(program.automaton.follow), np.int64)
    assert isinstance(output, MatchOutput)
    positions = dict(output.positions_by_variable)
    for each in output.columns:
        if isinstance(each, EventsColumn) and each.is_array:
            columns[list(positions[each.variable])] += 1
    return columns


def values_in_arrays(columns: Int64s, matches: MatchArrays) -> Int64s:
    """Return by match how many values its arrays hold."""
    upto = np.append(0, np.cumsum(columns[matches.position]))
    return np.diff(upto[matches.offsets])


def too_many_values(program: Program, place: str, count: int) -> MatchLimitError:
    """Return the error of a result whose arrays hold so many values."""
    limit = program.max_matches or 0
    return MatchLimitError(program.name, place, count, limit, values=most_values(limit))
