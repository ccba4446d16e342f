"""The bound query: everything later stages know of a query. Frozen data, no behaviour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.automaton import Automaton
from cepheid.analysis.expressions import Condition, Constant, Value
from cepheid.analysis.key_copies import KeyCopies
from cepheid.analysis.schema import EventSchema
from cepheid.errors import Diagnostic
from cepheid.language import ast
from cepheid.language.source import Source, Span


class Strategy(StrEnum):
    """When a run survives an event unchanged (semantics, section 3)."""

    SKIP_TILL_ANY = "skip-till-any-match"
    SKIP_TILL_NEXT = "skip-till-next-match"
    SKIP_TILL_NEXT_KLEENE = "skip-till-next-match, leaving a repetition is optional"
    CONTIGUOUS = "contiguous"
    STRICT = "strict contiguity"
    LATEST_WINS = "latest wins"


class PredicateClass(StrEnum):
    """What the planner needs to know of a clause (semantics, section 4)."""

    LOCAL = "local"
    EQUIVALENCE = "equivalence"
    ADJACENT = "adjacent"
    FIRST_BOUND = "first-bound"
    RUNNING = "running"
    LAST_BOUND = "last-bound"
    GENERAL = "general"
    NEGATED = "negated"


@dataclass(frozen=True, slots=True)
class Variable:
    """A name that predicates may use: a variable, or a type name for all its positions."""

    name: str
    positions: tuple[int, ...]
    types: tuple[str, ...]
    is_array: bool
    negated_part: int | None
    occurrences: tuple[int, ...]
    span: Span

    @property
    def has_several_events(self) -> bool:
        """Whether a match may bind more than one event to the name."""
        return self.is_array or len(self.occurrences) > 1


@dataclass(frozen=True, slots=True)
class Clause:
    """One conjunct of WHERE: a disjunction of comparisons, with its class and its text."""

    condition: Condition
    predicate_class: PredicateClass
    variables: frozenset[str]
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Branch:
    """One disjunct of a WHERE whose OR concerns a negated part (else there is just one branch).

    A positive match stays if for some branch every `positive` condition holds and no match of a
    negated part in the gap satisfies its `negative` conditions.
    """

    positive: tuple[Condition, ...]
    negative: Mapping[int, tuple[Condition, ...]]


@dataclass(frozen=True, slots=True)
class BoundPattern:
    """One side of the pattern; a query without AND has one side.

    `variables` has every name, positive and negated. `clauses` are those over positive variables;
    `implied` are equalities, of negated variables too, that hold within every partition and so are
    tested nowhere.
    """

    automaton: Automaton
    variables: Mapping[str, Variable]
    clauses: tuple[Clause, ...]
    branches: tuple[Branch, ...]
    implied: tuple[Clause, ...] = ()

    @property
    def positive_variables(self) -> tuple[str, ...]:
        """Names of the occurrences in pattern order, as output columns use them."""
        return tuple(dict.fromkeys(each.variable for each in self.automaton.positions))


class WindowUnit(StrEnum):
    """What a window is measured in."""

    TIME = "time"
    EVENTS = "events"


@dataclass(frozen=True, slots=True)
class BoundWindow:
    """`length` and `slide` in ticks of the time column, or in events."""

    length: int
    slide: int | None
    unit: WindowUnit
    text: str


@dataclass(frozen=True, slots=True)
class NeighbourBound:
    """Time of the first `second` minus time of the last `first` before it is below `length`.

    If both are one name, that holds for every two events of it with none between them.
    """

    length: int
    first: str
    second: str

    @property
    def is_within_one(self) -> bool:
        """Whether the bound is one between neighbours of a repetition."""
        return self.first == self.second


@dataclass(frozen=True, slots=True)
class GroupColumn:
    """One GROUP BY attribute and the name of its output column."""

    attribute: str
    output: str
    type: AttributeType


@dataclass(frozen=True, slots=True)
class ArithmeticColumn:
    """An expression over aggregates in RETURN; it reads columns of the result by name."""

    output: str
    value: Value


@dataclass(frozen=True, slots=True)
class ConstantColumn:
    """A literal in RETURN of an aggregate query: every row has it."""

    output: str
    constant: Constant


@dataclass(frozen=True, slots=True)
class EventsColumn:
    """`RETURN a.x` of a match query: a scalar, or an array if the variable is one.

    `side` is the side of AND that the variable belongs to.
    """

    output: str
    variable: str
    attribute: str
    type: AttributeType
    is_array: bool
    side: int = 0


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """A per-match expression: `SUM(a[].x)`, `b.x - a[1].x`, `COUNT(a[])`; it reads one side.

    With a `scale` the value is a decimal without its point.
    """

    output: str
    value: Value
    side: int = 0
    scale: int | None = None


@dataclass(frozen=True, slots=True)
class SummaryColumn:
    """What a function says of the latest block of a variable in a match: `median(a[].x)`.

    `type` is that of the result; the elements of an array have it. `option` is the separator of
    string_agg, or the place that nth reads.
    """

    output: str
    function: str
    variable: str
    attribute: str
    type: AttributeType
    option: str | int | None = None
    side: int = 0


@dataclass(frozen=True, slots=True)
class ExpressionColumn:
    """What is computed of other columns of a match: `a.s || b.s`.

    The value reads its `parts` by name; they have one value for every match, and are not shown.
    """

    output: str
    value: Value
    parts: tuple[EventsColumn | ValueColumn, ...]
    written: str
    side: int = 0


MatchColumn: TypeAlias = EventsColumn | ValueColumn | SummaryColumn | ExpressionColumn


def with_parts_of_columns(columns: Iterable[MatchColumn]) -> Iterator[MatchColumn]:
    """Yield columns, and those that others are computed of."""
    for each in columns:
        yield from each.parts if isinstance(each, ExpressionColumn) else (each,)


@dataclass(frozen=True, slots=True)
class TrendAggregate:
    """`COUNT(*)`, `COUNT(E)`, `SUM(E.x)`, … over all trends.

    `variable` is None for COUNT(*); `attribute` is None for COUNT(E). `exact` asks for arbitrary
    precision as text, `log2` for the binary logarithm of COUNT(*). A `scale` tells a sum or an
    average of decimals, whose attribute is the number without the point. With `other`, a variable,
    it is one of what two events have together, `AVG(b.time - a.time)`: both have one event with a
    value in every trend. The other value counts `sign` times, 1 or -1. With `of_match` it is one of
    what every match gives, as a column of RETURN would, for a `reason`.
    """

    function: str
    variable: str | None
    attribute: str | None
    exact: bool = False
    log2: bool = False
    attribute_type: AttributeType = AttributeType.UNKNOWN
    scale: int | None = None
    other: str | None = None
    other_attribute: str | None = None
    sign: int = 1
    of_match: MatchColumn | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AggregateColumn:
    """One aggregate of RETURN and its output name."""

    output: str
    aggregate: TrendAggregate


@dataclass(frozen=True, slots=True)
class BoundQuery:
    """A query whose every name, type and rule has been checked against the events' schema.

    `matches` is None for aggregate queries, else the output columns; `aggregates` is None for match
    queries. `partition_by` includes the GROUP BY attributes, and `join_keys`: columns that are
    computed of keys with different names; `copies` says of which keys events may have several.
    `why_no_key` says why such keys do not partition. Only aggregate queries have `constants`,
    `arithmetic` and `having`; what those read is in `aggregates` or `group_by`, and need not be in
    `returned`. `warnings` are about what is allowed, but surely not meant.
    """

    source: Source
    tree: ast.Query
    schema: EventSchema
    patterns: tuple[BoundPattern, ...]
    strategy: Strategy
    partition_by: tuple[str, ...]
    group_by: tuple[GroupColumn, ...]
    window: BoundWindow | None
    neighbour_bounds: tuple[NeighbourBound, ...]
    matches: tuple[MatchColumn, ...] | None
    aggregates: tuple[AggregateColumn, ...] | None
    returned: tuple[str, ...]
    having: Condition | None
    output: ast.OutputMode
    into: str | None
    constants: tuple[ConstantColumn, ...] = ()
    arithmetic: tuple[ArithmeticColumn, ...] = ()
    join_keys: tuple[str, ...] = ()
    copies: KeyCopies | None = None
    why_no_key: str = ""
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def pattern(self) -> BoundPattern:
        """The only side, or the first of an AND."""
        return self.patterns[0]

    @property
    def is_aggregate(self) -> bool:
        """Whether the query aggregates trends instead of returning them."""
        return self.aggregates is not None

    @property
    def aggregated_of_matches(self) -> tuple[MatchColumn, ...]:
        """What is aggregated of every match by itself."""
        found = (each.aggregate.of_match for each in self.aggregates or ())
        return tuple(dict.fromkeys(each for each in found if each is not None))
