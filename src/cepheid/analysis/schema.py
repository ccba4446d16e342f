"""What is known of the events before they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.expressions import ComputedColumn


@dataclass(frozen=True, slots=True)
class NestedType:
    """What a struct, a map or an array holds, by field; maps and arrays have the field `item`."""

    type: AttributeType
    fields: Mapping[str, NestedType] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EventSchema:
    """Columns of the events and the roles that some of them play.

    `ticks_per_second` says how long one step of the time column is: 1 for an integer column unless
    another unit is declared, 1,000,000 for timestamps in microseconds. `ticks_per_unit` is above 1
    only for numbers with digits after the point: 100 for a decimal with two. `attributes_by_type`
    holds declared per-type schemas, and the attributes of `derived_types`, those that INTO names.
    If only the latter are known, `other_attributes` are those of all other types. An *open* schema
    knows no columns and accepts every name: EXPLAIN without events uses it. `nested` says what
    structs, maps and arrays hold. `scales` says how many digits decimals have after the point, of
    those that fit 64 bits without it: they are added up as whole numbers. `digits` says how many
    numbers have before the point, and after it. `unsigned` are columns of whole numbers without a
    sign, which are decimals wherever they are not added up. `computed` are the columns that a query
    adds; analysis fills it. `key` is all that is known before that, as values that can be hashed,
    with the columns in their order: schemas of one key give a query the same program.
    """

    attributes: Mapping[str, AttributeType] = field(default_factory=dict)
    time: str | None = None
    type_column: str | None = None
    order: tuple[str, ...] = ()
    ticks_per_second: int | Fraction = 1
    ticks_per_unit: int = 1
    attributes_by_type: Mapping[str, frozenset[str]] | None = None
    is_open: bool = False
    derived_types: frozenset[str] = frozenset()
    other_attributes: frozenset[str] | None = None
    nested: Mapping[str, NestedType] = field(default_factory=dict)
    scales: Mapping[str, int] = field(default_factory=dict)
    digits: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    unsigned: frozenset[str] = frozenset()
    computed: dict[str, ComputedColumn] = field(default_factory=dict)
    key: tuple[object, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        known = (each.name for each in fields(self) if each.name not in ("computed", "key"))
        key = tuple(_hashable(getattr(self, each)) for each in known)
        object.__setattr__(self, "key", key)

    @property
    def time_type(self) -> AttributeType:
        """The type of the time column."""
        if self.time is None:
            return AttributeType.UNKNOWN
        return self.attributes.get(self.time, AttributeType.UNKNOWN)

    def type_of(self, attribute: str) -> AttributeType | None:
        """Return the attribute's type, or None when no such column exists."""
        found = self.attributes.get(attribute)
        if attribute in self.computed:
            return self.computed[attribute].type
        if found is None and self.is_open:
            return AttributeType.UNKNOWN
        return found

    def has_attribute(self, event_type: str, attribute: str) -> bool:
        """Whether events of this type have the attribute, by the declared schemas."""
        if attribute in (self.time, self.type_column, *self.order):
            return True
        if attribute in self.computed:
            sources = self.computed[attribute].sources
            return all(self.has_attribute(event_type, each) for each in sources)
        declared = self.attributes_by_type or {}
        known = declared.get(event_type, self.other_attributes)
        return known is None or attribute in known

    @property
    def type_names(self) -> frozenset[str] | None:
        """The declared event types, or None when any name may occur."""
        if self.attributes_by_type is None or self.other_attributes is not None:
            return None
        return frozenset(self.attributes_by_type)


def _hashable(value: object) -> object:
    match value:
        case Mapping():
            return tuple((name, _hashable(each)) for name, each in value.items())
        case NestedType():
            return value.type, _hashable(value.fields)
        case _:
            return value


OPEN_SCHEMA = EventSchema(is_open=True)
