"""What pictures have in common: their size, the axis, and how several become one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cepheid.explain.svg_shapes import svg_element, svg_escape, svg_number, svg_text
from cepheid.explain.time_axis import TimeAxis

MARGIN, LABEL, PLOT, GAP = 20.0, 150.0, 760.0, 8.0
WIDTH = MARGIN + LABEL + PLOT + MARGIN
FOR_SCRIPTS = re.compile(r' data-(?:points|kinds|y)="[^"]*"')  # of which there are none in an image
BUTTONS = 190.0
NARROW, WIDE = frozenset("iljtfrI.,:;'|!()[]{} "), frozenset("mwMW@%")


@dataclass(frozen=True, slots=True)
class Frame:
    """How wide the names of rows are, and how wide what lies on the axis."""

    label: float = LABEL
    plot: float = PLOT

    @property
    def left(self) -> float:
        """Where the axis begins."""
        return MARGIN + self.label

    @property
    def right(self) -> float:
        """Where the axis ends."""
        return self.left + self.plot


WHOLE = Frame()


@dataclass(frozen=True, slots=True)
class Body:
    """Elements of a picture, its height, what it shows in words, and what it calls itself.

    The first of the parts is the title.
    """

    parts: tuple[str, ...]
    height: float
    summary: str
    title: str = ""

    def below(self, heading: str) -> Body:
        """Return the picture for a place below a heading, which it does not say again."""
        return replace(self, parts=self.parts[1:]) if self.title == heading else self


def view(
    content: Sequence[str], axis: TimeAxis, y: float, height: float, frame: Frame = WHOLE
) -> str:
    """Return the part of a picture that lies on the time axis; a script may zoom into it."""
    unit = script_unit(axis)
    ticks = (axis.ticks_per_second or 0) // unit
    return (
        f'<svg class="view" x="{svg_number(frame.left)}" y="{svg_number(y)}" '
        f'width="{svg_number(frame.plot)}" height="{svg_number(max(1.0, height))}" '
        f'data-begin="{axis.begin // unit}" data-end="{axis.end // unit}" data-ticks="{ticks}">'
        f"{''.join(content)}</svg>"
    )


def script_unit(axis: TimeAxis) -> int:
    """Return how many ticks are one for a script, whose numbers are too short for nanoseconds."""
    return 1_000 if axis.ticks_per_second == 1_000_000_000 else 1


def axis_below(axis: TimeAxis, y: float, height: float, frame: Frame = WHOLE) -> Iterator[str]:
    """Yield the marks of the time axis, with lines through the picture."""
    yield '<g class="axis">'
    for tick, text in axis.marks():
        x = frame.left + axis.share(tick) * frame.plot
        yield svg_element("line", "grid", x1=x, x2=x, y1=y, y2=y + height + 4)
        yield svg_text("tick", x, y + height + 17, text, anchor=_anchor(x, frame))
    for tick, date in axis.dates():
        x = frame.left + axis.share(tick) * frame.plot
        yield svg_text("tick date", x, y + height + 31, date, anchor=_anchor(x, frame))
    yield "</g>"


def _anchor(x: float, frame: Frame) -> str:
    return "middle" if x < frame.right - 28 else "end"


def axis_height(axis: TimeAxis) -> float:
    """Return how much there must be below a picture for its axis, which may have dates."""
    return 34.0 if axis.ticks_per_second is None else 48.0


def letters_width(text: str, size: float = 11.0) -> float:
    """Return about how wide a text is, in the widest of the usual fonts.

    >>> letters_width("ill") < letters_width("mmm") / 2
    True
    """
    return size * sum(map(_letter, text))


def _letter(letter: str) -> float:
    if letter in NARROW:
        return 0.34
    if letter in WIDE:
        return 0.9
    is_wide = unicodedata.east_asian_width(letter) in "WF"
    return 1.0 if is_wide else 0.7 if letter.isupper() else 0.6


def fitted(text: str, width: float, size: float = 11.0) -> str:
    """Return a text, or its beginning if it is too long.

    >>> fitted("a long title of a picture", 100.0)
    'a long title of a…'
    """
    if letters_width(text, size) <= width:
        return text
    kept = next(
        each
        for each in range(len(text), -1, -1)
        if letters_width(f"{text[:each]}…", size) <= width or not each
    )
    return f"{text[:kept].rstrip()}…"


def name_text(x: float, y: float, name: str, width: float) -> str:
    """Return a name of a row; a long one is cut in the middle, for names often differ at the end.

    >>> name_text(0, 0, "warehouse-north-17", 80.0).partition(">")[2]
    'wareh…th-17<title>warehouse-north-17</title></text>'
    """
    short, kept = name, len(name)
    while letters_width(short, 12.0) > width and kept > 2:
        kept -= 1
        short = f"{name[: kept // 2]}…{name[len(name) - (kept + 1) // 2 :]}"
    whole = "" if short == name else f"<title>{svg_escape(name)}</title>"
    return svg_text("row", x, y, short).replace("</text>", f"{whole}</text>")


def title_text(title: str) -> str:
    """Return what stands above a picture; a page has buttons to the right of it."""
    return svg_text("title", MARGIN, MARGIN + 6, fitted(title, LABEL + PLOT - BUTTONS, 17.0))


def stacked(bodies: Sequence[Body], style: str, *, title: str, is_for_scripts: bool = False) -> str:
    """Return pictures below each other as one SVG document; without a style for use in a page."""
    height = sum(each.height for each in bodies)
    size = f'width="{svg_number(WIDTH)}" height="{svg_number(height)}"'
    look = f"<style>{style}</style>" if style else ""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="cepheid-plot" role="img" {size} '
        f'viewBox="0 0 {svg_number(WIDTH)} {svg_number(height)}">',
        f"<title>{svg_escape(title)}</title>",
        f"<desc>{svg_escape(' '.join(each.summary for each in bodies))}</desc>",
        look,
        f'<rect class="paper" width="{svg_number(WIDTH)}" height="{svg_number(height)}" rx="8"/>',
    ]
    y = 0.0
    for each in bodies:
        lines += [f'<g class="body" transform="translate(0 {svg_number(y)})">', *each.parts, "</g>"]
        y += each.height
    whole = "\n".join([*filter(None, lines), "</svg>"])
    return FOR_SCRIPTS.sub("", whole) if style and not is_for_scripts else whole
