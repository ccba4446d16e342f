"""The flat form of a query. A program depends on no schema object and can be pickled."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TypeAlias

from cepheid.analysis.bound import (
    EventsColumn,
    MatchColumn,
    SummaryColumn,
    with_parts_of_columns,
)
from cepheid.analysis.derived_types import StreamTime
from cepheid.analysis.expressions import ComputedColumn, references
from cepheid.analysis.key_copies import KeyCopies
from cepheid.program.adjacent_program import AdjacentProgram
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.match_choice import MatchChoice
from cepheid.program.negation_program import FREE, NegationProgram
from cepheid.program.position_automaton import PositionAutomaton, PositionTest
from cepheid.program.run_program import RunProgram
from cepheid.program.slot_program import SlotProgram


class StrategyCode(IntEnum):
    """Numbers that kernels know; strict contiguity differs from `CONTIGUOUS` by its ranks only."""

    SKIP_TILL_ANY = 0
    SKIP_TILL_NEXT = 1
    SKIP_TILL_NEXT_KLEENE = 2
    CONTIGUOUS = 3
    LATEST_WINS = 4


class Ranking(StrEnum):
    """What numbers the steps for contiguity."""

    NONE = "none"
    PARTITION = "partition"
    STREAM = "stream"


class Clock(StrEnum):
    """What windows measure."""

    TIME = "time"
    EVENTS = "events"


@dataclass(frozen=True, slots=True)
class MatchOutput:
    """Columns of a match query; `positions_by_variable` says which positions a variable binds.

    `choice` says which matches are taken, if not all are.
    `is_partial` and `is_compressed` stand for the other forms of OUTPUT.
    `stream_time` is set if matches become events of another query: they carry an order key.
    """

    columns: tuple[MatchColumn, ...]
    positions_by_variable: tuple[tuple[str, tuple[int, ...]], ...]
    has_default_columns: bool
    choice: MatchChoice | None = None
    is_partial: bool = False
    is_compressed: bool = False
    stream_time: StreamTime | None = None

    @property
    def every_column(self) -> tuple[MatchColumn, ...]:
        """The columns, and what others are computed of in their stead."""
        return tuple(with_parts_of_columns(self.columns))


Output: TypeAlias = MatchOutput | AggregateOutput


@dataclass(frozen=True, slots=True)
class FoldedSides:
    """Programs that add up the trends of each side of AND, each by a method of its own.

    `common` adds up those that both sides have, if there can be any: an event fits its position k
    if it fits `common_positions[k]`, masks of one position of each side, or of one side alone. Its
    negated parts are those of both.
    """

    first: Program
    second: Program
    common: Program | None = None
    common_positions: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """The second side of AND, and how pairs are written: all column names in their order.

    `tie_columns` break ties between trends where the result depends on their order. `folds` is set
    for an aggregate that follows from those of the sides; otherwise pairs are enumerated.
    """

    second: Program
    returned: tuple[str, ...]
    has_default_columns: bool
    is_non_overlapping: bool
    tie_columns: tuple[str, ...]
    folds: FoldedSides | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """A query, ready to run on events of any runner.

    With AND it is the program of the first side, and `pair` has the second. `live_limit` is how
    many nodes of the match graph may be alive in a partition, `max_matches` how many matches may be
    listed, `limit` how many are asked for. `warnings` are told when it is run. Events of
    `derived_types` are results of other queries; they may lack tie-break columns. `slots` is set if
    an aggregate query keeps a value per position, `adjacent` if it keeps one per last event;
    otherwise matches are enumerated. `cuts_time`: ranges of time are folded apart. `is_grouped`: on
    Spark, every task has whole partitions already. `packs_events`: events cross a shuffle in
    packets. `text` is the query, as the printer writes it. `computed` are columns that are added to
    the events before anything else; then, as `copies` says, an event is copied to all partitions
    that it belongs to. `tie_columns` tell concurrent events apart where only one of them may stay.
    """

    automaton: PositionAutomaton
    tests: tuple[PositionTest, ...]
    strategy: StrategyCode
    ranking: Ranking
    clock: Clock
    window_length: int | None
    slide: int | None
    time: str
    type_column: str | None
    order: tuple[str, ...]
    partition_by: tuple[str, ...]
    output: Output
    runs: RunProgram
    negation: NegationProgram | None = None
    negative_tests: tuple[tuple[PositionTest, ...], ...] = ()
    pair: Pair | None = None
    name: str = "query"
    live_limit: int | None = None
    max_matches: int | None = None
    limit: int | None = None
    warnings: tuple[str, ...] = ()
    derived_types: tuple[str, ...] = ()
    slots: SlotProgram | None = None
    adjacent: AdjacentProgram | None = None
    cuts_time: bool = False
    is_grouped: bool = False
    packs_events: bool = False
    text: str = ""
    computed: tuple[ComputedColumn, ...] = ()
    copies: KeyCopies | None = None
    tie_columns: tuple[str, ...] = ()

    @property
    def types(self) -> frozenset[str]:
        """Every event type that can fit some position."""
        return frozenset(each for test in self.all_tests for each in test.types)

    @property
    def test_groups(self) -> tuple[tuple[PositionTest, ...], ...]:
        """The tests of the pattern, those of its negated parts, then those of the second side."""
        second = () if self.pair is None else self.pair.second.test_groups
        return (self.tests, *self.negative_tests, *second)

    @property
    def all_tests(self) -> tuple[PositionTest, ...]:
        """All tests of positions."""
        return tuple(test for group in self.test_groups for test in group)

    @property
    def columns(self) -> frozenset[str]:
        """Every column of the events that the program reads."""
        return self.value_columns | ({self.type_column} if self.type_column else set())

    @property
    def stored_columns(self) -> frozenset[str]:
        """The columns that are read of events as they are stored."""
        names = {each.name for each in self.computed}
        types = () if self.copies is None else filter(None, [self.copies.type_column])
        return (self.columns - names).union(types, *(each.sources for each in self.computed))

    @property
    def value_columns(self) -> frozenset[str]:
        """The columns that are read, the type column only if it is read as an attribute too."""
        names = {self.time, *self.order, *self.partition_by, *self.tie_columns}
        for test in self.all_tests:
            names.update(test.checked, test.checked_first)
            if test.condition is not None:
                names |= {each.attribute for each in references(test.condition) if each.attribute}
        columns = self.runs.columns
        names |= {name for each in columns for name in each.stored}
        if isinstance(self.output, MatchOutput):
            names |= set(self.output.choice.tie_columns if self.output.choice else ())
            for column in self.output.every_column:
                if isinstance(column, EventsColumn | SummaryColumn):
                    names.add(column.attribute)
        else:
            names |= self.output.attributes
        if self.pair is not None:
            names |= self.pair.second.value_columns | set(self.pair.tie_columns)
        return frozenset(names)

    @property
    def blocks_borders(self) -> bool:
        """Whether there are negations at the start or the end: what they see is not the match."""
        if self.negation is None:
            return False
        return any(gap != FREE for gap in self.negation.gaps[len(self.automaton.edges) :])

    @property
    def keeps_all_types(self) -> bool:
        """Whether events of other types matter, as break marks or because they are counted."""
        return self.ranking is not Ranking.NONE or self.clock is Clock.EVENTS

    @property
    def folds_all_types(self) -> bool:
        """Whether the fold itself must see every event: each one moves a window that counts them.

        With SLIDE, or for matches, only the events that end something need to know their index.
        Contiguous runs that go on in another range of time must be broken by all events.
        """
        if self.cuts_time and self.ranking is not Ranking.NONE:
            return True
        is_recent = isinstance(self.output, AggregateOutput) and self.slide is None
        return is_recent and self.window_length is not None and self.clock is Clock.EVENTS
