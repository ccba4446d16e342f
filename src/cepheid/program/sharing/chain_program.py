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
from cepheid.program.sharing.shared_measures import SharedMeasures
from cepheid.program.sharing.sharing_sets import (
    SharingSet,
    pack_programs,
    plain_test,
    stream_of,
)
from cepheid.program.slot_program import SlotProgram

MOST_SEGMENTS = 1 << 15  # of a set: they are kept for every partition under way
NO_EVENTS = "no other sequence in such a window has one of its events, as often"
# Why sequences with events in common are not counted together, by part of their key.
OTHER_KEYS = (
    "those with the same events read other columns for time, type, order or partitions",
    "those with the same events have another window",
    "those with the same events have other groups",
)


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


def is_chain(program: Program) -> bool:
    """Whether a query aggregates sequences whose types may repeat, and a group is one partition."""
    output = program.output
    if not isinstance(output, AggregateOutput) or program.slots is None:
        return False
    if program.strategy is not StrategyCode.SKIP_TILL_ANY or program.pair is not None:
        return False
    if program.window_length is None or program.slide is not None or program.clock is Clock.EVENTS:
        return False
    if output.has_exact or output.shows_expiry:
        return False
    if not set(program.partition_by) <= {column for column, _ in output.groups}:
        return False
    automaton, size = program.automaton, len(program.tests)
    if automaton.first != 1 or automaton.last != 1 << (size - 1):
        return False
    if not all(
        follow & ~(1 << position) == (1 << (position + 1) if position + 1 < size else 0)
        for position, follow in enumerate(automaton.follow)
    ):
        return False
    return gaps_of(program) is not None


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
        if is_chain(program):
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
    """Return why a sequence that is counted has no segments in common with others."""
    own = _elements(program)
    others = [each for each in programs if each is not program and is_chain(each)]
    alike = [each for each in others if own & _elements(each)]
    if not alike:
        return NO_EVENTS
    for part, reason in enumerate(OTHER_KEYS):
        alike = [each for each in alike if _key(each)[part] == _key(program)[part]]
        if not alike:
            return reason
    return f"there would be more than {MOST_SEGMENTS:,} segments to keep together"


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
