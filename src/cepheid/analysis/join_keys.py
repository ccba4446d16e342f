"""Keys with different names: `o.id = p.order_id` joins events by one value each, as `[id]` does.

If the equalities name one attribute for every type, an event has the value of that: the key is one
column of the events, and they are partitioned by it as by any other. If they name several for a
type, as `a.pid = b.parent` for two processes, an event belongs to several partitions, and there is
a copy of it in each (see `key_copies.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

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
from cepheid.analysis.key_copies import KeyCopies, key_copies
from cepheid.analysis.schema import EventSchema
from cepheid.analysis.scope import Scope
from cepheid.language.ast import EVERY_TYPE

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
class TypedKey:
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
class CopiedKey:
    """The attribute that each event of the pattern is joined by, in their order."""

    attributes: tuple[str, ...]
    type: AttributeType

    def implies(self, clause: Clause, variables: Mapping[str, Variable]) -> bool:
        """Whether the clause says that the keys of two events are equal."""
        return equal_attributes(clause.condition) is not None and all(
            self.attributes[occurrence] == each.attribute
            for each in equal_attributes(clause.condition) or ()
            for occurrence in variables[each.variable].occurrences
        )


JoinKey: TypeAlias = TypedKey | CopiedKey


@dataclass(frozen=True, slots=True)
class JoinKeys:
    """The keys that equalities make; if they make none, perhaps a reason."""

    keys: tuple[JoinKey, ...] = ()
    copies: KeyCopies | None = None
    why_none: str = ""

    @property
    def computed(self) -> tuple[ComputedColumn, ...]:
        """The columns of keys that every event has one of."""
        return tuple(each.column for each in self.keys if isinstance(each, TypedKey))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that hold the keys of events."""
        copied = () if self.copies is None else self.copies.names
        return (*(each.name for each in self.computed), *copied)


def find_join_keys(
    clauses: Iterable[Clause], scope: Scope, schema: EventSchema, chained: Iterable[str]
) -> JoinKeys:
    """Return keys of different names over all events of a pattern, negated ones included.

    Attributes in `chained` partition by themselves.
    """
    if len(scope.positive) < 2:
        return JoinKeys()
    occurrences = {each.index: each for each in scope.occurrences}
    keys: list[JoinKey] = []
    reasons: list[str] = []
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
    copied = [(each.attributes, each.type) for each in keys if isinstance(each, CopiedKey)]
    copies = key_copies(copied, list(occurrences.values()), schema.type_column)
    return JoinKeys(tuple(keys), copies, "" if keys or not reasons else reasons[0])


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
    """Return the attribute of every type, or else of every event, or why there is none."""
    by_type = _by_type(group, occurrences, schema)
    by_occurrence = {} if by_type else _by_occurrence(group, occurrences)
    attributes = set((by_type or by_occurrence).values())
    if attributes & set(schema.computed):
        return "one of the keys is computed"
    for each in occurrences:
        for name in _known_types(each, schema):
            attribute = by_type[name] if by_type else by_occurrence[each.index]
            if not schema.has_attribute(name, attribute):
                return f"event type {name} has no attribute '{attribute}'"
    kinds = {AttributeType.INTEGER if each in schema.unsigned else schema.type_of(each)
             for each in attributes}  # fmt: skip
    if len(kinds) > 1 or not kinds <= JOINED_TYPES:
        listed = " and ".join(sorted(each.phrase for each in kinds if each is not None))
        return f"the keys are {listed}, which are compared one by one"
    if by_type:
        return TypedKey(by_type, _column(by_type, schema))
    kind = next(iter(kinds)) or AttributeType.UNKNOWN
    return CopiedKey(tuple(by_occurrence[each.index] for each in occurrences), kind)


def _by_type(
    group: set[Node], occurrences: Sequence[Occurrence], schema: EventSchema
) -> dict[str, str]:
    """Return one attribute of every type; nothing, if a type has not one that is always its key."""
    if schema.type_column is None and not schema.is_open:
        return {}
    found: dict[str, str] = {}
    for name in dict.fromkeys(each for one in occurrences for each in one.types):
        choices = [
            {attribute for index, attribute in group if index == one.index}
            for one in occurrences
            if name in one.types
        ]
        common = set.intersection(*choices)
        if not common or name == EVERY_TYPE:
            return {}
        found[name] = min(common)
    return found


def _by_occurrence(group: set[Node], occurrences: Sequence[Occurrence]) -> dict[int, str]:
    """Return the attribute of every event: of several the one that most events have."""
    count = Counter(attribute for _, attribute in group)
    return {
        one.index: min(
            (attribute for index, attribute in group if index == one.index),
            key=lambda each: (-count[each], each),
        )
        for one in occurrences
    }


def _known_types(occurrence: Occurrence, schema: EventSchema) -> Iterable[str]:
    """Return the types of an event, as far as they are known."""
    if EVERY_TYPE in occurrence.types:
        return schema.attributes_by_type or ()
    return occurrence.types


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
    kinds = [schema.type_of(each) or AttributeType.UNKNOWN for each in types_by_attribute]
    kind = AttributeType.DECIMAL if AttributeType.DECIMAL in kinds else kinds[0]
    name = " = ".join(f"{each}.{of}" for each, of in sorted(attribute_by_type.items()))
    value = Apply("case", (*arguments, Constant(None, AttributeType.NULL)), kind)
    return ComputedColumn(name, value, is_key=True)


def _of_event(attribute: str, kind: AttributeType) -> AttributeReference:
    return AttributeReference("@", Role.EACH, attribute, kind)
