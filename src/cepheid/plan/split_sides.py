"""`P1 AND P2`: a query for each side."""

from __future__ import annotations

from dataclasses import replace

from cepheid.analysis.bound import BoundQuery
from cepheid.language import ast


def split_sides(query: BoundQuery) -> tuple[BoundQuery, ...]:
    """Return a query of its own for every side of AND; WITHIN … BETWEEN concerns the first."""
    if len(query.patterns) == 1:
        return (query,)
    return tuple(
        replace(
            query,
            patterns=(pattern,),
            matches=tuple(each for each in query.matches or () if each.side == side),
            neighbour_bounds=query.neighbour_bounds if side == 0 else (),
            output=ast.OutputMode.ALL,  # which pairs are shown is decided when there are pairs
        )
        for side, pattern in enumerate(query.patterns)
    )
