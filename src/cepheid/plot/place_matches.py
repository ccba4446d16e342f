"""Events and matches to a timeline: which rows there are, and what is drawn in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cepheid.analysis.bound import BoundQuery, WindowUnit
from cepheid.explain.document import Explanation
from cepheid.explain.time_axis import TimeAxis
from cepheid.plot.event_rows import EventRows, words_of
from cepheid.plot.find_gaps import GapFinder
from cepheid.plot.pack_lanes import pack_lanes
from cepheid.plot.read_attributes import read_attributes
from cepheid.plot.sample_matches import SEED, FoundMatches
from cepheid.plot.timeline import Dot, Mark, Match, Role, Row, Timeline, ValueLine
from cepheid.plot.value_line import value_line

MOST_ROWS, ENOUGH_ROWS = 24, 8  # rows without matches are drawn up to the latter
FEW_ROWS = 4  # of more, those with matches come first
MOST_MARKS = 220  # in a row; more events are counted in columns
MOST_HIDDEN = 20_000  # events in all rows that are seen by those who zoom in
MOST_DRAWN = 600  # matches in all rows
MOST_EVENTS = 60  # of a match that have a dot
COLUMNS = 160
PADDING = 0.012  # of the axis at both ends, for the marks there


@dataclass(frozen=True, slots=True)
class Extent:
    """The stretch of time that is drawn, in ticks; `is_given`: someone asked for it."""

    begin: int
    end: int
    is_given: bool = False


class MatchPlacer:
    """Everything that the rows of a timeline are made of."""

    def __init__(
        self,
        bound: BoundQuery,
        explanation: Explanation,
        events: EventRows,
        found: FoundMatches,
        extent: Extent,
    ) -> None:
        self.bound, self.events, self.found, self.extent = bound, events, found, extent
        window = bound.window
        is_time = window is not None and window.unit is WindowUnit.TIME
        self.length = window.length if window is not None and is_time else None
        self.gaps = GapFinder(explanation, self.length)
        ticks = events.ticks
        self.is_visible = (ticks >= extent.begin) & (ticks <= extent.end)
        first, last = ticks[found.first], ticks[found.last]
        self.is_seen = (last >= extent.begin) & (first <= extent.end)
        self.match_partition = events.partition[found.first]
        self.axis = self._axis()
        self.kept = found.kept.starts, found.kept.ends

    def timeline(self, title: str, *, is_part: bool) -> Timeline:
        """Return the timeline; `is_part` says that there are more matches than were looked for."""
        chosen, present = self._rows()
        self._shrink(chosen, present)
        rows = tuple(self._row(each, len(chosen)) for each in chosen)
        heading = ", ".join(self.bound.partition_by)
        return Timeline(
            title,
            heading,
            self.axis,
            self.events.kinds,
            rows,
            tuple(self._notes(rows, present, is_part)),
            value=self.events.value,
        )

    def _notes(self, rows: Sequence[Row], partitions: int, is_part: bool) -> list[str]:
        events, matches = int(self.is_visible.sum()), int(self.is_seen.sum())
        more = " or more" if is_part else ""
        words = f"{counted(events, 'event')}, {counted(matches, 'match', 'matches')}{more}"
        shown = sum(each.shown_matches for each in rows)
        if shown < matches:
            words += f"; {shown:,} of them as bars, chosen by chance"
        notes = [words]
        if len(rows) < partitions:
            notes.append(
                f"{len(rows)} of {partitions:,} partitions are drawn, "
                "those with most matches and events"
            )
        if any(each.event_columns for each in rows):
            notes.append(f"rows of more than {MOST_MARKS} events count them in columns")
        return notes

    def _rows(self) -> tuple[list[int], int]:
        """Return the partitions with most matches, then those with most events, in order.

        The number is that of all partitions with something in this stretch of time.
        """
        partitions = len(self.events.values)
        of_events = self.events.partition[self.is_visible]
        of_matches = self.match_partition[self.is_seen]
        events = np.bincount(of_events[of_events >= 0], minlength=partitions)
        matches = np.bincount(of_matches[of_matches >= 0], minlength=partitions)
        most = min(MOST_ROWS, max(ENOUGH_ROWS, int(np.count_nonzero(matches))))
        present = min(partitions, max(1, int(np.count_nonzero(events + matches))))
        best = np.lexsort((-events, -matches))[: min(most, present)].tolist()
        is_long = len(best) > FEW_ROWS  # few rows keep their order, so that pictures compare
        best.sort(key=lambda each: (is_long and not matches[each], self._sort_key(each)))
        return best, present

    def _shrink(self, chosen: Sequence[int], present: int) -> None:
        """Let the axis begin and end with the rows that are drawn, if the reader did not say where.

        Others may reach further.
        """
        of_rows = np.isin(self.events.partition, chosen) & self.is_visible
        if self.extent.is_given or len(chosen) == present or not of_rows.any():
            return
        ticks = self.events.ticks[of_rows]
        self.extent = Extent(int(ticks.min()), int(ticks.max()))
        self.axis = self._axis()

    def _axis(self) -> TimeAxis:
        pad = max(1, round((self.extent.end - self.extent.begin) * PADDING))
        per_second = self.events.ticks_per_second if self.events.is_clock else None
        begin, end = self.extent.begin - pad, self.extent.end + pad
        return TimeAxis(begin, end, per_second, self.events.digits)

    def _sort_key(self, partition: int) -> tuple[tuple[bool, float, str], ...]:
        """Numbers by size, everything else as text."""
        return tuple(
            (False, float(each), "") if isinstance(each, int | float) else (True, 0.0, str(each))
            for each in self.events.values[partition]
        )

    def _kept(self, partition: int, most: int) -> list[slice]:
        """Return where the events of some matches of a partition are."""
        kept, ticks = self.found.kept, self.events.ticks
        starts, ends = self.kept
        first, last = kept.event[starts], kept.event[ends - 1]
        is_here = self.events.partition[first] == partition
        is_here &= (ticks[last] >= self.extent.begin) & (ticks[first] <= self.extent.end)
        places = np.flatnonzero(is_here)
        if places.size > most:
            places = np.random.default_rng(SEED).choice(places, most, replace=False)
        return [slice(int(starts[each]), int(ends[each])) for each in places]

    def _row(self, partition: int, count_of_rows: int) -> Row:
        events, most = self.events, MOST_DRAWN // count_of_rows
        inside = np.flatnonzero((events.partition == partition) & self.is_visible)
        inside = inside[np.argsort(events.ticks[inside], kind="stable")]
        drawn = inside
        if inside.size > MOST_MARKS:  # other types are only there for the look of it
            roles = np.array([each.role is Role.OTHER for each in events.kinds])
            drawn = inside[~roles[events.kind[inside]]]
        columns: tuple[tuple[int, ...], ...] = ()
        hidden = drawn[:0]
        if drawn.size > MOST_MARKS:
            hidden = drawn if drawn.size <= MOST_HIDDEN // count_of_rows else hidden
            columns = tuple(
                tuple(self._counts(inside[events.kind[inside] == kind]))
                for kind, _ in enumerate(events.kinds)
            )
            drawn = drawn[:0]
        matches = self._matches(self._kept(partition, most))
        lanes = pack_lanes(matches)
        of_row = (self.match_partition == partition) & self.is_seen
        count, shown = int(of_row.sum()), sum(map(len, lanes))
        ends = self.found.last[of_row] if shown < count else self.found.last[:0]
        return Row(
            label=events.label(partition),
            marks=tuple(self._marks(drawn)),
            event_count=int(inside.size),
            event_columns=columns,
            lanes=lanes,
            match_count=count,
            match_columns=tuple(self._counts(ends)) if ends.size else (),
            values=self._values(inside, matches),
            hidden=tuple(
                Mark(int(each), int(events.ticks[each]), int(events.kind[each]), "")
                for each in hidden
            ),
        )

    def _values(self, inside: NDArray[np.int64], matches: Sequence[Match]) -> ValueLine | None:
        """Return the line through all values of a row, with those of its matches as dots."""
        events = self.events
        if events.numbers is None:
            return None
        of_matches = {mark.event for match in matches for mark in match.marks}
        chosen = [each for each in inside.tolist() if each in of_matches]
        chosen = [each for each in chosen if np.isfinite(events.numbers[each])]
        dots = [
            Dot(mark.event, mark.tick, float(events.numbers[mark.event]), mark.kind, mark.words)
            for mark in self._marks(np.array(chosen, np.int64))
        ]
        return value_line(events.ticks[inside], events.numbers[inside], dots)

    def _counts(self, rows: NDArray[np.int64]) -> list[int]:
        ticks = np.clip(self.events.ticks[rows], self.extent.begin, self.extent.end)
        share = (ticks - self.axis.begin) / (self.axis.end - self.axis.begin)
        counts: list[int] = np.bincount((share * COLUMNS).astype(int), minlength=COLUMNS).tolist()
        return counts

    def _marks(self, rows: NDArray[np.int64]) -> list[Mark]:
        events = self.events
        skipped = [each for each in (self.bound.schema.type_column,) if each is not None]
        words = words_of(events.table, rows.tolist(), skipped)
        types = self._types(rows)
        return [
            Mark(
                int(row),
                int(events.ticks[row]),
                int(events.kind[row]),
                f"{type}\n{each}",
                fits=bool(events.fits[row]),
            )
            for row, each, type in zip(rows, words, types, strict=True)
        ]

    def _types(self, rows: NDArray[np.int64]) -> list[str]:
        column = self.bound.schema.type_column
        if column is None:
            return [self.events.kinds[0].name] * len(rows)
        return [str(each) for each in self.events.table[column].take(rows).to_pylist()]

    def _matches(self, slices: Sequence[slice]) -> list[Match]:
        """Return matches in the order of their beginnings; of long ones some events have a dot."""
        kept, matches = self.found.kept, []
        drawn = {int(event) for each in slices for event in kept.event[each]}
        told = self._told(sorted(drawn))
        for each in slices:
            events, variables = kept.event[each], kept.variable[each]
            names = [self.found.variables[variable] for variable in variables]
            ticks = self.events.ticks[events]
            marks = [
                Mark(int(event), int(tick), int(self.events.kind[event]), name)
                for event, tick, name in zip(events, ticks, names, strict=True)
            ]
            matches.append(
                Match(
                    tuple(_thinned(marks)),
                    self.gaps.gaps(names, [each.tick for each in marks]),
                    None if self.length is None else marks[0].tick + self.length,
                    self._words(marks, told),
                )
            )
        return sorted(matches, key=lambda each: (each.begin, each.end))

    def _told(self, rows: Sequence[int]) -> dict[int, str]:
        """Return of events what WHERE and RETURN read of them, beside when and where they were."""
        schema, columns = self.bound.schema, self.events.table.column_names
        known = {schema.time, schema.type_column, *self.bound.partition_by}
        names = [each for each in read_attributes(self.bound.tree) if each not in known]
        names = [each for each in names if each in columns]
        if not names:
            return {}
        words = words_of(self.events.table.select(names), rows, ())
        return {row: each.replace("\n", ", ") for row, each in zip(rows, words, strict=True)}

    def _words(self, marks: Sequence[Mark], told: dict[int, str]) -> str:
        lines = []
        for each in _thinned(marks, 10):
            moment = moment_text(each.tick, self.axis)
            line = f"{each.words}: {self.events.kinds[each.kind].name} {moment}"
            lines.append(", ".join(filter(None, [line, told.get(each.event, "")])))
        head = f"match of {counted(len(marks), 'event')}"
        return "\n".join([head, *dict.fromkeys(lines)])


def _thinned(marks: Sequence[Mark], most: int = MOST_EVENTS) -> list[Mark]:
    if len(marks) <= most:
        return list(marks)
    places = np.unique(np.linspace(0, len(marks) - 1, most).astype(int))
    return [marks[each] for each in places]


def moment_text(tick: int, axis: TimeAxis) -> str:
    """Return a time as a text, with date and time of day if it is a moment.

    >>> moment_text(1_500_000, TimeAxis(0, 1, 1_000_000)), moment_text(60, TimeAxis(0, 1, 1))
    ('1970-01-01 00:00:01.5', '1970-01-01 00:01:00')
    """
    if axis.ticks_per_second is None:
        return axis.number(tick).replace(",", "")
    unit = {1: "s", 1_000: "ms", 1_000_000: "us", 1_000_000_000: "ns"}[axis.ticks_per_second]
    moment = str(np.array([tick]).astype(f"datetime64[{unit}]")[0]).replace("T", " ")
    return moment.rstrip("0").rstrip(".") if "." in moment else moment


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a number of things.

    >>> counted(1, "match", "matches"), counted(2, "event")
    ('1 match', '2 events')
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
