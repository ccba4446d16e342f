"""A timeline as SVG elements.

What lies on the time axis says where: `data-a` and `data-b` are shares of the axis, by which the
script of a page moves it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from cepheid.explain.svg_shapes import svg_element, svg_escape, svg_number, svg_text
from cepheid.plot.body import (
    GAP,
    MARGIN,
    WHOLE,
    Body,
    Frame,
    axis_below,
    axis_height,
    letters_width,
    name_text,
    script_unit,
    title_text,
    view,
)
from cepheid.plot.draw_values import VALUES, draw_values, scale_labels
from cepheid.plot.palette import CROSS, DOT, colour_class, shape_of
from cepheid.plot.place_matches import counted
from cepheid.plot.timeline import Kind, Mark, Match, Role, Row, Timeline

EVENTS, LANE, BAR, PADDING = 26.0, 9.0, 5.0, 5.0
EVENT_COLUMNS, MATCH_COLUMNS = 44.0, 26.0
LEGEND_STEP = 20.0
SMALL = 0.62  # the size of a mark on a bar, and of one beside another
CLOSE = 6.0  # marks are beside each other
TIED, SPREAD = 11.0, 20.0  # from one mark to the next of the same time, and to the last one


class _Rows:
    def __init__(self, timeline: Timeline, frame: Frame) -> None:
        self.timeline, self.axis, self.frame = timeline, timeline.axis, frame

    def x(self, tick: int) -> float:
        return self.share(tick) * self.frame.plot

    def share(self, tick: int) -> float:
        return min(1.0, max(0.0, self.axis.share(tick)))

    def place(self, begin: int, end: int | None = None) -> str:
        b = "" if end is None else f' data-b="{self.axis.share(end):.6g}"'
        return f'data-a="{self.axis.share(begin):.6g}"{b}'

    def row(self, row: Row, y: float) -> tuple[list[str], float]:
        """Return what is drawn of a partition, and the y below it."""
        parts, top = list[str](), y + PADDING
        if row.values is not None:
            parts += draw_values(row.values, self.axis, top, self.frame)
            top += VALUES
        if row.event_columns:
            hidden = self.hidden(row, top + EVENT_COLUMNS / 2)
            parts += [f'<g class="dense"{hidden}>', *self.columns(row, top), "</g>"]
            top += EVENT_COLUMNS
        else:
            close, moved = self.close_ticks(row), self.moved(row)
            for mark, move in sorted(zip(row.marks, moved, strict=True), key=self._depth):
                y = top + EVENTS / 2 + move
                parts.append(self.mark(mark, y, is_close=mark.tick in close))
            top += EVENTS
        if row.match_columns:
            parts += self.match_columns(row, top)
            top += MATCH_COLUMNS
        for lane in row.lanes:
            parts += [self.match(each, top + LANE / 2) for each in lane]
            top += LANE
        return parts, top + PADDING

    def _kind(self, mark: Mark) -> Kind:
        return self.timeline.kinds[mark.kind]

    def _depth(self, moved: tuple[Mark, float]) -> tuple[bool, bool]:
        """Marks of other types are below, and those that WHERE excludes above them."""
        mark, _ = moved
        return self._kind(mark).role is not Role.OTHER, mark.fits

    def close_ticks(self, row: Row) -> set[int]:
        """Return the times of the marks that would cover each other."""
        tied = Counter(each.tick for each in row.marks)
        pairs = pairwise(sorted(tied))
        close = (pair for pair in pairs if self.x(pair[1]) - self.x(pair[0]) < CLOSE)
        crowded = {tick for tick, count in tied.items() if (count - 1) * TIED > SPREAD}
        return crowded | {tick for pair in close for tick in pair}

    def moved(self, row: Row) -> list[float]:
        """Return how far each mark is below the middle: those of one time are below each other."""
        tied, above, moved = Counter(each.tick for each in row.marks), Counter[int](), []
        for each in row.marks:
            others = tied[each.tick] - 1
            step = min(TIED, SPREAD / others) if others else 0.0
            moved.append((above[each.tick] - others / 2) * step)
            above[each.tick] += 1
        return moved

    def mark(self, mark: Mark, y: float, *, is_close: bool) -> str:
        small, size = (" close", f" scale({SMALL})") if is_close else ("", "")
        kind = self._kind(mark)
        faint = " faint" if _is_faint(self.timeline, mark) else ""
        return (
            f'<path class="mark {_colour(kind, mark.kind)}{faint}{small}" data-i="{mark.event}" '
            f'{self.place(mark.tick)} d="{_shape(kind, mark.kind)}" '
            f'transform="translate({svg_number(self.x(mark.tick))} {svg_number(y)}){size}">'
            f"<title>{_title(mark.words)}</title></path>"
        )

    def match(self, match: Match, y: float) -> str:
        """A bar from the first to the last event, with its events, gaps and what was left."""
        left, width = self.x(match.begin), max(1.0, self.x(match.end) - self.x(match.begin))
        events = " ".join(str(each.event) for each in match.marks)
        parts = [
            f'<g class="match" data-e="{events}" {self.place(match.begin, match.end)}>'
            f"<title>{_title(match.words)}</title>"
        ]
        if match.window_end is not None:
            parts.append(self.stretch("room", match.end, match.window_end, y))
        parts.append(
            f'<rect class="bar" {self.place(match.begin, match.end)} x="{svg_number(left)}" '
            f'y="{svg_number(y - BAR / 2)}" width="{svg_number(width)}" height="{BAR:g}" rx="2"/>'
        )
        for gap in match.gaps:
            words = f"<title>{svg_escape(gap.text)}</title>"
            parts.append(self.stretch("under", gap.begin, gap.end, y))
            parts.append(self.stretch("gap", gap.begin, gap.end, y, words))
        for each in match.marks:
            move = f"translate({svg_number(self.x(each.tick))} {svg_number(y)}) scale({SMALL})"
            kind = self._kind(each)
            parts.append(
                f'<path class="event {_colour(kind, each.kind)}" {self.place(each.tick)} '
                f'd="{_shape(kind, each.kind)}" transform="{move}"/>'
            )
        return "".join([*parts, "</g>"])

    def stretch(self, kind: str, begin: int, end: int, y: float, content: str = "") -> str:
        place = f'x1="{svg_number(self.x(begin))}" x2="{svg_number(self.x(end))}"'
        height = f'y1="{svg_number(y)}" y2="{svg_number(y)}"'
        return f'<line class="{kind}" {self.place(begin, end)} {place} {height}>{content}</line>'

    def columns(self, row: Row, y: float) -> Iterator[str]:
        """Yield stacked columns of the events of every stretch of time, by kind."""
        totals = [sum(each) for each in zip(*row.event_columns, strict=True)]
        most, count, bottom = max(totals), len(totals), y + EVENT_COLUMNS - 2
        for place in range(count):
            base = bottom
            for number, counts in enumerate(row.event_columns):
                if counts[place]:
                    kind, height = self.timeline.kinds[number], 0.0
                    height = counts[place] / most * (EVENT_COLUMNS - 6)
                    base -= height
                    words = f"{counts[place]:,} of {kind.name}"
                    classes = f"column {_colour(kind, number)}"
                    yield self._column(classes, (place, count), base, height, words)

    def hidden(self, row: Row, y: float) -> str:
        """Return the events of a row as numbers, from which a script draws marks."""
        if not row.hidden:
            return ""
        begin, unit = self.axis.begin, script_unit(self.axis)
        points = " ".join(
            f"{(each.tick - begin) // unit}:{each.kind}:{each.event}" for each in row.hidden
        )
        return f' data-y="{svg_number(y)}" data-points="{points}"'

    def match_columns(self, row: Row, y: float) -> Iterator[str]:
        most, count = max(row.match_columns), len(row.match_columns)
        for place, each in enumerate(row.match_columns):
            if each:
                height = max(1.0, each / most * (MATCH_COLUMNS - 6))
                base = y + MATCH_COLUMNS - 3 - height
                words = f"{each:,} matches end here"
                yield self._column("found", (place, count), base, height, words)

    def _column(
        self, classes: str, place: tuple[int, int], y: float, height: float, words: str
    ) -> str:
        number, count = place
        begin, end, width = number / count, (number + 1) / count, self.frame.plot
        shape = svg_element(
            "rect", classes, x=begin * width + 0.3, y=y, width=width / count - 0.6, height=height,
            data_a=f"{begin:.6g}", data_b=f"{end:.6g}",
        )  # fmt: skip
        return f"{shape.removesuffix('/>')}><title>{svg_escape(words)}</title></rect>"


def _colour(kind: Kind, number: int) -> str:
    return {Role.MATCHED: colour_class(number), Role.NEGATED: "no", Role.OTHER: "other"}[kind.role]


def _shape(kind: Kind, number: int) -> str:
    return {Role.MATCHED: shape_of(number), Role.NEGATED: CROSS, Role.OTHER: DOT}[kind.role]


def _title(words: str) -> str:
    return "\n".join(map(svg_escape, words.split("\n")))


def timeline_body(timeline: Timeline) -> Body:
    """Return the timeline: title, legend, a row for every partition, the axis."""
    legend, y = legend_of(timeline, MARGIN + 28)
    for note in timeline.notes:
        legend.append(svg_text("note", MARGIN, y + 4, note))
        y += 16
    return rows_body(timeline, WHOLE, legend, y + 8)


def rows_body(timeline: Timeline, frame: Frame, above: Sequence[str], y: float) -> Body:
    """Return the title, what stands above the rows, the rows from y on, and the axis."""
    parts = [title_text(timeline.title), *above]
    if timeline.heading:
        parts.append(svg_text("note", MARGIN, y + 2, timeline.heading))
    y += 10
    top, rows, content = y, _Rows(timeline, frame), list[str]()
    for row in timeline.rows:
        drawn, below = rows.row(row, y - top)
        height = below - (y - top)
        lane = {"x": frame.left, "y": y, "width": frame.plot, "height": height}
        parts.append(svg_element("rect", "lane", **lane))
        content += ['<g class="part">', *drawn, "</g>"]
        parts += _label(row, y, height, timeline.noun, frame)
        y += height + GAP
    if any(row.hidden for row in timeline.rows):
        content.insert(0, _kinds(timeline))
    height = max(0.0, y - top - GAP)
    on_axis = timeline.axis, top, height, frame
    parts += [*axis_below(*on_axis), view(content, *on_axis)]
    return Body(
        tuple(parts), top + height + axis_height(timeline.axis), _summary(timeline), timeline.title
    )


def _kinds(timeline: Timeline) -> str:
    """Return how the marks of every kind look, for a script."""
    looks = [
        [_colour(kind, number), _shape(kind, number), kind.name]
        for number, kind in enumerate(timeline.kinds)
    ]
    return f'<g data-kinds="{svg_escape(json.dumps(looks))}"/>'


def _label(row: Row, y: float, height: float, noun: tuple[str, str], frame: Frame) -> list[str]:
    matches = counted(row.match_count, *noun)
    room = frame.label - 12 if row.values is None else frame.label - 62
    return [
        *([] if row.values is None else scale_labels(row.values, y + PADDING, frame)),
        name_text(MARGIN, y + 18, row.label or "all events", room),
        *([svg_text("note", MARGIN, y + 33, matches)] if height > 36 else []),
    ]


def legend_of(timeline: Timeline, y: float) -> tuple[list[str], float]:
    """Return every kind with its mark; what the bars mean comes last."""
    parts, x = list[str](), MARGIN
    entries = [
        (f'<path class="mark {_colour(kind, number)}" d="{_shape(kind, number)}" ', _name(kind))
        for number, kind in enumerate(timeline.kinds)
        if kind.role is not Role.OTHER or _has_others(timeline)
    ]
    marks = (each for row in timeline.rows for each in row.marks)
    faint = next((each for each in marks if _is_faint(timeline, each)), None)
    if faint is not None:
        kind = timeline.kinds[faint.kind]
        look = f"mark {_colour(kind, faint.kind)} faint"
        entries.append(
            (f'<path class="{look}" d="{_shape(kind, faint.kind)}" ', "WHERE excludes it")
        )
    matches = [each for row in timeline.rows for lane in row.lanes for each in lane]
    line = '<line class="{}" x1="-7" x2="7" y1="0" y2="0" '
    if any(row.values is not None for row in timeline.rows):
        entries.append((line.format("values"), timeline.value))
    if matches:
        bar = '<rect class="bar" x="-7" y="-2" width="14" height="4" rx="2" '
        entries.append((bar, timeline.noun[0]))
    if any(each.window_end is not None for each in matches):
        entries.append((line.format("room"), "rest of its window"))
    if any(each.gaps for each in matches):
        entries.append((line.format("gap"), "nothing negated here"))
    for shape, name in entries:
        width = 20 + letters_width(name) + 18
        if x + width > WHOLE.right:
            x, y = MARGIN, y + LEGEND_STEP
        parts.append(f'{shape} transform="translate({svg_number(x + 7)} {svg_number(y)})"/>')
        parts.append(svg_text("legend", x + 20, y + 4, name))
        x += width
    return parts, y + LEGEND_STEP + 2


def _is_faint(timeline: Timeline, mark: Mark) -> bool:
    return not mark.fits and timeline.kinds[mark.kind].role is not Role.OTHER


def _name(kind: Kind) -> str:
    return f"¬ {kind.name}" if kind.role is Role.NEGATED else kind.name


def _has_others(timeline: Timeline) -> bool:
    other = len(timeline.kinds) - 1
    return any(
        any(each.kind == other for each in row.marks)
        or (row.event_columns and any(row.event_columns[other]))
        for row in timeline.rows
    )


def _summary(timeline: Timeline) -> str:
    """What a screen reader says of the picture."""
    rows = [
        f"{row.label or 'all events'}: {counted(row.match_count, *timeline.noun)}"
        for row in timeline.rows
    ]
    listed = "; ".join(rows[:8]) + ("; …" if len(rows) > 8 else "")
    return f"{timeline.title}. {'. '.join(timeline.notes)}. {listed}"
