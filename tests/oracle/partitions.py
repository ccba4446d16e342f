"""What the stream is partitioned by (semantics, section 1), read from the query's text and terms.

This does not ask `BoundQuery.partition_by`: what an equality constrains is for the definition to
say, and an equality that does not partition must be tested, wherever the planner puts it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeAlias

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import BoundPattern, BoundQuery
from cepheid.analysis.expressions import AttributeReference, Compare, Role
from cepheid.language import ast

KEY_TYPES = {AttributeType(each) for each in ("integer", "float", "string", "boolean", "date")}

# An attribute, or one for every type of event, or one for every event of the pattern.
Key: TypeAlias = str | dict[str, str] | dict[int, str]


def partition_keys(query: BoundQuery) -> list[Key]:
    """Return what `[attr]`, GROUP BY, and chains that name every variable partition by."""
    found: list[Key] = list(dict.fromkeys(_tests(query.tree.where)))
    found += [each.attribute for each in query.group_by]
    names = _chains(query)
    return [*found, *names, *_keys_of_several_names(query, {*names, *map(str, found)})]


def roles_of(query: BoundQuery, event_type: str | None) -> dict[tuple[str | None, ...], set[int]]:
    """Return the attributes that an event of a type has as its keys, with what it binds by them.

    What it binds are events of the pattern, by number. Where keys belong to types, or are the same
    for all, there is one entry. An event that can be bound to nothing has the keys of no event.
    """
    keys = partition_keys(query)
    events = [node for node, _ in _events(query.tree.pattern)]
    has_several = any(isinstance(each, dict) and 0 in each for each in keys)
    found: dict[tuple[str | None, ...], set[int]] = {}
    for number, node in enumerate(events):
        fits = event_type is None or {event_type, ast.EVERY_TYPE} & set(node.types)
        if fits or not has_several:
            names = tuple(_attribute(each, event_type, number) for each in keys)
            found.setdefault(names, set()).add(number)
    return found


def _attribute(key: Key, event_type: str | None, number: int) -> str | None:
    if isinstance(key, str):
        return key
    by_event: dict[Any, str] = {**key}
    return by_event.get(number) if number in by_event else by_event.get(event_type or "")


def _tests(where: ast.Expression | None) -> Iterator[str]:
    match where:
        case ast.And():
            for each in where.operands:
                yield from _tests(each)
        case ast.StrategyTerm():
            yield from _tests(where.body)
        case ast.Equivalence():
            yield from where.attributes


def _chains(query: BoundQuery) -> list[str]:
    """Equalities of one attribute that lead from every event of the pattern to every other.

    Nothing compares the two sides of AND. One positive event alone has nothing to agree with.
    """
    events = _compared_events(query)
    types = {each for node in events for each in node.types}
    links: dict[str, list[set[int]]] = {}
    for left, right in _equalities(query.pattern) if events else ():
        variables = query.pattern.variables
        named = {*variables[left.variable].occurrences, *variables[right.variable].occurrences}
        if left.attribute == right.attribute:
            links.setdefault(left.attribute, []).append(named)
    return [
        attribute
        for attribute, groups in links.items()
        if all(query.schema.has_attribute(each, attribute) for each in types)
        and len(_reached(groups)) == len(events)
    ]


def _compared_events(query: BoundQuery) -> list[ast.EventPattern]:
    """Return the events of the pattern, if there are such that can agree with each other."""
    events = list(_events(query.tree.pattern))
    is_alone = sum(not is_negated for _, is_negated in events) < 2
    return [] if is_alone or len(query.patterns) > 1 else [node for node, _ in events]


def _keys_of_several_names(query: BoundQuery, names: set[str]) -> Iterator[Key]:
    """Equalities of several attributes that do the same.

    If they give each type one attribute, that is its key; else each event of the pattern has one:
    of several the one that most events have. `names` are attributes that partition by themselves: a
    chain with one of them says no more.
    """
    events, schema, variables = _compared_events(query), query.schema, query.pattern.variables
    links = [
        {(each, side.attribute) for side in sides for each in variables[side.variable].occurrences}
        for sides in (_equalities(query.pattern) if events else ())
    ]
    for chain in _merged(links):
        attributes = {attribute for _, attribute in chain}
        reached = {number for number, _ in chain}
        if len(attributes) < 2 or len(reached) < len(events) or attributes & names:
            continue
        count = Counter(attribute for _, attribute in chain)
        by_event = {
            number: min(
                (attribute for event, attribute in chain if event == number),
                key=lambda each: (-count[each], each),
            )
            for number in range(len(events))
        }
        by_type = _key_of_types(query, events, chain)
        key = by_type or by_event
        kinds = {schema.type_of(each) for each in key.values()}
        has_all = all(
            schema.has_attribute(each, by_type[each] if by_type else by_event[number])
            for number, node in enumerate(events)
            for each in node.types
        )
        is_stored = not set(key.values()) & set(schema.computed)
        if is_stored and has_all and len(kinds) == 1 and kinds <= KEY_TYPES:
            yield key


def _key_of_types(
    query: BoundQuery, events: list[ast.EventPattern], chain: set[tuple[int, str]]
) -> dict[str, str]:
    """Return the attribute of every type, if each has one that all its events are compared by."""
    if query.schema.type_column is None or any(ast.EVERY_TYPE in each.types for each in events):
        return {}  # an event of any type has the keys of others, too
    by_type: dict[str, set[str]] = {}
    for number, node in enumerate(events):
        own = {attribute for event, attribute in chain if event == number}
        for each in node.types:
            by_type[each] = by_type.get(each, own) & own
    is_whole = all(by_type.values())
    return {each: min(choices) for each, choices in by_type.items()} if is_whole else {}


def _events(
    pattern: ast.Pattern, is_negated: bool = False
) -> Iterator[tuple[ast.EventPattern, bool]]:
    match pattern:
        case ast.EventPattern():
            yield pattern, is_negated
        case ast.Repeat():
            yield from _events(pattern.pattern, is_negated)
        case ast.Negation():
            yield from _events(pattern.pattern, True)
        case _:
            for each in pattern.parts:
                yield from _events(each, is_negated)


def _equalities(pattern: BoundPattern) -> Iterator[tuple[AttributeReference, AttributeReference]]:
    """Yield the conjuncts `v.x = w.y` of WHERE; those on negated events are in every branch."""
    conditions = [each.condition for each in (*pattern.clauses, *pattern.implied)]
    first, *others = [
        [condition for part in branch.negative.values() for condition in part]
        for branch in pattern.branches
    ]
    conditions += [each for each in first if all(each in other for other in others)]
    for condition in conditions:
        match condition:
            case Compare("=", AttributeReference() as left, AttributeReference() as right):
                is_each = left.role is Role.EACH and right.role is Role.EACH
                is_one = left.variable == right.variable
                if is_each and not is_one:
                    yield left, right


def _reached(groups: list[set[int]]) -> set[int]:
    """Return the events that one chain names, if it names more than any other."""
    return max(_merged(groups), key=len)


def _merged(groups: list[set[Any]]) -> list[set[Any]]:
    """Return groups joined where they overlap."""
    chains: list[set[Any]] = []
    for group in groups:
        joined = [each for each in chains if each & group]
        chains = [each for each in chains if not each & group]
        chains.append(group.union(*joined))
    return chains
