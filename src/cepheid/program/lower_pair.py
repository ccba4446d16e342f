"""`P1 AND P2`: a query for each side, and how their trends are paired."""

from __future__ import annotations

from dataclasses import replace

from cepheid.analysis.bound import BoundPattern, BoundQuery
from cepheid.language import ast
from cepheid.program.program import Pair, Program


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


def make_pair(query: BoundQuery, second: Program) -> Pair:
    """Return what a program needs beside the program of its first side."""
    is_non_overlapping = query.output is ast.OutputMode.NON_OVERLAPPING
    needs_order = is_non_overlapping or (not query.is_aggregate and _may_share_trends(query))
    return Pair(
        second,
        query.returned,
        not query.tree.returns,
        is_non_overlapping,
        tuple(query.schema.attributes) if needs_order else (),
    )


def _may_share_trends(query: BoundQuery) -> bool:
    """Whether one sequence of events could be a trend of both sides."""
    if query.schema.type_column is None:
        return True
    one, other = (_types(each) for each in query.patterns)
    return not one.isdisjoint(other)


def _types(pattern: BoundPattern) -> set[str]:
    return {name for each in pattern.automaton.positions for name in each.types}
