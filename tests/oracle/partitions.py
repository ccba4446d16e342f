"""What the stream is partitioned by (semantics, section 1), read from the query's text and terms.

This does not ask `BoundQuery.partition_by`: what an equality constrains is for the definition to
say, and an equality that does not partition must be tested, wherever the planner puts it.
"""

from __future__ import annotations

from collections.abc import Iterator

from cepheid.analysis.bound import BoundPattern, BoundQuery
from cepheid.analysis.expressions import AttributeReference, Compare, Role
from cepheid.language import ast


def partition_attributes(query: BoundQuery) -> list[str]:
    """Return the attributes of `[attr]`, of GROUP BY, and of chains that name every variable."""
    found = list(_tests(query.tree.where))
    found += [each.attribute for each in query.group_by]
    found += _chains(query)
    return list(dict.fromkeys(found))


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
    if len(query.patterns) > 1:
        return []
    events = list(_events(query.tree.pattern))
    if sum(not is_negated for _, is_negated in events) < 2:
        return []
    types = {each for node, _ in events for each in node.types}
    links: dict[str, list[set[int]]] = {}
    for left, right in _equalities(query.pattern):
        variables = query.pattern.variables
        named = {*variables[left.variable].occurrences, *variables[right.variable].occurrences}
        links.setdefault(left.attribute, []).append(named)
    return [
        attribute
        for attribute, groups in links.items()
        if all(query.schema.has_attribute(each, attribute) for each in types)
        and len(_reached(groups)) == len(events)
    ]


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
    """Yield the conjuncts `v.x = w.x` of WHERE; those on negated events are in every branch."""
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
                if is_each and left.attribute == right.attribute and not is_one:
                    yield left, right


def _reached(groups: list[set[int]]) -> set[int]:
    """Return the events that one chain names, if it names more than any other."""
    chains: list[set[int]] = []
    for group in groups:
        joined = [each for each in chains if each & group]
        chains = [each for each in chains if not each & group]
        chains.append(group.union(*joined))
    return max(chains, key=len)
