"""What the stream is partitioned by (semantics, section 1), read from the query's text and terms.

This does not ask `BoundQuery.partition_by`: what an equality constrains is for the definition to
say, and an equality that does not partition must be tested, wherever the planner puts it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import BoundPattern, BoundQuery
from cepheid.analysis.expressions import AttributeReference, Compare, Role
from cepheid.language import ast

KEY_TYPES = {AttributeType(each) for each in ("integer", "float", "string", "boolean", "date")}

Key: TypeAlias = str | dict[str, str]  # an attribute, or one for every type of event


def partition_keys(query: BoundQuery) -> list[Key]:
    """Return what `[attr]`, GROUP BY, and chains that name every variable partition by."""
    found: list[Key] = list(dict.fromkeys(_tests(query.tree.where)))
    found += [each.attribute for each in query.group_by]
    names = _chains(query)
    return [*found, *names, *_keys_of_types(query, {*names, *map(str, found)})]


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


def _keys_of_types(query: BoundQuery, names: set[str]) -> Iterator[dict[str, str]]:
    """Equalities of several attributes that do the same, if each type has one of them as its key.

    `names` are attributes that partition by themselves: a chain with one of them says no more.
    """
    events, schema, variables = _compared_events(query), query.schema, query.pattern.variables
    links = [
        {(each, side.attribute) for side in sides for each in variables[side.variable].occurrences}
        for sides in (_equalities(query.pattern) if events and schema.type_column else ())
    ]
    for chain in _merged(links):
        attributes = {attribute for _, attribute in chain}
        reached = {number for number, _ in chain}
        if len(attributes) < 2 or len(reached) < len(events) or attributes & names:
            continue
        by_type: dict[str, set[str]] = {}
        for number, node in enumerate(events):
            own = {attribute for event, attribute in chain if event == number}
            for each in node.types:
                by_type[each] = by_type.get(each, own) & own
        key = {each: min(choices) for each, choices in by_type.items() if choices}
        kinds = {schema.type_of(each) for each in key.values()}
        has_all = all(schema.has_attribute(*each) for each in key.items())
        is_stored = not set(key.values()) & set(schema.computed)
        if (
            len(key) == len(by_type)
            and is_stored
            and has_all
            and len(kinds) == 1
            and kinds <= KEY_TYPES
        ):
            yield key


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
