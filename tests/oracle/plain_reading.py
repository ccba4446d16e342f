"""What small queries mean, read off the text: a reference for the oracle itself.

The oracle shares `analysis` with the engine, so that both would follow a mistake in there. This
reading shares the parser alone. It knows sequences of events and repeated events, ANY, negated
events between others, skip-till-any-match, WITHIN and WHERE without indices, and nothing else.

A match is a list of events per part of the sequence. WHERE holds if it is true of every choice of
one event per name: a variable stands for its events, a type for those of all positive parts that
list it (if that is one part, it is another name of its variable), `[k]` for one value of k in all
of them. Equalities of one attribute that join all parts, negated ones included, mean `[k]`, too; so
do those of several attributes, if all parts of a type are compared by the same one. A negated
event blocks if it lies between its neighbours and satisfies the terms that name it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise, product
from typing import Any, NamedTuple

from cepheid.language import ast
from cepheid.language.parser import parse
from tests.oracle.arithmetic import compare, operate

Row = Mapping[str, Any]
OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


class Part(NamedTuple):
    """A part of the sequence: one event, one or more, or none between its neighbours."""

    types: tuple[str, ...]
    variable: str  # what no text can call it, if it has no name
    repeats: bool
    is_negated: bool


def matches(
    text: str, events: Sequence[Row], schemas: Mapping[str, Sequence[str]] | None = None
) -> list[tuple[int, ...]]:
    """Return the matches as numbers of events; `schemas` has the attributes that types have."""
    query = parse(text)
    parts = _parts(query.pattern)
    within = None if query.window is None else query.window.within.amount
    terms = _terms(query.where)
    types = {each for part in parts for each in part.types}
    chains = [
        ast.Equivalence((name,))
        for name in ("k", "x")
        # Where a type lacks the attribute, a comparison with its events is true.
        if all(schemas is None or name in schemas[each] for each in types)
        and any(_joins_all(each, parts) for each in _chains(parts, terms, name))
    ]
    known = {name for each in [*terms, *chains] if isinstance(each, ast.Equivalence)
             for name in each.attributes}  # fmt: skip
    keys = [
        _key(each, parts)
        for each in _chains(parts, terms)
        if _joins_all(each, parts) and not known & {name for _, name in each}
    ]
    good = [
        each
        for each in keys
        if each.keys() == types
        and all(schemas is None or name in schemas[of] for of, name in each.items())
    ]
    reading = _Reading(parts, [*terms, *chains], schemas, good)
    found = []
    positive = [part for part in parts if not part.is_negated]
    for chosen in _choices(positive, events, after=-1):
        flat = [number for each in chosen for number in each]
        span = events[flat[-1]]["time"] - events[flat[0]]["time"]
        if (within is None or span < within) and reading.holds(chosen, events):
            found.append(tuple(flat))
    return found


def _parts(pattern: ast.Pattern) -> list[Part]:
    listed = pattern.parts if isinstance(pattern, ast.Sequence) else (pattern,)
    return [_part(each, place) for place, each in enumerate(listed)]


def _part(pattern: ast.Pattern, place: int) -> Part:
    is_negated = isinstance(pattern, ast.Negation)
    inner = pattern.pattern if isinstance(pattern, ast.Negation) else pattern
    repeats = isinstance(inner, ast.Repeat)
    event = inner.pattern if isinstance(inner, ast.Repeat) else inner
    assert isinstance(event, ast.EventPattern)
    return Part(event.types, event.variable or f"part {place}", repeats, is_negated)


def _choices(
    parts: Sequence[Part], events: Sequence[Row], *, after: int
) -> Iterator[list[tuple[int, ...]]]:
    """Yield every way to choose events for the parts, at rising times."""
    if not parts:
        yield []
        return
    part, *rest = parts
    fitting = [number for number, event in enumerate(events) if event["type"] in part.types]
    sizes = range(1, len(fitting) + 1) if part.repeats else (1,)
    for size in sizes:
        for chosen in combinations(sorted(fitting, key=lambda each: events[each]["time"]), size):
            times = [events[number]["time"] for number in chosen]
            is_rising = all(one < other for one, other in pairwise(times))
            if is_rising and times[0] > after:
                for others in _choices(rest, events, after=times[-1]):
                    yield [chosen, *others]


def _terms(where: ast.Expression | None) -> list[ast.Expression]:
    if where is None:
        return []
    if isinstance(where, ast.And):
        return [term for each in where.operands for term in _terms(each)]
    return [where]


def _chains(
    parts: Sequence[Part], terms: Sequence[ast.Expression], attribute: str | None = None
) -> list[set[tuple[int, str]]]:
    """Return parts, each with an attribute, that equalities of one attribute, or of any, join."""
    groups: list[set[tuple[int, str]]] = []
    for term in terms:
        match term:
            case ast.Comparison(
                operands=(ast.Attribute() as left, ast.Attribute() as right), operators=("=",)
            ) if len(_names(term)) == 2 and attribute in (None, left.name, right.name):
                named = {
                    (place, each.name)
                    for each in (left, right)
                    for place, part in enumerate(parts)
                    if each.variable in {part.variable, *(() if part.is_negated else part.types)}
                }
                if attribute is not None and left.name != right.name:
                    continue
                joined = named.union(*(each for each in groups if each & named))
                groups = [each for each in groups if not each & named] + [joined]
    return groups


def _joins_all(chain: set[tuple[int, str]], parts: Sequence[Part]) -> bool:
    return len(parts) > 1 and {place for place, _ in chain} == set(range(len(parts)))


def _key(chain: set[tuple[int, str]], parts: Sequence[Part]) -> dict[str, str]:
    """Return by type the attribute that all parts of the type are compared by."""
    by_type: dict[str, set[str]] = {}
    for place, part in enumerate(parts):
        own = {name for each, name in chain if each == place}
        for each in part.types:
            by_type[each] = by_type.get(each, own) & own
    return {each: min(names) for each, names in by_type.items() if names}


class _Reading:
    """The terms of WHERE over the events that are chosen for the parts."""

    def __init__(
        self,
        parts: Sequence[Part],
        terms: Sequence[ast.Expression],
        schemas: Mapping[str, Sequence[str]] | None,
        keys: Sequence[Mapping[str, str]],
    ) -> None:
        self.parts = parts
        self.keys = keys
        self.terms = terms
        self.schemas = schemas
        self.negated = {part.variable for part in parts if part.is_negated}
        positive = [part for part in parts if not part.is_negated]
        owners = {
            name: [part.variable for part in positive if name in part.types]
            for name in {each for part in positive for each in part.types}
        }
        self.same = {name: each[0] for name, each in owners.items() if len(each) == 1}

    def holds(self, chosen: Sequence[tuple[int, ...]], events: Sequence[Row]) -> bool:
        own = iter(chosen)
        by_part = [() if part.is_negated else next(own) for part in self.parts]
        named: dict[str, list[Row]] = {}
        for part, numbers in zip(self.parts, by_part, strict=True):
            for number in numbers:
                for name in (*part.types, part.variable):
                    named.setdefault(name, []).append(events[number])
        everything = [events[number] for numbers in by_part for number in numbers]
        positive = [term for term in self.terms if not _names(term) & self.negated]
        if not all(self._is_true(term, named, everything) for term in positive):
            return False
        if not self._agree(everything):
            return False
        return not any(
            self._blocks(place, part, by_part, named, events)
            for place, part in enumerate(self.parts)
            if part.is_negated
        )

    def _blocks(
        self,
        place: int,
        part: Part,
        by_part: Sequence[tuple[int, ...]],
        named: Mapping[str, list[Row]],
        events: Sequence[Row],
    ) -> bool:
        before = events[next(each for each in reversed(by_part[:place]) if each)[-1]]
        after = events[next(each for each in by_part[place:] if each)[0]]
        everything = [events[number] for numbers in by_part for number in numbers]
        for event in events:
            is_between = before["time"] < event["time"] < after["time"]
            if event["type"] in part.types and is_between:
                own = dict(named) | {part.variable: [event]}
                about = [
                    term
                    for term in self.terms
                    if isinstance(term, ast.Equivalence) or part.variable in _names(term)
                ]
                is_true = all(self._is_true(term, own, [*everything, event]) for term in about)
                if is_true and self._agree([*everything, event]):
                    return True
        return False

    def _agree(self, everything: Sequence[Row]) -> bool:
        values = [{event[key[event["type"]]] for event in everything} for key in self.keys]
        return all(len(each) == 1 and None not in each for each in values)

    def _is_true(
        self, term: ast.Expression, named: Mapping[str, list[Row]], everything: Sequence[Row]
    ) -> bool:
        if isinstance(term, ast.Equivalence):
            return all(
                len({event[name] for event in everything}) == 1 and everything[0][name] is not None
                for name in term.attributes
            )
        names = sorted({self.same.get(name) or name for name in _names(term)})
        for choice in product(*(named[name] for name in names)):
            chosen = dict(zip(names, choice, strict=True))
            chosen |= {name: chosen[each] for name, each in self.same.items() if each in chosen}
            if not self._satisfies(term, chosen, is_negated=False):
                return False
        return True

    def _satisfies(
        self, term: ast.Expression, chosen: Mapping[str, Row], *, is_negated: bool
    ) -> bool:
        match term:
            case ast.Not():
                return self._satisfies(term.operand, chosen, is_negated=not is_negated)
            case ast.And() | ast.Or():
                combine = all if isinstance(term, ast.And) != is_negated else any
                return combine(
                    self._satisfies(each, chosen, is_negated=is_negated) for each in term.operands
                )
            case ast.Comparison(operands=(left, right), operators=(operator,)):
                if self._lacks(term, chosen):
                    return True
                operator = OPPOSITE[operator] if is_negated else operator
                return compare(operator, _value(left, chosen), _value(right, chosen)) is True
        raise AssertionError(term)

    def _lacks(self, term: ast.Comparison, chosen: Mapping[str, Row]) -> bool:
        """Whether an attribute is one that the event's type does not have."""
        return self.schemas is not None and any(
            each.name not in self.schemas[chosen[each.variable]["type"]]
            for each in _attributes(term)
        )


def _value(expression: ast.Expression, chosen: Mapping[str, Row]) -> Any:
    match expression:
        case ast.Literal():
            return expression.value
        case ast.Attribute():
            return chosen[expression.variable][expression.name]
        case ast.Arithmetic():
            left, right = _value(expression.left, chosen), _value(expression.right, chosen)
            return operate(expression.operator, left, right)
    raise AssertionError(expression)


def _names(term: ast.Expression) -> set[str]:
    return {each.variable for each in _attributes(term)}


def _attributes(term: ast.Expression) -> Iterator[ast.Attribute]:
    match term:
        case ast.Attribute():
            yield term
        case ast.Not():
            yield from _attributes(term.operand)
        case ast.And() | ast.Or() | ast.Comparison():
            for each in term.operands:
                yield from _attributes(each)
        case ast.Arithmetic():
            yield from _attributes(term.left)
            yield from _attributes(term.right)
