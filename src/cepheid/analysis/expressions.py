"""Typed expressions over the events of a match.

NOT has been pushed down to the comparisons, chains have been split, parameters filled in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

from cepheid.analysis.attribute_types import AttributeType


class Role(StrEnum):
    """Which of a variable's events a reference reads (semantics, section 4).

    EACH: every event bound to the variable in the match. The others read the current block, the
    latest maximal stretch of consecutive events bound to the variable: FIRST `a[1]`, CURRENT
    `a[i]` (every one after the first), PREVIOUS `a[i-1]`, LAST `a[a.LEN]`; as ranges of an
    aggregate BEFORE `a[..i-1]` and ALL `a[]`. LEFT and RIGHT are two consecutive events of the
    match (`S.x < NEXT(S).x`).
    """

    EACH = "each"
    FIRST = "first"
    CURRENT = "current"
    PREVIOUS = "previous"
    LAST = "last"
    BEFORE = "before"
    ALL = "all"
    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal value."""

    value: int | float | Decimal | str | bool | None
    type: AttributeType


@dataclass(frozen=True, slots=True)
class AttributeReference:
    """An attribute of one event in a role."""

    variable: str
    role: Role
    attribute: str
    type: AttributeType


@dataclass(frozen=True, slots=True)
class BlockAggregate:
    """`AVG(a[..i-1].x)`, `SUM(a[].x)`, `COUNT(a[])`, `a.LEN`; role BEFORE or ALL.

    `attribute` is None for COUNT of events; `attribute_type` is its type, `type` the result's.
    NTH reads the event at a `place` of the block, 1 is the first.
    """

    function: str
    variable: str
    role: Role
    attribute: str | None
    type: AttributeType
    attribute_type: AttributeType = AttributeType.UNKNOWN
    place: int = 0

    @property
    def reads_all(self) -> bool:
        """Whether it needs all events of the block at once: no value of a run can be kept."""
        return self.function in WHOLE_BLOCK


WHOLE_BLOCK = ("COUNT_DISTINCT", "MEDIAN", "STDDEV", "NTH")


@dataclass(frozen=True, slots=True)
class Minus:
    """Arithmetic sign."""

    operand: Value
    type: AttributeType


@dataclass(frozen=True, slots=True)
class Operation:
    """`left operator right` with one of + - * / %."""

    operator: str
    left: Value
    right: Value
    type: AttributeType


@dataclass(frozen=True, slots=True)
class Apply:
    """A function of values and conditions, by its name in `functions.py`: `lower(a.name)`.

    `option` is what a function has besides: the fields of a path, the type of a cast.
    """

    function: str
    arguments: tuple[Value | Condition, ...]
    type: AttributeType
    option: str = ""


@dataclass(frozen=True, slots=True)
class ComputedColumn:
    """A column that every event has beside those that are stored.

    Its references name no variable. In its name `@` stands for the event: `lower(@.name)`. A key
    only tells partitions apart: no predicate and no result reads it.
    """

    name: str
    value: Value
    is_key: bool = False

    @property
    def type(self) -> AttributeType:
        """The type of its values."""
        return self.value.type

    @property
    def sources(self) -> frozenset[str]:
        """The stored columns that it reads."""
        return frozenset(each.attribute for each in references(self.value) if each.attribute)


Value: TypeAlias = Constant | AttributeReference | BlockAggregate | Minus | Operation | Apply


@dataclass(frozen=True, slots=True)
class Compare:
    """An atom: satisfied or not; NULL on either side does not satisfy it."""

    operator: str
    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Truth:
    """TRUE or FALSE."""

    value: bool


@dataclass(frozen=True, slots=True)
class AllOf:
    """Conjunction."""

    operands: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Disjunction."""

    operands: tuple[Condition, ...]


Condition: TypeAlias = Compare | Truth | AllOf | AnyOf
Reference: TypeAlias = AttributeReference | BlockAggregate


def references(node: Condition | Value) -> Iterator[Reference]:
    """Yield every reference to events, from left to right."""
    match node:
        case AttributeReference() | BlockAggregate():
            yield node
        case Minus():
            yield from references(node.operand)
        case Operation() | Compare():
            yield from references(node.left)
            yield from references(node.right)
        case AllOf() | AnyOf():
            for operand in node.operands:
                yield from references(operand)
        case Apply():
            for argument in node.arguments:
                yield from references(argument)
        case Constant() | Truth():
            return


def variables_of(node: Condition | Value) -> frozenset[str]:
    """Return the variables that a condition reads."""
    return frozenset(each.variable for each in references(node))


def reads_one_event(condition: Condition) -> bool:
    """Whether a condition reads attributes of one event, whichever of a variable it is."""
    found = list(references(condition))
    is_each = all(reference.role is Role.EACH for reference in found)
    return is_each and len({reference.variable for reference in found}) == 1
