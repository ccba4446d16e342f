"""Sequences that are aggregated in one window that moves with every event, and what they share.

That is Chop-Connect of A-Seq, section 4.2, without connect events: what a stretch of events does to
a sequence is the number of matches of each *segment* of it, its elements from one place to another.
Where a segment is in a query does not matter, so equal segments of all queries are kept once, be
they a prefix, a part in the middle or an end. With sums and minima, what events contribute is part
of a segment, and so are negated events between its elements. See kernels/shared/fold_segments.py
and fold_segment_values.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.position_automaton import PositionTest
from cepheid.program.program import Clock, Program, StrategyCode
from cepheid.program.sharing.pack_numbers import COUNTS_APART, TOO_MANY, counts_apart
from cepheid.program.sharing.shared_measures import SharedMeasures
from cepheid.program.sharing.sharing_sets import (
    COUNTS_EVENTS,
    HAS_ALL_DIGITS,
    KEEPS_MORE,
    RETURNS_MATCHES,
    TAKES_AWAY,
    SharingSet,
    and_others,
    only_counts,
    pack_programs,
    plain_test,
    stream_of,
)
from cepheid.program.slot_program import SlotProgram

MOST_SEGMENTS = 1 << 15  # of a set: they are kept for every partition under way
NO_EVENTS = "no other sequence in such a window has one of its events, as often"
# Why sequences with events in common are not counted together, by part of their key.
OTHER_KEYS = (
    "those that could share its segments read other columns for time, type, order or partitions",
    "those that could share its segments have another window",
    "those that could share its segments have other groups",
)
STANDS_STILL = "its window does not move with every event"
SHOWS_EXPIRY = "it gives rows also when only time passes"
NO_SEQUENCE = "it is not one type after another"
OTHER_GAPS = "it negates more than single events between two elements, the first of which is once"


class Element(NamedTuple):
    """A type of a sequence: the number of its test, and whether it may repeat, as T in T+.

    `numbers` and `minima` are the measures that its events contribute to, -1 for none. `gap` are
    the tests of events that may not follow it before the next element.
    """

    test: int
    repeats: bool
    numbers: tuple[int, ...] = (-1,)
    minima: tuple[int, ...] = ()
    gap: tuple[int, ...] = ()


Segment = tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class ChainProgram:
    """Programs that are folded together: by program its sequence; `tests` are those of all.

    `measures` are what events contribute to. `fits` are by program its numbers, beside that of
    trends, and its minima, among those that all carry.
    """

    programs: tuple[Program, ...]
    tests: tuple[PositionTest, ...]
    chains: tuple[Segment, ...]
    measures: AggregateOutput
    fits: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]

    @property
    def segments(self) -> dict[Segment, int]:
        """The different segments of all sequences, each with its number."""
        found = (each for chain in self.chains for each in segments_of(chain))
        return {each: number for number, each in enumerate(dict.fromkeys(found))}

    @property
    def adds_partitions(self) -> bool:
        """Whether a result is of several partitions; all programs have the same groups."""
        output = self.programs[0].output
        assert isinstance(output, AggregateOutput)
        groups = {column for column, _ in output.groups}
        return not set(self.programs[0].partition_by) <= groups

    def queries_by_kind(
        self, passes: Sequence[tuple[int, ...]], *, at_end: bool
    ) -> list[list[int]]:
        """Return by kind of events the programs whose sequences end, or begin, with it.

        `passes` has by kind the tests that it passes.
        """
        borders = [each[-1 if at_end else 0].test for each in self.chains]
        return [[query for query, test in enumerate(borders) if test in own] for own in passes]

    def leaving(self, passes: Sequence[tuple[int, ...]]) -> list[list[int]]:
        """Return by kind the programs whose results may change when such an event leaves."""
        if self.adds_partitions:
            return self.queries_by_kind(passes, at_end=False)
        return [[] for _ in passes]

    @property
    def only_counts(self) -> bool:
        """Whether sequences without negated events are counted, and nothing else."""
        elements = [each for chain in self.chains for each in chain]
        return all(len(e.numbers) == 1 and not e.minima and not e.gap for e in elements)


def segments_of(chain: Segment) -> Iterator[Segment]:
    """Yield all stretches of a sequence.

    >>> a, b = Element(0, False), Element(1, True)
    >>> list(segments_of((a, b))) == [(a,), (a, b), (b,)]
    True
    """
    for begin in range(len(chain)):
        for end in range(begin + 1, len(chain) + 1):
            yield chain[begin:end]


def why_not_chain(program: Program) -> str | None:
    """Return why a query is no sequence with segments, as a part of a sentence; None if it is.

    It aggregates sequences whose types may repeat.
    """
    output = program.output
    if not isinstance(output, AggregateOutput):
        return RETURNS_MATCHES
    if program.slots is None or program.pair is not None:
        return KEEPS_MORE
    if program.strategy is not StrategyCode.SKIP_TILL_ANY:
        return TAKES_AWAY
    if program.clock is Clock.EVENTS:
        return COUNTS_EVENTS
    if not _moves(program):
        return STANDS_STILL
    if output.has_exact:
        return HAS_ALL_DIGITS
    if output.shows_expiry:
        return SHOWS_EXPIRY
    if not _is_sequence(program):
        return NO_SEQUENCE
    return OTHER_GAPS if gaps_of(program) is None else None


def _moves(program: Program) -> bool:
    """Whether the window of a query moves with every event."""
    has_length = program.window_length is not None and program.slide is None
    return has_length and program.clock is not Clock.EVENTS


def _is_sequence(program: Program) -> bool:
    """Whether a pattern is one position after another, each of which may repeat."""
    automaton, size = program.automaton, len(program.tests)
    if automaton.first != 1 or automaton.last != 1 << (size - 1):
        return False
    return all(
        follow & ~(1 << position) == (1 << (position + 1) if position + 1 < size else 0)
        for position, follow in enumerate(automaton.follow)
    )


def gaps_of(program: Program) -> tuple[tuple[PositionTest, ...], ...] | None:
    """Return by position of a sequence the events that may not follow it before the next one.

    None if something else is negated: before the first or after the last element, after one that
    repeats, or more than single events.
    """
    size, slots = len(program.tests), program.slots
    assert slots is not None
    if program.negation is None:
        return ((),) * size
    tests = {
        1 << first_bit + bit: plain_test(test)
        for masks, first_bit in slots.negative
        for bit, test in enumerate(program.negative_tests[masks])
    }
    gaps, others = list[tuple[PositionTest, ...]](), set(range(slots.size))
    for position in range(size - 1):
        waiting = set(slots.entries[position]) & set(slots.sources[position + 1])
        others -= waiting
        gap = _ended_by(slots, waiting.pop(), tests) if len(waiting) == 1 else None
        if gap is None or (gap and program.automaton.follow[position] >> position & 1):
            return None
        gaps.append(gap)
    if any(_ended_by(slots, slot, tests) != () for slot in others):
        return None
    return (*gaps, ())


def _ended_by(
    slots: SlotProgram, slot: int, tests: Mapping[int, PositionTest]
) -> tuple[PositionTest, ...] | None:
    """Return the events that end the runs of a slot; None if some move them elsewhere."""
    targets = {code: slots.moves[slot][code] for code in tests}
    if any(target not in (slot, -1) for target in targets.values()):
        return None
    return tuple(test for code, test in tests.items() if targets[code] == -1)


def chain_sets(programs: Sequence[Program]) -> list[tuple[tuple[int, ...], ChainProgram]]:
    """Return sets of two or more programs on the same events with a type in common."""
    by_key: dict[object, list[int]] = {}
    for place, program in enumerate(programs):
        if why_not_chain(program) is None:
            by_key.setdefault(_key(program), []).append(place)
    found = []
    for places in by_key.values():
        alike = [programs[place] for place in places]
        kept = _with_company(alike)
        for packed in pack_programs([alike[each] for each in kept]) if len(kept) > 1 else ():
            made = make_chains([alike[kept[each]] for each in packed.places], packed)
            if len(packed.places) > 1 and len(made.segments) <= MOST_SEGMENTS:
                found.append((tuple(places[kept[each]] for each in packed.places), made))
    return found


def why_no_chain(program: Program, programs: Sequence[Program]) -> str:
    """Return why a sequence that is aggregated has no segments in common with others."""
    own = _elements(program)
    moving = [each for each in programs if each is not program and _moves(each)]
    alike = [each for each in moving if own & _elements(each)]
    if not alike:
        return NO_EVENTS
    refused = {each.name: why_not_chain(each) for each in alike}
    chains = [each for each in alike if refused[each.name] is None]
    if not chains:
        return _refused({name: reason or "" for name, reason in refused.items()})
    for part, reason in enumerate(OTHER_KEYS):
        chains = [each for each in chains if _key(each)[part] == _key(program)[part]]
        if not chains:
            return reason
    key = _key(program)
    return _why_apart(
        program, [each for each in programs if why_not_chain(each) is None and _key(each) == key]
    )


def _why_apart(program: Program, programs: Sequence[Program]) -> str:
    """Return why a sequence is alone among others with which it could have segments in common."""
    kept = [programs[each] for each in _with_company(programs)]
    (own,) = (each for each in pack_programs(kept) if kept.index(program) in each.places)
    if len(own.places) > 1:
        return f"there would be more than {MOST_SEGMENTS:,} segments to keep together"
    others_count = all(only_counts(each) for each in kept if each is not program)
    counts = sum(map(only_counts, kept))
    return COUNTS_APART if others_count and counts_apart(counts, len(kept)) else TOO_MANY


def _refused(reasons: Mapping[str, str]) -> str:
    """Return that those with the same events share no segments, and why one of them does not."""
    name, reason = next(iter(reasons.items()))
    return f"those with the same events share no segments: of {name}, {reason}{and_others(reasons)}"


def _elements(program: Program) -> set[tuple[PositionTest, bool]]:
    """Return the tests of a sequence, each with whether it may repeat."""
    follow = program.automaton.follow
    return {
        (plain_test(test), bool(follow[position] >> position & 1))
        for position, test in enumerate(program.tests)
    }


def make_chains(programs: Sequence[Program], shared: SharingSet) -> ChainProgram:
    """Return programs as sequences of numbered tests; `shared` says what they carry."""
    tests: dict[PositionTest, int] = {}
    measures = SharedMeasures(programs, shared)

    def number(test: PositionTest) -> int:
        return tests.setdefault(plain_test(test), len(tests))

    chains = []
    for query, program in enumerate(programs):
        gaps = gaps_of(program)
        assert gaps is not None
        chains.append(
            tuple(
                Element(
                    number(test),
                    bool(program.automaton.follow[position] >> position & 1),
                    *measures.of(query, position, test),
                    tuple(sorted(map(number, gaps[position]))),
                )
                for position, test in enumerate(program.tests)
            )
        )
    return ChainProgram(tuple(programs), tuple(tests), tuple(chains), measures.output, shared.fits)


def _key(program: Program) -> tuple[object, ...]:
    """Return what sequences must have in common that are counted together, see OTHER_KEYS."""
    output = program.output
    assert isinstance(output, AggregateOutput)
    return stream_of(program), program.window_length, frozenset(c for c, _ in output.groups)


def _with_company(programs: Sequence[Program]) -> list[int]:
    """Return the sequences that have an element in common with another one."""
    owners: dict[tuple[PositionTest, bool], set[int]] = {}
    for number, program in enumerate(programs):
        for element in _elements(program):
            owners.setdefault(element, set()).add(number)
    return sorted({each for some in owners.values() if len(some) > 1 for each in some})
