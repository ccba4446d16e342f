"""`P1 AND P2`: which events of a pair an aggregate reads, by their positions on each side.

A trend of both sides is shown on the left in some pairs and on the right in others. Where a name
means the same events of it on either side, that makes no difference.
"""

from __future__ import annotations

from cepheid.analysis.bound import BoundPattern, BoundQuery
from cepheid.plan.common_trends import shared_places


def positions_of(pattern: BoundPattern, name: str) -> tuple[int, ...]:
    """Return the positions of a side whose events have a name."""
    variable = pattern.variables.get(name)
    if variable is None or variable.negated_part is not None:
        return ()
    return variable.positions


def find_one_sided_name(query: BoundQuery) -> str | None:
    """Return a name of an aggregate that means other events of a trend of both sides on either."""
    one, other = query.patterns
    places = shared_places(one.automaton, other.automaton)
    for name in sorted(_names(query)):
        left, right = positions_of(one, name), positions_of(other, name)
        if any((first in left) != (second in right) for first, second in places):
            return name
    return None


def _names(query: BoundQuery) -> set[str]:
    aggregates = [each.aggregate for each in query.aggregates or ()]
    return {each.variable for each in aggregates if each.variable is not None}
