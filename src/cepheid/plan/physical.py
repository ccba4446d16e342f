"""The physical plan: methods, each with the reason it was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from cepheid.analysis.bound import BoundQuery, Strategy
from cepheid.errors import Diagnostic, UnsupportedQueryError
from cepheid.plan.logical import LogicalPlan

Chosen = TypeVar("Chosen")


@dataclass(frozen=True, slots=True)
class Choice(Generic[Chosen]):
    """What was chosen and why."""

    value: Chosen
    reason: str


class ScanMethod(StrEnum):
    """Which events reach the fold."""

    RELEVANT = "relevant types only"
    EVERY_TYPE = "events of every type"
    BREAK_MARKS = "relevant types, the rest as bare marks"


class Semiring(StrEnum):
    """What is folded."""

    MATCH_GRAPH = "match graph"
    COUNT = "count"
    COUNT_AND_SUM = "count and sum"
    EXACT = "exact count"
    ENUMERATION = "aggregate over enumerated matches"


class Granularity(StrEnum):
    """What runs are told apart by."""

    TYPE = "type"
    PATTERN = "pattern"
    MIXED = "mixed"
    RUN = "run"


class AggregateMethod(StrEnum):
    """What is kept of trends that are not built."""

    NONE = "none"
    POSITIONS = "a value per position"
    LAST_EVENTS = "a value per last event"
    SIDES = "the values of each side of AND"
    ENUMERATION = "none: the matches are enumerated"


class Structure(StrEnum):
    """What is kept of the runs that wait for the event at the other end of an edge.

    TREE is PREFIX_SUMS for strategies that take runs away.
    """

    TOTAL = "one sum"
    PREFIX_SUMS = "prefix sums over ranks"
    EQUAL_SUMS = "a sum for every value"
    STACK = "monotone stack"
    TREE = "tree of sums over ranks"
    LAST_STEP = "the previous step only"
    SCAN = "scan of the waiting events"


class WindowMethod(StrEnum):
    """How windows are kept."""

    NONE = "no window"
    START_TIMES = "start times in the match graph"
    VECTOR_PER_WINDOW = "one state vector per open window"
    VECTORS_OR_PANES = "state vectors or matrices of panes, whichever is cheaper on the events"
    FOLDED_APART = "the events of every window are folded by themselves"
    MATCHES_PLACED = "every match is added to the windows that it lies in"
    FOLDED_AGAIN = "the events of the window are folded for every result"
    STEP_QUEUE = "two-stack queue of state matrices"


class Parallelism(StrEnum):
    """What different tasks of a cluster work on."""

    PARTITIONS = "partitions"
    TIME = "ranges of time"
    NONE = "nothing: one task sees all events"


class Overlaps(StrEnum):
    """How matches are found, if not all are taken."""

    START_ANEW = "the fold starts anew with every match"
    WHOLE_RUNS = "every run is kept by itself"
    BEST_PATH = "the best path to every end, until one is open"
    BEST_WAY = "the best way on from every event, backwards"
    ALL_LISTED = "all matches are listed, then compared"
    IN_TURN = "matches are tried in turn, until one stays"
    ALL_PAIRS = "all pairs are formed, then compared"


class NumberType(StrEnum):
    """The type of counts in the result."""

    NONE = "none"
    BIGINT = "BIGINT"
    DOUBLE = "DOUBLE"


@dataclass(frozen=True, slots=True)
class PhysicalPlan:
    """Everything EXPLAIN shows and lowering needs; `unsupported` lists what cannot run yet.

    `structures` are by edge, if the state is a value per last event.

    `warnings` are what a user should know before the query is run. `live_limit` is how many nodes
    of the match graph may be alive in a partition, `max_matches` how many matches may be listed,
    `limit` how many are asked for; None means any number. `shows_expiry` asks an aggregate with
    WITHIN alone for results also when only expiry changes them. On Spark, `is_grouped` says that
    every task has whole partitions, `packs_events` how events are shuffled.
    """

    query: BoundQuery
    logical: LogicalPlan
    strategy: Choice[Strategy]
    scan: Choice[ScanMethod]
    push_down: Choice[tuple[str, ...]]
    partitioning: Choice[tuple[str, ...]]
    method: Choice[AggregateMethod]
    structures: tuple[Choice[Structure], ...]
    semiring: Choice[Semiring]
    granularity: Choice[Granularity]
    window: Choice[WindowMethod]
    numbers: Choice[NumberType]
    parallelism: Choice[Parallelism]
    overlaps: Choice[Overlaps] | None
    unsupported: tuple[Diagnostic, ...]
    warnings: tuple[str, ...] = ()
    live_limit: int | None = None
    max_matches: int | None = None
    limit: int | None = None
    shows_expiry: bool = False
    is_grouped: bool = False
    packs_events: bool = False

    def require_executable(self) -> None:
        """Raise an UnsupportedQueryError if a part of the query cannot be executed."""
        if self.unsupported:
            raise UnsupportedQueryError(self.unsupported)
