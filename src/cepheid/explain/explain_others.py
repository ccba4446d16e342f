"""What queries in no set have in common: adjacent predicates, segments of sequences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cepheid.explain.common_beginnings import in_a_row, position_word, types_of
from cepheid.explain.sharing_document import CommonPart, OtherSet
from cepheid.program.predicate_code import COMPARISONS
from cepheid.program.run_program import ColumnKind
from cepheid.program.sharing.chain_program import ChainProgram, Segment, segments_of
from cepheid.program.sharing.lane_program import LaneEdge, LaneProgram
from cepheid.program.sharing.share_work import SharedWork

LANES = "with adjacent predicates in one pass, with a lane for each query and window"
CHAINS = "of one window that moves with every event, whose common segments are kept once"
SCANS_APART = "queries in sets or lanes go through the events of a window when it closes"
OPERATORS = {number: operator for operator, number in COMPARISONS.items() if operator != "=="}


def explain_others(work: SharedWork) -> tuple[OtherSet, ...]:
    """Return what is done together by queries that are in no sharing set."""

    def named(places: Sequence[int]) -> tuple[str, ...]:
        return tuple(work.names[each] for each in places)

    others = work.others
    return (
        *(
            OtherSet(LANES, named(places), "compared", tuple(_compared(each, named(places))))
            for places, each in others.lanes
        ),
        *(
            OtherSet(CHAINS, named(places), "segment", tuple(_segments(each, named(places))))
            for places, each in others.chains
        ),
    )


def not_on_streams(work: SharedWork) -> tuple[str, ...]:
    """Return what is not shared on streams, although it is elsewhere."""
    has_panes = bool(work.sets or work.others.lanes)
    return (SCANS_APART,) if has_panes and work.scans else ()


def _compared(program: LaneProgram, names: Sequence[str]) -> Iterator[CommonPart]:
    for edge in program.edges:
        if edge.lookup.comparison is not None and len(edge.queries) > 1:
            yield CommonPart(_comparison(program, edge), tuple(names[e] for e in edge.queries))


def _comparison(program: LaneProgram, edge: LaneEdge) -> str:
    found, united = edge.lookup.comparison, program.united
    assert found is not None
    columns = [united.runs.columns[each] for each in (found.last, found.new)]
    last, new = (
        united.time if each.kind is ColumnKind.CLOCK else each.attribute for each in columns
    )
    source, target = (types_of(united.tests[each]) for each in (edge.source, edge.target))
    return f"{source}.{last} {OPERATORS[found.operator]} NEXT({target}).{new}"


def _words(program: ChainProgram, segment: Segment) -> Iterator[str]:
    """Yield the elements of a segment, and what may not be between them."""
    for place, each in enumerate(segment, start=1):
        yield position_word(program.tests[each.test], repeats=each.repeats)
        if place < len(segment):
            yield from (f"!{position_word(program.tests[e], repeats=False)}" for e in each.gap)


def _segments(program: ChainProgram, names: Sequence[str]) -> Iterator[CommonPart]:
    """Yield what two or more queries have in a row, those that save most first."""
    owners: dict[Segment, list[int]] = {}
    for query, chain in enumerate(program.chains):
        for segment in dict.fromkeys(segments_of(chain)):
            owners.setdefault(segment, []).append(query)
    inside = {
        (part, tuple(queries))
        for segment, queries in owners.items()
        for part in (segment[1:], segment[:-1])
    }
    found = [
        (segment, queries)
        for segment, queries in owners.items()
        if len(queries) > 1 and (segment, tuple(queries)) not in inside
    ]
    found.sort(key=lambda each: -(len(each[1]) - 1) * len(each[0]))
    for segment, queries in found:
        words = list(_words(program, segment))
        yield CommonPart(in_a_row(words, follows=True), tuple(names[each] for each in queries))
