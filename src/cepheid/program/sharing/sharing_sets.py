"""Which programs of a workload can be folded together, and why others cannot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cepheid.analysis.rename_variables import rename_variables
from cepheid.program.aggregate_output import AggregateOutput, MinimumMeasure, NumberMeasure
from cepheid.program.position_automaton import PositionTest
from cepheid.program.program import Clock, Program, StrategyCode
from cepheid.program.sharing.pack_numbers import (
    Asking,
    MeasureName,
    Names,
    Types,
    pack_numbers,
)

RETURNS_MATCHES = "it returns matches"
KEEPS_MORE = "its state is more than a value per position"
TAKES_AWAY = "events take runs away from each other under its strategy"
COUNTS_EVENTS = "its windows count events"
MOVES = "its window moves with every event"
HAS_ALL_DIGITS = "its counts have all their digits"


@dataclass(frozen=True, slots=True)
class SharingSet:
    """Places of programs in the workload that are folded together; `numbers` are what they carry.

    A number is known by what it adds up and by the types, among those that programs have in common,
    of the positions at which it does; conditions may differ. `fits` has by program which of the
    numbers and of the minima are its own, in its order.
    """

    places: tuple[int, ...]
    numbers: tuple[MeasureName, ...]
    minima: tuple[MeasureName, ...]
    fits: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]


def why_alone(program: Program) -> str | None:
    """Return why a query is folded by itself, as a part of a sentence; None if it need not be."""
    output = program.output
    if not isinstance(output, AggregateOutput):
        return RETURNS_MATCHES
    if program.slots is None:
        return KEEPS_MORE
    if program.strategy is not StrategyCode.SKIP_TILL_ANY:
        return TAKES_AWAY
    if program.clock is Clock.EVENTS:
        return COUNTS_EVENTS
    if program.window_length is not None and program.slide is None:
        return MOVES
    if output.has_exact:
        return HAS_ALL_DIGITS
    return None


def and_others(refused: Collection[str]) -> str:
    """Return how many are refused beside the one whose reason is told, as the end of a sentence."""
    others = len(refused) - 1
    return "" if others == 0 else f" ({others} other{'' if others == 1 else 's'} cannot, either)"


def sharing_sets(programs: Sequence[Program]) -> list[SharingSet]:
    """Return the sets of two or more programs that are folded together.

    They read the same columns for time, type, order and partitions; what they carry is packed, see
    pack_numbers.py.
    """
    places = [place for place, each in enumerate(programs) if why_alone(each) is None]
    common = _common_types([programs[place] for place in places])
    found: dict[Any, list[int]] = {}
    for place in places:
        found.setdefault(stream_of(programs[place]), []).append(place)
    sets = (each for alike in found.values() for each in _packed(programs, alike, common))
    return sorted((each for each in sets if len(each.places) > 1), key=lambda each: each.places)


def pack_programs(programs: Sequence[Program]) -> Iterator[SharingSet]:
    """Yield sets of one or more programs by what they carry, whatever else they are."""
    return _packed(programs, range(len(programs)), _common_types(programs))


def _packed(
    programs: Sequence[Program], places: Sequence[int], common: frozenset[Types]
) -> Iterator[SharingSet]:
    asking = []
    for place in places:
        types = frozenset(each.types for each in programs[place].tests)
        asking.append(Asking(place, measure_names(programs[place], common), types))
    for each in pack_numbers(asking):
        yield SharingSet(each.places, *each.names, each.fits)


def stream_of(program: Program) -> tuple[Any, ...]:
    """Return what programs have in common whose events have the same order and partitions."""
    return (
        program.time,
        program.type_column,
        program.order,
        program.partition_by,
        program.derived_types,
    )


def only_counts(program: Program) -> bool:
    """Whether a query asks for the number of trends alone."""
    output = program.output
    return isinstance(output, AggregateOutput) and not (output.numbers or output.minima)


def _common_types(programs: Sequence[Program]) -> frozenset[Types]:
    counts = Counter(
        types for program in programs for types in {each.types for each in program.tests}
    )
    return frozenset(types for types, count in counts.items() if count > 1)


def measure_names(program: Program, common: frozenset[Types]) -> Names:
    """Return the names of the numbers and of the minima of a program."""
    output = program.output
    assert isinstance(output, AggregateOutput)
    return (
        _named(program, output.numbers, common),
        _named(program, output.minima, common),
    )


def _named(
    program: Program,
    measures: Sequence[NumberMeasure | MinimumMeasure],
    common: frozenset[Types],
) -> tuple[MeasureName, ...]:
    names = []
    for measure in measures:
        types = frozenset(
            test.types
            for position, test in enumerate(program.tests)
            if measure.positions >> position & 1
        )
        if isinstance(measure, NumberMeasure):
            content = measure.content.value
        else:
            content = "maximum" if measure.is_maximum else "minimum"
        names.append(MeasureName(content, measure.attribute, types & common))
    return tuple(names)


def plain_test(test: PositionTest, name: str = "") -> PositionTest:
    """Return a test with another name, or none, for the variable that the event is bound to."""
    if test.condition is None:
        return test
    return replace(test, condition=rename_variables(test.condition, lambda _: name))
