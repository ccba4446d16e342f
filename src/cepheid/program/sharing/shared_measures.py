"""What events contribute to the numbers and minima that several queries carry together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from cepheid.program.aggregate_output import (
    AggregateOutput,
    Content,
    MinimumMeasure,
    NumberMeasure,
)
from cepheid.program.position_automaton import PositionTest
from cepheid.program.program import Program
from cepheid.program.sharing.pack_numbers import MeasureName
from cepheid.program.sharing.sharing_sets import SharingSet

EVERYWHERE = 2**64 - 1
Item = TypeVar("Item")


class SharedMeasures:
    """Finds the measures of positions, each once for all programs."""

    def __init__(self, programs: Sequence[Program], shared: SharingSet) -> None:
        self.programs = programs
        self.shared = shared
        self.numbers: list[NumberMeasure] = []
        self.minima: list[MinimumMeasure] = []

    @property
    def output(self) -> AggregateOutput:
        """All measures that were found."""
        return AggregateOutput((), tuple(self.numbers), tuple(self.minima), (), ())

    def of(
        self, query: int, position: int, test: PositionTest
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return what an event at a position contributes; also to numbers that others ask for.

        Then the position is the same for all of them.
        """
        output = self.programs[query].output
        assert isinstance(output, AggregateOutput)
        own_numbers, own_minima = self.shared.fits[query]
        numbers = [-1]
        for place, name in enumerate(self.shared.numbers):
            number = NumberMeasure(Content(name.content), name.attribute, EVERYWHERE)
            where = None
            if place in own_numbers:
                where = output.numbers[own_numbers.index(place)].positions
            is_added = _contributes(name, where, position, test)
            numbers.append(1 + _place(self.numbers, number) if is_added else -1)
        minima = []
        for place, name in enumerate(self.shared.minima):
            assert name.attribute is not None
            minimum = MinimumMeasure(name.attribute, name.content == "maximum", EVERYWHERE)
            where = None
            if place in own_minima:
                where = output.minima[own_minima.index(place)].positions
            is_added = _contributes(name, where, position, test)
            minima.append(_place(self.minima, minimum) if is_added else -1)
        return tuple(numbers), tuple(minima)


def _contributes(name: MeasureName, where: int | None, position: int, test: PositionTest) -> bool:
    """Whether events at a position add to a number; `where` are the positions a query says."""
    if where is None:
        return test.types in name.types
    return bool(where >> position & 1)


def _place(items: list[Item], item: Item) -> int:
    """Return the place of an item in a list; it is added if it is new."""
    if item not in items:
        items.append(item)
    return items.index(item)
