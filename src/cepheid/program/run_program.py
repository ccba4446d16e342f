"""The part of a program that predicates over several events need: plain tuples, like the rest."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from cepheid.analysis.expressions import Value, references

UNLIMITED = 2**62  # more than events can be counted


class ColumnKind(StrEnum):
    """How a column is given to the kernels.

    TEXT is a rank among all texts compared, DECIMAL one among all decimals, TIME a number of a
    common unit, CLOCK the ticks of the time column itself. EVENT stands for a value that is shown
    or counted but never compared, such as a list: the number of its event. COMPUTED is no column of
    the events: it is what some code says of each.
    """

    INTEGER = "integer"
    FLOAT = "float"
    DECIMAL = "decimal"
    TEXT = "text"
    TIME = "time"
    CLOCK = "clock"
    EVENT = "event"
    COMPUTED = "computed"


@dataclass(frozen=True, slots=True)
class PredicateColumn:
    """An attribute that predicates read; instructions `begin:end` give a computed one.

    `expression` is what is read in the place of the attribute: arithmetic of decimals of one event,
    of which no variable is named.
    """

    attribute: str
    kind: ColumnKind
    begin: int = 0
    end: int = 0
    expression: Value | None = None

    @property
    def stored(self) -> tuple[str, ...]:
        """The columns of the events that are read."""
        if self.kind in (ColumnKind.CLOCK, ColumnKind.COMPUTED):
            return ()
        if self.expression is None:
            return (self.attribute,)
        found = (each.attribute for each in references(self.expression))
        return tuple(dict.fromkeys(each for each in found if each is not None))


@dataclass(frozen=True, slots=True)
class Instruction:
    """One operation of the stack machine; `column` is -1 where it has none."""

    operation: int
    argument: int = 0
    column: int = -1


@dataclass(frozen=True, slots=True)
class Operand:
    """Where a reference of a test gets its event (or aggregate, if `function` is not -1).

    `direction` is 1 if a larger value of the event never hurts the test, -1 if a smaller one never
    does, else 0; that of an aggregate is in its slot.
    """

    source: int
    function: int = -1
    is_float: bool = False
    column: int = -1
    direction: int = 0


class TestKind(IntEnum):
    """How a test is made; the numbers of kernels/graph/run_graph.py."""

    ANY_CODE = 0
    EVENT_CONDITION = 1
    COMPARE_INTEGERS = 2
    COMPARE_FLOATS = 3


@dataclass(frozen=True, slots=True)
class Test:
    """Instructions `begin:end` on operands, or a test that needs none of them."""

    begin: int
    end: int
    operands: tuple[Operand, ...]
    kind: TestKind = TestKind.ANY_CODE
    comparison: int = 0


@dataclass(frozen=True, slots=True)
class PathVariable:
    """A variable of a clause that ranges over events: its positions, and how it is read."""

    mask: int
    flags: int
    is_negated: bool


@dataclass(frozen=True, slots=True)
class PathOperand:
    """A reference of such a clause; `function` and `column` are -1 for an event."""

    variable: int
    role: int
    function: int
    column: int
    is_float: bool


@dataclass(frozen=True, slots=True)
class PathClause:
    """A clause that must hold for every combination of the events it reads."""

    begin: int
    end: int
    operands: tuple[PathOperand, ...]
    variables: tuple[PathVariable, ...]


@dataclass(frozen=True, slots=True)
class EventSlot:
    """An event that runs carry: how each binding changes it, where it is still read, and what."""

    changes: tuple[int, ...]
    is_live: tuple[bool, ...]
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AggregateSlot:
    """An aggregate over a block that runs carry; `column` is -1 for COUNT of events.

    `direction` is 1 if a larger value never hurts the tests that read it, -1 if a smaller one never
    does, else 0. Counts from `most` on are alike to all tests, and kept as that number.
    """

    changes: tuple[int, ...]
    is_live: tuple[bool, ...]
    column: int
    function: int
    is_float: bool
    direction: int = 0
    most: int = UNLIMITED


@dataclass(frozen=True, slots=True)
class TextConstant:
    """A string, time or decimal in the code, whose rank or tick depends on the events.

    `column` is what it is compared with, -1 for a text that stands alone: `RETURN 'k' AS x`.
    """

    index: int
    text: str
    column: int


@dataclass(frozen=True, slots=True)
class TextPairs:
    """What a test says of every two texts; where its table is in the code depends on the events.

    The test reads the columns `left` and `right` by these names; `text` is how it is written.
    """

    index: int
    test: Value
    left: str
    right: str
    text: str


@dataclass(frozen=True, slots=True)
class RunProgram:
    """Tests by binding (edges, entries, ends), slots, code and constants.

    `values` are the per-match expressions of RETURN, in its order. `may_overflow` are the
    comparisons of WHERE whose integers may leave 64 bits, as text.
    """

    columns: tuple[PredicateColumn, ...]
    code: tuple[Instruction, ...]
    integers: tuple[int, ...]
    floats: tuple[float, ...]
    text_constants: tuple[TextConstant, ...]
    tests: tuple[tuple[Test, ...], ...]
    path_clauses: tuple[tuple[PathClause, ...], ...]
    event_slots: tuple[EventSlot, ...]
    aggregate_slots: tuple[AggregateSlot, ...]
    exempt: tuple[tuple[str, str], ...]
    values: tuple[PathClause, ...] = ()
    may_overflow: tuple[str, ...] = ()
    text_pairs: tuple[TextPairs, ...] = ()

    @property
    def has_tests(self) -> bool:
        """Whether runs differ in more than their last event's position."""
        return any(self.tests) or any(self.path_clauses)
