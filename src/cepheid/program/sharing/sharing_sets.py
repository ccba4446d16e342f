"""Which programs of a workload can be folded together, and why others cannot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from cepheid.analysis.expressions import AttributeReference
from cepheid.program.aggregate_output import AggregateOutput, MinimumMeasure, NumberMeasure
from cepheid.program.position_automaton import PositionTest
from cepheid.program.program import Clock, Program, StrategyCode

RETURNS_MATCHES = "it returns matches"
KEEPS_MORE = "its state is more than a value per position"
Types = tuple[str, ...]

MOST_OPEN = 32  # windows at once; beyond that, panes or a vector of windows are faster


@dataclass(frozen=True, slots=True)
class SharingSet:
    """Places of programs in the workload that are folded together; `numbers` are what they carry.

    A number is known by what it adds up and by the types, among those that programs have in common,
    of the positions at which it does; conditions may differ.
    """

    places: tuple[int, ...]
    numbers: tuple[MeasureName, ...]
    minima: tuple[MeasureName, ...]


@dataclass(frozen=True, slots=True)
class MeasureName:
    """What is added up or compared, at which common types, and which one of several that is."""

    content: str
    attribute: str | None
    types: frozenset[Types]
    ordinal: int = 0


def why_alone(program: Program) -> str | None:
    """Return why a query is folded by itself, as a part of a sentence; None if it need not be."""
    output = program.output
    if not isinstance(output, AggregateOutput):
        return RETURNS_MATCHES
    if program.slots is None:
        return KEEPS_MORE
    if program.strategy is not StrategyCode.SKIP_TILL_ANY:
        return "events take runs away from each other under its strategy"
    if program.clock is Clock.EVENTS:
        return "its windows count events"
    if program.window_length is not None and program.slide is None:
        return "its window moves with every event"
    if program.window_length is not None and program.slide is not None:
        open_at_once = -(-program.window_length // program.slide)
        if open_at_once > MOST_OPEN:
            return f"{open_at_once:,} of its windows are open at once"
    if output.has_exact:
        return "its counts have all their digits"
    return None


def sharing_sets(programs: Sequence[Program]) -> list[SharingSet]:
    """Return the sets of two or more programs that are folded together.

    They read the same columns for time, type, order and partitions, and carry the same numbers, or
    those of one are among those of the others.
    """
    places = [place for place, each in enumerate(programs) if why_alone(each) is None]
    return sets_of(programs, places, stream_of)


def sets_of(
    programs: Sequence[Program], places: Sequence[int], key: Callable[[Program], Any]
) -> list[SharingSet]:
    """Return sets of programs at some places that have a key in common, and fitting numbers."""
    common = _common_types([programs[place] for place in places])
    found: dict[Any, dict[Any, list[int]]] = {}
    for place in places:
        program = programs[place]
        names = measure_names(program, common)
        found.setdefault(key(program), {}).setdefault(names, []).append(place)
    sets = []
    for by_names in found.values():
        for names in sorted(by_names, key=lambda each: len(each[0]) + len(each[1])):
            larger = [each for each in by_names if each != names and _is_part(names, each)]
            if len(by_names[names]) == 1 and larger:
                by_names[larger[0]] += by_names.pop(names)
        for (numbers, minima), members in by_names.items():
            if len(members) > 1:
                sets.append(SharingSet(tuple(sorted(members)), numbers, minima))
    return sorted(sets, key=lambda each: each.places)


def stream_of(program: Program) -> tuple[Any, ...]:
    """Return what programs have in common whose events have the same order and partitions."""
    return (
        program.time,
        program.type_column,
        program.order,
        program.partition_by,
        program.derived_types,
    )


Names = tuple[tuple[MeasureName, ...], tuple[MeasureName, ...]]


def _is_part(names: Names, of: Names) -> bool:
    return all(set(own) <= set(other) for own, other in zip(names, of, strict=True))


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
    names: list[MeasureName] = []
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
        name = MeasureName(content, measure.attribute, types & common)
        while name in names:
            name = replace(name, ordinal=name.ordinal + 1)
        names.append(name)
    return tuple(names)


def plain_test(test: PositionTest, name: str = "") -> PositionTest:
    """Return a test with another name, or none, for the variable that the event is bound to."""
    return replace(test, condition=_renamed(test.condition, name))


def _renamed(node: Any, name: str) -> Any:
    if isinstance(node, AttributeReference):
        return replace(node, variable=name)
    if isinstance(node, tuple):
        return tuple(_renamed(each, name) for each in node)
    if is_dataclass(node) and not isinstance(node, type):
        changed = {each.name: _renamed(getattr(node, each.name), name) for each in fields(node)}
        return replace(node, **changed)
    return node
