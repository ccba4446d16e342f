"""The abstract syntax tree: patterns, expressions, clauses.

Two trees are equal when they say the same; where a node was written (`span`) does not count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

from cepheid.language.source import NOWHERE, Span


def _span() -> Span:
    return field(default=NOWHERE, compare=False, repr=False, kw_only=True)


# --- patterns -----------------------------------------------------------------------------------


EVERY_TYPE = ""  # of `ANY x`, which no event can have


@dataclass(frozen=True, slots=True)
class EventPattern:
    """`E`, `E v`, `E v[]` or `ANY(E1, E2) v`: one event of one of the types."""

    types: tuple[str, ...]
    variable: str | None = None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Sequence:
    """`SEQ(P1, P2, …)`."""

    parts: tuple[Pattern, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Repeat:
    """`P+` is (1, None), `P*` (0, None), `P?` (0, 1), `P{n,m}` (n, m)."""

    pattern: Pattern
    minimum: int
    maximum: int | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Alternation:
    """`P1 OR P2 OR …`."""

    parts: tuple[Pattern, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Conjunction:
    """`P1 AND P2`."""

    parts: tuple[Pattern, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Negation:
    """`!P`, `~P` or `NOT P` inside a SEQ."""

    pattern: Pattern
    span: Span = _span()


Pattern: TypeAlias = EventPattern | Sequence | Repeat | Alternation | Conjunction | Negation


AGGREGATE_FUNCTIONS = ("COUNT", "SUM", "AVG", "MIN", "MAX", "LOG2")

# --- expressions --------------------------------------------------------------------------------


class IndexKind(StrEnum):
    """Which events of an array variable's current block an index means."""

    ALL = "[]"
    FIRST = "[1]"
    CURRENT = "[i]"
    PREVIOUS = "[i-1]"
    BEFORE = "[..i-1]"
    LAST = "[LEN]"


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, string, boolean or NULL."""

    value: int | float | Decimal | str | bool | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Parameter:
    """`:name`, replaced by a value before binding."""

    name: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Name:
    """A bare word: an attribute, a variable, a type or an alias; binding decides."""

    text: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Indexed:
    """`a[]`, `a[i]`, … without an attribute."""

    variable: str
    index: IndexKind
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Attribute:
    """`v.x`, `v[i].x` or `NEXT(v).x`."""

    variable: str
    name: str
    index: IndexKind | None = None
    is_next: bool = False
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Star:
    """The `*` of COUNT(*); in RETURN `*` and `a.*`, every attribute of all variables or of one."""

    variable: str | None = None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Call:
    """An aggregate: `COUNT(*)`, `avg(a[..i-1].x)`; `exact` for `EXACT COUNT(*)`."""

    function: str
    argument: Expression
    exact: bool = False
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Function:
    """`lower(a.name)`; `x || y` is `concat(x, y)`. The name is in lower case."""

    name: str
    arguments: tuple[Expression, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Path:
    """`a.device.os` or `a.tags['color']`: fields by their names, entries of maps by literals."""

    reference: Attribute
    steps: tuple[str | Literal, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Case:
    """`CASE WHEN c THEN x … ELSE y END`, or with an operand that the conditions are values of."""

    operand: Expression | None
    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Cast:
    """`CAST(x AS type)`; the type as it is written, in upper case."""

    operand: Expression
    type: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Interval:
    """`1h 30min`: amounts with their units."""

    parts: tuple[tuple[int | float | Decimal, str], ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class TypedLiteral:
    """`DATE '2024-01-31'`, `TIMESTAMP '2024-01-31 09:30:00+01:00'` or `DECIMAL '0.10'`."""

    type: str
    text: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class In:
    """`x IN (1, 2, 3)`; a parameter among the values may be a list."""

    operand: Expression
    values: tuple[Expression, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Between:
    """`x BETWEEN low AND high`."""

    operand: Expression
    low: Expression
    high: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Like:
    """`x LIKE 'a%'`, `x ILIKE 'a%' ESCAPE '!'` or `x RLIKE '^a'`."""

    operator: str
    operand: Expression
    pattern: Expression
    escape: str | None = None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class IsNull:
    """`x IS NULL`."""

    operand: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class IsDistinct:
    """`x IS DISTINCT FROM y`: as `!=`, but NULL is a value."""

    left: Expression
    right: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Negative:
    """Arithmetic minus sign."""

    operand: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`left operator right` with operator one of + - * / %."""

    operator: str
    left: Expression
    right: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Comparison:
    """A chain `x = y = z`; operators are one of = != < <= > >=, one fewer than operands."""

    operands: tuple[Expression, ...]
    operators: tuple[str, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class And:
    """Logical conjunction."""

    operands: tuple[Expression, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Or:
    """Logical disjunction."""

    operands: tuple[Expression, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Not:
    """Logical negation."""

    operand: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Equivalence:
    """`[a, b]`, or `[a = 'v']` when `value` is given."""

    attributes: tuple[str, ...]
    value: Literal | Parameter | None = None
    span: Span = _span()


class StrategyName(StrEnum):
    """The strategies as they are written."""

    SKIP_TILL_ANY_MATCH = "skip_till_any_match"
    SKIP_TILL_NEXT_MATCH = "skip_till_next_match"
    CONTIGUOUS = "contiguous"
    PARTITION_CONTIGUITY = "partition_contiguity"
    STRICT_CONTIGUITY = "strict_contiguity"
    LATEST_WINS = "latest_wins"


@dataclass(frozen=True, slots=True)
class StrategyTerm:
    """`skip_till_next_match(a[], b) { … }`, or without arguments or body, in WHERE."""

    strategy: StrategyName
    variables: tuple[str, ...] | None = None
    body: Expression | None = None
    span: Span = _span()


Expression: TypeAlias = (
    Literal
    | Parameter
    | Name
    | Indexed
    | Attribute
    | Star
    | Call
    | Function
    | Path
    | Case
    | Cast
    | Interval
    | TypedLiteral
    | In
    | Between
    | Like
    | IsNull
    | IsDistinct
    | Negative
    | Arithmetic
    | Comparison
    | And
    | Or
    | Not
    | Equivalence
    | StrategyTerm
)


# --- clauses ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Duration:
    """`12 hours`, `1000` (no unit) or `500 events`; a parameter may stand for the amount.

    Of `1h 30min` the further lengths are `more`.
    """

    amount: int | float | Parameter
    unit: str | None = None
    more: tuple[Duration, ...] = ()
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Window:
    """`WITHIN w [SLIDE s]`."""

    within: Duration
    slide: Duration | None = None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class NeighbourWindow:
    """`WITHIN d BETWEEN a, b`."""

    within: Duration
    first: str
    second: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Semantics:
    """The SEMANTICS clause."""

    strategy: StrategyName
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ReturnItem:
    """One column of RETURN."""

    expression: Expression
    alias: str | None = None
    span: Span = _span()


class OutputMode(StrEnum):
    """What a match query gives."""

    ALL = "ALL"
    NON_OVERLAPPING = "NON OVERLAPPING"
    COMPRESSED = "COMPRESSED"
    PARTIAL = "PARTIAL"
    LONGEST = "LONGEST"
    SHORTEST = "SHORTEST"
    FIRST = "FIRST"
    LAST = "LAST"


class SkipTo(StrEnum):
    """Where the next match may begin, after one that is taken."""

    NEXT_EVENT = "TO NEXT EVENT"
    PAST_LAST_EVENT = "PAST LAST EVENT"
    FIRST = "TO FIRST"
    LAST = "TO LAST"


@dataclass(frozen=True, slots=True)
class Skip:
    """The rule between matches; `variable` is set for FIRST and LAST."""

    to: SkipTo
    variable: str | None = None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Query:
    """A whole query; clauses that were not written are empty or None."""

    pattern: Pattern
    semantics: Semantics | None = None
    where: Expression | None = None
    window: Window | None = None
    neighbour_windows: tuple[NeighbourWindow, ...] = ()
    group_by: tuple[Expression, ...] = ()
    returns: tuple[ReturnItem, ...] = ()
    having: Expression | None = None
    output: OutputMode | None = None
    skip: Skip | None = None
    into: str | None = None
    span: Span = _span()
    output_span: Span = _span()
    into_span: Span = _span()
