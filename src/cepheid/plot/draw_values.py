"""The line of an attribute above the marks of a row, as SVG elements."""

from __future__ import annotations

from collections.abc import Iterator

from cepheid.explain.svg_shapes import svg_escape, svg_number, svg_text
from cepheid.explain.time_axis import TimeAxis
from cepheid.plot.body import Frame
from cepheid.plot.event_rows import value_text
from cepheid.plot.palette import DOT, colour_class
from cepheid.plot.timeline import ValueLine

VALUES, INSET = 58.0, 8.0  # how high a line is, and how far it stays from the borders


def draw_values(line: ValueLine, axis: TimeAxis, y: float, frame: Frame) -> Iterator[str]:
    """Yield the line, and a dot for each value of a match; y is where it begins."""
    places = [(axis.share(tick), y + _height(line, value)) for tick, value in line.points]
    data = " ".join(f"{share:.6g},{svg_number(at)}" for share, at in places)
    path = "L".join(f"{svg_number(share * frame.plot)} {svg_number(at)}" for share, at in places)
    if len(places) > 1:
        yield f'<path class="values" data-line="{data}" d="M{path}"/>'
    for dot in line.dots:
        share, at = axis.share(dot.tick), y + _height(line, dot.value)
        words = "\n".join(map(svg_escape, dot.words.split("\n")))
        yield (
            f'<path class="dot {colour_class(dot.kind)}" data-i="{dot.event}" '
            f'data-a="{share:.6g}" d="{DOT}" transform="translate({svg_number(share * frame.plot)} '
            f'{svg_number(at)}) scale(1.25)"><title>{words}</title></path>'
        )


def scale_labels(line: ValueLine, y: float, frame: Frame) -> Iterator[str]:
    """Yield the least and the largest value, where they are."""
    ends = (line.most, line.least) if line.most > line.least else (line.most,)
    for value in ends:
        at = y + _height(line, value) + 4
        yield svg_text("tick", frame.left - 8, at, value_text(value), anchor="end")


def _height(line: ValueLine, value: float) -> float:
    span = line.most - line.least
    share = (value - line.least) / span if span > 0 else 0.5
    return INSET + (1 - share) * (VALUES - 2 * INSET)
