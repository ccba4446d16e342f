"""What a timeline of matches shows, as plain data; times are ticks of the time column."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cepheid.explain.time_axis import TimeAxis


class Role(StrEnum):
    """What events of a type are to the pattern."""

    MATCHED = "matched"
    NEGATED = "negated"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Kind:
    """An event type; all types that the pattern does not name are one kind."""

    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class Mark:
    """An event: `event` is its row in the table, `kind` a place in the timeline's kinds.

    `fits` says whether WHERE lets it be part of a match, or of what is negated.
    """

    event: int
    tick: int
    kind: int
    words: str
    fits: bool = True


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch of time in which something must not occur."""

    begin: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Match:
    """A match with its events in order; `window_end` is where its window, if it has one, closes."""

    marks: tuple[Mark, ...]
    gaps: tuple[Gap, ...]
    window_end: int | None
    words: str

    @property
    def begin(self) -> int:
        """The time of the first event."""
        return self.marks[0].tick

    @property
    def end(self) -> int:
        """The time of the last event."""
        return self.marks[-1].tick

    @property
    def right(self) -> int:
        """Where the drawing of the match ends."""
        return max([self.end, self.window_end or self.end, *(each.end for each in self.gaps)])


@dataclass(frozen=True, slots=True)
class Dot:
    """The value of an event that belongs to a match."""

    event: int
    tick: int
    value: float
    kind: int
    words: str


@dataclass(frozen=True, slots=True)
class ValueLine:
    """An attribute over time, as times with values, and the ends of its scale."""

    points: tuple[tuple[int, float], ...]
    dots: tuple[Dot, ...]
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Row:
    """A partition: its events as marks, or counted in stretches of time, and some of its matches.

    `event_columns` has a list of counts for each kind, `match_columns` counts the matches by their
    end. Matches stand in lanes, in which they do not overlap. `hidden` are events that are counted,
    without words, for those who zoom in.
    """

    label: str
    marks: tuple[Mark, ...]
    event_count: int
    event_columns: tuple[tuple[int, ...], ...]
    lanes: tuple[tuple[Match, ...], ...]
    match_count: int
    match_columns: tuple[int, ...]
    hidden: tuple[Mark, ...] = ()
    values: ValueLine | None = None

    @property
    def shown_matches(self) -> int:
        """How many matches have a bar."""
        return sum(map(len, self.lanes))


@dataclass(frozen=True, slots=True)
class Timeline:
    """All of it; `heading` says what a row is, `notes` what is not drawn, `noun` what a bar is.

    `value` is the attribute that lines show.
    """

    title: str
    heading: str
    axis: TimeAxis
    kinds: tuple[Kind, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    noun: tuple[str, str] = ("match", "matches")
    value: str = ""
