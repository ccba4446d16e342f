"""Which events may follow each other, read off the words that a pattern stands for.

A word is one way to write the pattern without operators: `SEQ(A, B?)` has the words A B and A. Two
turns of `+` are enough to see what can follow what, so the words of a small pattern are few. The
copies of `{n,m}` are places of their own; all turns of `+` are one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from cepheid.language import ast

MOST_WORDS = 1000

Gaps: TypeAlias = set[frozenset[int]]  # ways to cross, each with the negated parts on it


class TooManyWords(Exception):
    """The pattern is not small."""


class Leaf(NamedTuple):
    """An event pattern as it is written."""

    number: int
    types: tuple[str, ...]
    variable: str  # what no text can call it, if it has no name
    part: int | None  # the negated part that it is in


class Place(NamedTuple):
    """Where an event can stand: a leaf, and which copies of `{n,m}` it is in."""

    leaf: Leaf
    copies: tuple[int, ...]


class _Step(NamedTuple):
    place: Place
    turns: dict[int, int]  # by repetition around it


_Word: TypeAlias = tuple["_Step | int", ...]  # a number is a negated part between two steps


@dataclass
class Routes:
    """Where words begin and end, what follows what, and which negated parts are crossed."""

    first: dict[Place, Gaps] = field(default_factory=dict)
    last: dict[Place, Gaps] = field(default_factory=dict)
    next: dict[Place, dict[Place, Gaps]] = field(default_factory=dict)
    loops: set[tuple[Place, Place]] = field(default_factory=set)

    def must_follow(self, place: Place) -> set[Place]:
        """Return what SASE+ does not let a run skip: another turn, or else all that follows."""
        targets = self.next.get(place, {})
        loops = {each for each in targets if (place, each) in self.loops}
        return loops or set(targets)


class PlainPattern:
    """The leaves of a pattern, its routes and those of its negated parts."""

    def __init__(self, pattern: ast.Pattern) -> None:
        self.leaves: list[Leaf] = []
        self._negations: list[ast.Pattern] = []
        self._numbers: dict[int, int] = {}
        self._number(pattern, None)
        self.routes = _routes(self._words(pattern, (), {}))
        self.parts = [_routes(self._words(each, (), {})) for each in self._negations]

    def _number(self, pattern: ast.Pattern, part: int | None) -> None:
        self._numbers[id(pattern)] = len(self._numbers)
        match pattern:
            case ast.EventPattern():
                number = self._numbers[id(pattern)]
                variable = pattern.variable or f"part {number}"
                self.leaves.append(Leaf(number, pattern.types, variable, part))
            case ast.Negation():
                self._negations.append(pattern.pattern)
                self._numbers[id(pattern)] = len(self._negations) - 1
                self._number(pattern.pattern, len(self._negations) - 1)
            case ast.Repeat():
                self._number(pattern.pattern, part)
            case _:
                for each in pattern.parts:
                    self._number(each, part)

    def _words(
        self, pattern: ast.Pattern, copies: tuple[int, ...], turns: dict[int, int]
    ) -> list[_Word]:
        number = self._numbers[id(pattern)]
        match pattern:
            case ast.EventPattern():
                leaf = next(each for each in self.leaves if each.number == number)
                return [(_Step(Place(leaf, copies), turns),)]
            case ast.Negation():
                return [(number,)]
            case ast.Alternation():
                return [word for each in pattern.parts for word in self._words(each, copies, turns)]
            case ast.Sequence():
                return _joined(self._words(each, copies, turns) for each in pattern.parts)
            case ast.Repeat():
                return list(self._turns(pattern, number, copies, turns))
        raise AssertionError(pattern)

    def _turns(
        self, pattern: ast.Repeat, number: int, copies: tuple[int, ...], turns: dict[int, int]
    ) -> Iterator[_Word]:
        least = max(1, pattern.minimum)
        most = least + 1 if pattern.maximum is None else pattern.maximum
        for count in range(pattern.minimum, most + 1):
            yield from _joined(
                self._words(
                    pattern.pattern,
                    (*copies, min(turn, least - 1) if pattern.maximum is None else turn),
                    {**turns, number: turn},
                )
                for turn in range(count)
            )


def _joined(parts: Iterable[list[_Word]]) -> list[_Word]:
    words: list[_Word] = [()]
    for part in parts:
        if len(words) * len(part) > MOST_WORDS:
            raise TooManyWords
        words = [(*word, *each) for word in words for each in part]
    return words


def _routes(words: Iterable[_Word]) -> Routes:
    routes = Routes()
    for word in words:
        steps = [each for each in word if isinstance(each, _Step)]
        if not steps:
            continue
        crossed: list[set[int]] = [set()]
        for each in word:
            if isinstance(each, int):
                crossed[-1].add(each)
            else:
                crossed.append(set())
        gaps = [frozenset(each) for each in crossed]
        routes.first.setdefault(steps[0].place, set()).add(gaps[0])
        routes.last.setdefault(steps[-1].place, set()).add(gaps[-1])
        for (one, other), gap in zip(pairwise(steps), gaps[1:-1], strict=True):
            routes.next.setdefault(one.place, {}).setdefault(other.place, set()).add(gap)
            if any(turn != other.turns.get(each, turn) for each, turn in one.turns.items()):
                routes.loops.add((one.place, other.place))
    return routes
