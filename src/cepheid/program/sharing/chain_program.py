"""Sequences that are counted in one window that moves with every event, and what they share.

That is Chop-Connect of A-Seq, section 4.2, without connect events: what a stretch of events does to
a sequence is the number of matches of each *segment* of it, its elements from one place to another.
Where a segment is in a query does not matter, so equal segments of all queries are kept once, be
they a prefix, a part in the middle or an end. See kernels/shared/fold_segments.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.position_automaton import PositionTest
from cepheid.program.program import Clock, Program, StrategyCode
from cepheid.program.sharing.sharing_sets import plain_test, stream_of

MOST_SEGMENTS = 1 << 15  # of a set: they are kept for every partition under way
NO_EVENTS = "no other sequence that is counted in such a window has one of its events, as often"
# Why sequences with events in common are not counted together, by part of their key.
OTHER_KEYS = (
    "those with the same events read other columns for time, type, order or partitions",
    "those with the same events have another window",
    "those with the same events have other groups",
)


class Element(NamedTuple):
    """A type of a sequence: the number of its test, and whether it may repeat, as T in T+."""

    test: int
    repeats: bool


Segment = tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class ChainProgram:
    """Programs that are counted together: by program its sequence; `tests` are those of all."""

    programs: tuple[Program, ...]
    tests: tuple[PositionTest, ...]
    chains: tuple[Segment, ...]

    @property
    def segments(self) -> dict[Segment, int]:
        """The different segments of all sequences, each with its number."""
        found = (each for chain in self.chains for each in segments_of(chain))
        return {each: number for number, each in enumerate(dict.fromkeys(found))}


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
    """Whether a query counts sequences whose types may repeat, and a group is one partition."""
    output = program.output
    if not isinstance(output, AggregateOutput) or program.slots is None:
        return False
    if program.strategy is not StrategyCode.SKIP_TILL_ANY or program.pair is not None:
        return False
    if program.window_length is None or program.slide is not None or program.clock is Clock.EVENTS:
        return False
    if program.negation is not None or output.has_exact or output.shows_expiry:
        return False
    if output.numbers or output.minima:
        return False
    if not set(program.partition_by) <= {column for column, _ in output.groups}:
        return False
    automaton, size = program.automaton, len(program.tests)
    if automaton.first != 1 or automaton.last != 1 << (size - 1):
        return False
    return all(
        follow & ~(1 << position) == (1 << (position + 1) if position + 1 < size else 0)
        for position, follow in enumerate(automaton.follow)
    )


def chain_sets(programs: Sequence[Program]) -> list[tuple[tuple[int, ...], ChainProgram]]:
    """Return sets of two or more programs on the same events with a type in common."""
    by_key: dict[object, list[int]] = {}
    for place, program in enumerate(programs):
        if is_chain(program):
            by_key.setdefault(_key(program), []).append(place)
    found = []
    for places in by_key.values():
        made = make_chains([programs[place] for place in places])
        kept = _with_company(made)
        if len(kept) > 1:
            made = (
                made if len(kept) == len(places) else make_chains([made.programs[e] for e in kept])
            )
            if len(made.segments) <= MOST_SEGMENTS:
                found.append((tuple(places[each] for each in kept), made))
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
    return f"there would be more than {MOST_SEGMENTS:,} segments to count together"


def _elements(program: Program) -> set[tuple[PositionTest, bool]]:
    """Return the tests of a sequence, each with whether it may repeat."""
    follow = program.automaton.follow
    return {
        (plain_test(test), bool(follow[position] >> position & 1))
        for position, test in enumerate(program.tests)
    }


def make_chains(programs: Sequence[Program]) -> ChainProgram:
    """Return programs as sequences of numbered tests."""
    tests: dict[PositionTest, int] = {}
    chains = tuple(
        tuple(
            Element(
                tests.setdefault(plain_test(test), len(tests)),
                bool(program.automaton.follow[position] >> position & 1),
            )
            for position, test in enumerate(program.tests)
        )
        for program in programs
    )
    return ChainProgram(tuple(programs), tuple(tests), chains)


def _key(program: Program) -> tuple[object, ...]:
    """Return what sequences must have in common that are counted together, see OTHER_KEYS."""
    output = program.output
    assert isinstance(output, AggregateOutput)
    return stream_of(program), program.window_length, frozenset(c for c, _ in output.groups)


def _with_company(made: ChainProgram) -> list[int]:
    """Return the sequences that have an element in common with another one."""
    owners: dict[Element, set[int]] = {}
    for number, chain in enumerate(made.chains):
        for element in chain:
            owners.setdefault(element, set()).add(number)
    return sorted({each for some in owners.values() if len(some) > 1 for each in some})
