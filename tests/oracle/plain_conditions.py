"""What WHERE says of the events of a small match, read off the text.

NOT is pushed to the comparisons and OR below AND; each clause then has to hold for every choice of
what it reads: one event per name, the first event, a later event with those before it, or the whole
repetition once it is over. A repetition is the latest stretch of neighbours of the variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from cepheid.language import ast
from cepheid.language.ast import IndexKind
from tests.oracle.arithmetic import aggregate, compare, operate
from tests.oracle.plain_routes import Leaf

Row: TypeAlias = Mapping[str, Any]
Schemas: TypeAlias = Mapping[str, Sequence[str]] | None
OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


class Test(NamedTuple):
    """A comparison of two operands."""

    operator: str
    left: ast.Expression
    right: ast.Expression


Clause: TypeAlias = tuple[Test, ...]  # one of them has to hold
Read: TypeAlias = ast.Attribute | ast.Indexed  # what an operand reads of a variable
Slot: TypeAlias = tuple[str, ...]
Bound: TypeAlias = Sequence[tuple[Row, Leaf]]


class Scene(NamedTuple):
    """The events bound so far, those of a negated part, and whether the match ends here."""

    bound: Bound
    negative: Bound
    has_ended: bool


def clauses_of(node: ast.Expression, *, is_negated: bool = False) -> list[Clause]:
    """Return the clauses that all have to hold."""
    match node:
        case ast.Not():
            return clauses_of(node.operand, is_negated=not is_negated)
        case ast.And() | ast.Or():
            parts = [clauses_of(each, is_negated=is_negated) for each in node.operands]
            if isinstance(node, ast.And) != is_negated:
                return [clause for part in parts for clause in part]
            return [tuple(test for each in chosen for test in each) for chosen in product(*parts)]
        case ast.Comparison():
            ends = zip(node.operands, node.operands[1:], strict=False)
            tests = [
                Test(OPPOSITE[operator] if is_negated else operator, left, right)
                for operator, (left, right) in zip(node.operators, ends, strict=True)
            ]
            return [tuple(tests)] if is_negated else [(each,) for each in tests]
    raise AssertionError(node)


def reads(node: ast.Expression) -> Iterator[Read]:
    """Yield what an operand reads."""
    match node:
        case ast.Attribute() | ast.Indexed():
            yield node
        case ast.Call():
            yield from reads(node.argument)
        case ast.Arithmetic():
            yield from reads(node.left)
            yield from reads(node.right)


def names_of(clause: Clause) -> set[str]:
    """Return the names that a clause reads."""
    return {each.variable for each in _reads_of(clause)}


def _reads_of(clause: Clause) -> list[Read]:
    return [each for test in clause for side in (test.left, test.right) for each in reads(side)]


class Conditions:
    """Clauses over the leaves of a pattern."""

    def __init__(self, leaves: Sequence[Leaf], schemas: Schemas) -> None:
        self.schemas = schemas
        positive = [each for each in leaves if each.part is None]
        variables = {each.variable for each in leaves}
        self.leaves = {name: {each for each in leaves if each.variable == name}
                       for name in variables}  # fmt: skip
        for name in {each for leaf in positive for each in leaf.types} - variables:
            self.leaves[name] = {each for each in positive if name in each.types}

    def hold(self, clause: Clause, scene: Scene) -> bool:
        """Whether a clause holds for every choice of what it reads."""
        slots = list(dict.fromkeys(self._slots(clause)))
        return all(
            any(self._holds(test, dict(zip(slots, chosen, strict=True)), scene) for test in clause)
            for chosen in product(*(self._choices(slot, scene) for slot in slots))
        )

    def _slots(self, clause: Clause) -> Iterator[Slot]:
        steps = [each for each in _reads_of(clause) if _is_next(each)]
        for each in _reads_of(clause):
            yield self._pair(clause) if steps else self._slot(each)

    def _pair(self, clause: Clause) -> Slot:
        """Return the slot of `a.x < NEXT(b).x`, which reads two neighbours."""
        found = {_is_next(each): each.variable for each in _reads_of(clause)}
        return ("pair", found[False], found[True])

    def _slot(self, read: Read) -> Slot:
        if isinstance(read, ast.Attribute) and read.name == "LEN":
            return ("whole", read.variable)
        kind = {
            None: "each",
            IndexKind.FIRST: "first",
            IndexKind.LAST: "whole",
            IndexKind.ALL: "whole",
        }.get(read.index, "index")
        # The only part that lists a type can be called by the type, too. Where several list it, two
        # types are read apart, even if the same parts list both.
        leaves = self.leaves[read.variable]
        same = min(name for name, others in self.leaves.items() if others == leaves)
        return (kind, same if len(leaves) == 1 else read.variable)

    def _choices(self, slot: Slot, scene: Scene) -> list[tuple[int, int]]:
        """Return pairs of places in the match: the first event that is read, and the last."""
        kind, name = slot[0], slot[1]
        places = self._places(name, scene)
        if kind == "each":
            return [(place, place) for place in places]
        if kind == "pair":
            after = self._places(slot[2], scene)
            return [(place, place + 1) for place in places if place + 1 in after]
        if not places:
            return []
        end = places[-1]
        start = next(each for each in range(end, -1, -1) if each - 1 not in places)
        if kind == "first":
            return [(start, start)]
        if kind == "index":
            return [(start, place) for place in range(start + 1, end + 1)]
        is_over = scene.has_ended or end < len(self._bound(name, scene)) - 1
        return [(start, end)] if is_over else []

    def _bound(self, name: str, scene: Scene) -> Bound:
        is_negated = any(each.part is not None for each in self.leaves[name])
        return scene.negative if is_negated else scene.bound

    def _places(self, name: str, scene: Scene) -> list[int]:
        bound = self._bound(name, scene)
        return [place for place, (_, leaf) in enumerate(bound) if leaf in self.leaves[name]]

    def _holds(self, test: Test, chosen: Mapping[Slot, tuple[int, int]], scene: Scene) -> bool:
        values = []
        for side in (test.left, test.right):
            if any(self._lacks(each, chosen, scene) for each in reads(side)):
                return True
            values.append(self._value(side, chosen, scene))
        return compare(test.operator, *values) is True

    def _lacks(self, read: Read, chosen: Mapping[Slot, tuple[int, int]], scene: Scene) -> bool:
        """Whether an attribute is one that the event's type does not have."""
        if self.schemas is None or not isinstance(read, ast.Attribute) or read.name == "LEN":
            return False
        if read.index in (IndexKind.ALL, IndexKind.BEFORE):
            return False
        [event] = self._events(read, chosen, scene)
        return read.name not in self.schemas[event["type"]]

    def _events(
        self, read: Read, chosen: Mapping[Slot, tuple[int, int]], scene: Scene
    ) -> list[Row]:
        is_pair = next((each for each in chosen if each[0] == "pair"), None)
        slot = is_pair or self._slot(read)
        start, end = chosen[slot]
        events = [event for event, _ in self._bound(slot[1], scene)]
        if is_pair:
            return [events[end if _is_next(read) else start]]
        match read.index:
            case IndexKind.FIRST:
                return [events[start]]
            case IndexKind.PREVIOUS:
                return [events[end - 1]]
            case IndexKind.BEFORE:
                return events[start:end]
            case IndexKind.ALL:
                return events[start : end + 1]
        is_length = isinstance(read, ast.Attribute) and read.name == "LEN"
        return events[start : end + 1] if is_length else [events[end]]

    def _value(
        self, node: ast.Expression, chosen: Mapping[Slot, tuple[int, int]], scene: Scene
    ) -> Any:
        match node:
            case ast.Literal():
                return node.value
            case ast.Attribute(name="LEN"):
                return len(self._events(node, chosen, scene))
            case ast.Attribute():
                [event] = self._events(node, chosen, scene)
                return event[node.name]
            case ast.Arithmetic():
                sides = (self._value(each, chosen, scene) for each in (node.left, node.right))
                return operate(node.operator, *sides)
            case ast.Call(argument=ast.Indexed() as read):
                return len(self._events(read, chosen, scene))
            case ast.Call(argument=ast.Attribute() as read):
                values = [event[read.name] for event in self._events(read, chosen, scene)]
                return aggregate(node.function, [each for each in values if each is not None])
        raise AssertionError(node)


def _is_next(read: Read) -> bool:
    return isinstance(read, ast.Attribute) and read.is_next
