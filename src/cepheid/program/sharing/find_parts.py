"""Parts that occur at several places of merged queries: T+, a group, a stretch of a sequence.

Candidates are the stretches of consecutive positions of every query. A part is given by the types
of its positions, by the edges inside and by what events contribute; conditions may differ from
place to place. Edges that negation looks at are never inside a part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cepheid.program.position_automaton import PositionTest
from cepheid.program.sharing.merged_program import Family, Member, MergedPosition

MOST_PLACES = 6  # in a part: blocks of the log have the square of it
MOST_CLASSES = 60  # in a family: kernels have a bit for each
MOST_FAMILIES = 60


@dataclass(frozen=True, slots=True)
class _Shape:
    """What places of a part have in common."""

    types: tuple[tuple[str, ...], ...]
    sources: tuple[tuple[int, ...], ...]
    measures: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]

    @property
    def weight(self) -> int:
        """How much is saved at every place but one: edges, of which loops are the costly ones."""
        return len(self.types) + 2 * sum(
            source >= place for place, sources in enumerate(self.sources) for source in sources
        )


def find_families(
    positions: Sequence[MergedPosition],
    tests: Sequence[PositionTest],
    places: Sequence[Sequence[int]],
) -> tuple[Family, ...]:
    """Return parts that occur at two or more places, those that save most first.

    `places` has the positions of every query. No position is in two parts, and no part follows
    another at once: what flows into a part must not change with the steps of another.
    """
    finder = _Finder(positions, tests)
    found: dict[_Shape, list[tuple[int, ...]]] = {}
    for query in places:
        for begin, end in _stretches(len(query)):
            members = tuple(query[begin:end])
            shape = finder.shape(members)
            if shape is not None and members not in found.setdefault(shape, []):
                found[shape].append(members)
    shapes = sorted(found, key=lambda each: -each.weight * (len(found[each]) - 1))
    families: list[Family] = []
    for shape in shapes:
        free = finder.free_places(found[shape]) if len(families) < MOST_FAMILIES else []
        if len(free) > 1:
            families.append(finder.family(shape, free))
    return tuple(families)


def _stretches(length: int) -> Iterator[tuple[int, int]]:
    for begin in range(length):
        for end in range(begin + 1, min(length, begin + MOST_PLACES) + 1):
            yield begin, end


class _Finder:
    def __init__(self, positions: Sequence[MergedPosition], tests: Sequence[PositionTest]) -> None:
        self.positions = positions
        self.tests = tests
        self.taken: set[int] = set()
        self.readers: dict[tuple[int, int], list[int]] = {}
        self.feeders: dict[tuple[int, int], list[int]] = {}
        for number, each in enumerate(positions):
            for slot in each.sources:
                self.readers.setdefault((each.group, slot), []).append(number)
            for slot in each.entries:
                self.feeders.setdefault((each.group, slot), []).append(number)

    def shape(self, members: tuple[int, ...]) -> _Shape | None:
        """Return the shape of a stretch; None if it is no part by itself."""
        group = self.positions[members[0]].group
        owner = {self.positions[each].value_slot: place for place, each in enumerate(members)}
        sources = []
        for each in members:
            inside = []
            for slot in self.positions[each].sources:
                feeders = self.feeders.get((group, slot), ())
                inner = [feeder for feeder in feeders if feeder in members]
                if not inner:
                    continue
                if slot not in owner or any(feeder not in members for feeder in feeders):
                    return None  # a gap that negation looks at
                inside.append(owner[slot])
            sources.append(tuple(sorted(inside)))
        return _Shape(
            tuple(self.tests[self.positions[each].test].types for each in members),
            tuple(sources),
            tuple((self.positions[e].numbers, self.positions[e].minima) for e in members),
        )

    def free_places(self, occurrences: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Return the places that are in no part yet and not beside one; they are taken then."""
        chosen: list[tuple[int, ...]] = []
        classes: set[tuple[int, ...]] = set()
        before = set(self.taken)
        for members in occurrences:
            of_class = self._class(members)
            has_room = of_class in classes or len(classes) < MOST_CLASSES
            if has_room and self._is_free(members):
                chosen.append(members)
                classes.add(of_class)
                self.taken |= set(members)
        if len(chosen) < 2:
            self.taken = before
        return chosen

    def _is_free(self, members: tuple[int, ...]) -> bool:
        if self.taken & set(members):
            return False
        for each in members:
            position = self.positions[each]
            for slot in position.sources:
                feeders = self.feeders.get((position.group, slot), ())
                if any(e in self.taken for e in feeders if e not in members):
                    return False
            for slot in position.entries:
                readers = self.readers.get((position.group, slot), ())
                if any(e in self.taken for e in readers if e not in members):
                    return False
        return True

    def _class(self, members: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.positions[each].test for each in members)

    def family(self, shape: _Shape, occurrences: Sequence[tuple[int, ...]]) -> Family:
        """Return a part with its places."""
        classes = list(dict.fromkeys(map(self._class, occurrences)))
        return Family(
            _text(shape),
            shape.sources,
            tuple(classes),
            tuple(Member(classes.index(self._class(each)), each) for each in occurrences),
        )


def _text(shape: _Shape) -> str:
    words = []
    for place, types in enumerate(shape.types):
        word = types[0] if len(types) == 1 else f"ANY({', '.join(types)})"
        words.append(f"{word}+" if place in shape.sources[place] else word)
    text = words[0] if len(words) == 1 else f"SEQ({', '.join(words)})"
    loops_back = any(e > place for place, sources in enumerate(shape.sources) for e in sources)
    return f"({text})+" if loops_back else text
