"""What an aggregate query gives, as flat data: which sums and minima runs carry, and the columns.

A value of the fold has numbers and minima (kernels/values/value_arrays.py). Number 0 is the number
of trends; every other one is a `NumberMeasure`: what each event adds to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cepheid.analysis.bound import (
    ArithmeticColumn,
    ConstantColumn,
    EventsColumn,
    MatchColumn,
    SummaryColumn,
    with_parts_of_columns,
)
from cepheid.analysis.expressions import Condition


class Content(StrEnum):
    """What an event adds to a number: 1, 1 if the attribute has a value, the value, its size."""

    EVENTS = "events"
    VALUES = "values"
    SUM = "sum"
    MAGNITUDE = "magnitude"


@dataclass(frozen=True, slots=True)
class NumberMeasure:
    """A sum over events at some positions (a mask), with AND at some of each side.

    One of matches has no positions: its `attribute` is a column of `AggregateOutput.of_matches`.
    """

    content: Content
    attribute: str | None
    positions: int
    second_positions: int = 0
    is_of_match: bool = False


@dataclass(frozen=True, slots=True)
class MinimumMeasure:
    """The smallest value of an attribute over events at some positions, or the largest."""

    attribute: str
    is_maximum: bool
    positions: int
    second_positions: int = 0
    is_of_match: bool = False


class Form(StrEnum):
    """How a column is made of the value."""

    NUMBER = "number"
    LOGARITHM = "logarithm"
    EXACT = "exact"
    AVERAGE = "average"
    EXTREME = "extreme"
    SUM_OF_TWO = "sum of two"
    AVERAGE_OF_TWO = "average of two"


class NumberKind(StrEnum):
    """The type of a number in the result."""

    BIGINT = "bigint"
    DOUBLE = "double"


@dataclass(frozen=True, slots=True)
class AggregateColumn:
    """A column: `number` or `minimum` says which one of the value it shows.

    `values` is the number that counts values other than NULL: without any the column is NULL.
    `magnitude` is the number that bounds what a BIGINT sum of signed integers can be. `is_whole`
    tells sums of integers, whose low word is theirs. Of two events the numbers of the second one
    are `other` and `other_magnitude`, which count `sign` times. With a `scale` they are decimals
    without the point. A hidden column is not shown: HAVING or arithmetic reads it.
    """

    name: str
    form: Form
    kind: NumberKind = NumberKind.BIGINT
    number: int = 0
    minimum: int = 0
    values: int | None = None
    magnitude: int | None = None
    is_whole: bool = False
    is_hidden: bool = False
    scale: int | None = None
    other: int = 0
    other_magnitude: int | None = None
    sign: int = 1


@dataclass(frozen=True, slots=True)
class AggregateOutput:
    """Group attributes with their column names, measures, columns; `returned` orders columns.

    `having` is a condition on the columns by name; `shows_expiry` asks for results also at times at
    which only expiry changes them. `constants` are columns in which all rows are alike,
    `arithmetic` those that are computed from other columns by name. `of_matches` are what measures
    read of every match instead of its events, `positions_by_variable` are as in `MatchOutput`.
    """

    groups: tuple[tuple[str, str], ...]
    numbers: tuple[NumberMeasure, ...]
    minima: tuple[MinimumMeasure, ...]
    columns: tuple[AggregateColumn, ...]
    returned: tuple[str, ...]
    having: Condition | None = None
    shows_expiry: bool = False
    constants: tuple[ConstantColumn, ...] = ()
    arithmetic: tuple[ArithmeticColumn, ...] = ()
    of_matches: tuple[MatchColumn, ...] = ()
    positions_by_variable: tuple[tuple[str, tuple[int, ...]], ...] = ()

    @property
    def every_column(self) -> tuple[MatchColumn, ...]:
        """What is read of matches, and what others are computed of in their stead."""
        return tuple(with_parts_of_columns(self.of_matches))

    @property
    def attributes(self) -> frozenset[str]:
        """The columns of the events that are aggregated."""
        added = {e.attribute for e in self.numbers if e.attribute and not e.is_of_match}
        added |= {each.attribute for each in self.minima if not each.is_of_match}
        columns = (EventsColumn, SummaryColumn)
        added |= {each.attribute for each in self.every_column if isinstance(each, columns)}
        return frozenset(added)

    @property
    def has_exact(self) -> bool:
        """Whether a count is wanted with all its digits."""
        return any(each.form is Form.EXACT for each in self.columns)

    @property
    def wants_low(self) -> bool:
        """Whether a count alone is shown such that its low word is looked at."""
        rounded = (e.form is Form.LOGARITHM or e.kind is NumberKind.DOUBLE for e in self.columns)
        return self.has_exact or not all(rounded)
