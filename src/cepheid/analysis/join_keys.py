"""Keys with different names: `o.id = p.order_id` joins events by one value each, as `[id]` does.

An event has the value of the attribute that the equalities name for its type. So the key is one
column of the events, and they are partitioned by it as by any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import Clause, Variable
from cepheid.analysis.build_automaton import Occurrence
from cepheid.analysis.classify_predicates import equal_attributes
from cepheid.analysis.expressions import (
    AnyOf,
    Apply,
    AttributeReference,
    Compare,
    ComputedColumn,
    Condition,
    Constant,
    Role,
    Value,
)
from cepheid.analysis.schema import EventSchema
from cepheid.analysis.scope import Scope

JOINED_TYPES = frozenset(
    (
        AttributeType.INTEGER,
        AttributeType.FLOAT,
        AttributeType.STRING,
        AttributeType.BOOLEAN,
        AttributeType.DATE,
        AttributeType.UNKNOWN,
    )
)
Node = tuple[int, str]  # an event of the pattern, and an attribute of it


@dataclass(frozen=True, slots=True)
class JoinKey:
    """The attribute that events of each type have as their key."""

    attribute_by_type: Mapping[str, str]
    column: ComputedColumn

    def implies(self, clause: Clause, variables: Mapping[str, Variable]) -> bool:
        """Whether the clause says that the keys of two events are equal."""
        return equal_attributes(clause.condition) is not None and all(
            self.attribute_by_type[event_type] == each.attribute
            for each in equal_attributes(clause.condition) or ()
            for event_type in variables[each.variable].types
        )


@dataclass(frozen=True, slots=True)
class JoinKeys:
    """The keys that equalities make; if they make none, perhaps a reason."""

    keys: tuple[JoinKey, ...] = ()
    why_none: str = ""


def find_join_keys(
    clauses: Iterable[Clause], scope: Scope, schema: EventSchema, chained: Iterable[str]
) -> JoinKeys:
    """Return keys of different names over all events of a pattern, negated ones included.

    Attributes in `chained` partition by themselves.
    """
    if len(scope.positive) < 2:
        return JoinKeys()
    occurrences = {each.index: each for each in scope.occurrences}
    keys, reasons = [], []
    for group in _joined(clauses, scope.variables):
        names = {attribute for _, attribute in group}
        reaches_all = {index for index, _ in group} == set(occurrences)
        if len(names) < 2 or not reaches_all or names & set(chained):
            continue
        found = _key(group, list(occurrences.values()), schema)
        if isinstance(found, str):
            reasons.append(found)
        else:
            keys.append(found)
    return JoinKeys(tuple(keys), "" if keys or not reasons else reasons[0])


def _joined(clauses: Iterable[Clause], variables: Mapping[str, Variable]) -> Iterator[set[Node]]:
    """Yield attributes of events that chains of equalities make equal."""
    groups: list[set[Node]] = []
    for clause in clauses:
        sides = equal_attributes(clause.condition)
        if sides is None or len(clause.variables) < 2:
            continue
        named = {
            (occurrence, each.attribute)
            for each in sides
            for occurrence in variables[each.variable].occurrences
        }
        touched = [each for each in groups if each & named]
        groups = [each for each in groups if not each & named]
        groups.append(named.union(*touched))
    yield from groups


def _key(group: set[Node], occurrences: Sequence[Occurrence], schema: EventSchema) -> JoinKey | str:
    """Return the attribute of every type, or why there is not one."""
    attribute_by_type: dict[str, str] = {}
    for name in dict.fromkeys(each for one in occurrences for each in one.types):
        choices = [
            {attribute for index, attribute in group if index == one.index}
            for one in occurrences
            if name in one.types
        ]
        common = set.intersection(*choices)
        if not common:
            listed = " and ".join(sorted(set().union(*choices)))
            return f"an event of type {name} has two keys, {listed}"
        attribute_by_type[name] = min(common)
    if schema.type_column is None and not schema.is_open:
        return "events without a type have several keys"
    if set(attribute_by_type.values()) & set(schema.computed):
        return "one of the keys is computed"
    for name, attribute in attribute_by_type.items():
        if not schema.has_attribute(name, attribute):
            return f"event type {name} has no attribute '{attribute}'"
    kinds = {schema.type_of(each) for each in attribute_by_type.values()}
    if len(kinds) > 1 or not kinds <= JOINED_TYPES:
        listed = " and ".join(sorted(each.phrase for each in kinds if each is not None))
        return f"the keys are {listed}, which are compared one by one"
    return JoinKey(attribute_by_type, _column(attribute_by_type, schema))


def _column(attribute_by_type: Mapping[str, str], schema: EventSchema) -> ComputedColumn:
    """Return the column, whose name says all of it: `Order.id = Payment.order_id`."""
    types_by_attribute: dict[str, list[str]] = {}
    for name, attribute in sorted(attribute_by_type.items()):
        types_by_attribute.setdefault(attribute, []).append(name)
    event_type = _of_event(schema.type_column or "type", AttributeType.STRING)
    arguments: list[Value | Condition] = []
    for attribute, types in types_by_attribute.items():
        tests = tuple(Compare("=", event_type, Constant(each, AttributeType.STRING))
                      for each in types)  # fmt: skip
        kind = schema.type_of(attribute) or AttributeType.UNKNOWN
        arguments += [tests[0] if len(tests) == 1 else AnyOf(tests), _of_event(attribute, kind)]
    kind = schema.type_of(next(iter(types_by_attribute))) or AttributeType.UNKNOWN
    name = " = ".join(f"{each}.{of}" for each, of in sorted(attribute_by_type.items()))
    value = Apply("case", (*arguments, Constant(None, AttributeType.NULL)), kind)
    return ComputedColumn(name, value, is_key=True)


def _of_event(attribute: str, kind: AttributeType) -> AttributeReference:
    return AttributeReference("@", Role.EACH, attribute, kind)
