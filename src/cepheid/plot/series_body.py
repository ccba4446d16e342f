"""Pictures of aggregates as SVG elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cepheid.explain.svg_shapes import svg_element, svg_escape, svg_number, svg_text
from cepheid.explain.time_axis import TimeAxis
from cepheid.plot.body import (
    LABEL,
    MARGIN,
    PLOT,
    WIDTH,
    Body,
    axis_below,
    axis_height,
    fitted,
    letters_width,
    name_text,
    title_text,
    view,
)
from cepheid.plot.event_rows import value_text
from cepheid.plot.palette import colour_class
from cepheid.plot.place_matches import moment_text
from cepheid.plot.series import Bars, Chart, Point, Scale, scale_of

HEIGHT, INSET = 150.0, 8.0
BAR, BAR_STEP = 16.0, 24.0
MOST_HITS = 1_200


def chart_body(chart: Chart) -> Body:
    """Return steps over time, one line for each group."""
    parts, y = _head(chart.title, chart.notes)
    if len(chart.lines) > 1 or (chart.lines and chart.lines[0].label):
        legend, y = _legend([_named(chart.group, each.label) for each in chart.lines], y + 2)
        parts += legend
    y += 6
    values = [point.value for line in chart.lines for run in line.runs for point in run]
    scale = scale_of(values)
    parts.append(svg_element("rect", "lane", x=MARGIN + LABEL, y=y, width=PLOT, height=HEIGHT))
    for value in scale.marks():
        height = y + _height(value, scale)
        parts.append(
            svg_element("line", "grid", x1=MARGIN + LABEL, x2=WIDTH - MARGIN, y1=height, y2=height)
        )
        text = short_number(value)
        parts.append(svg_text("tick", MARGIN + LABEL - 8, height + 4, text, anchor="end"))
    content = [*_lines(chart, scale), *_points(chart, scale)]
    parts += [*axis_below(chart.axis, y, HEIGHT), view(content, chart.axis, y, HEIGHT)]
    power = ", on a scale of powers" if scale.is_power else ""
    span = f"; from {short_number(min(values))} to {short_number(max(values))}" if values else ""
    words = f"{chart.title}: {chart.notes[0]}{span}{power}."
    return Body(tuple(parts), y + HEIGHT + axis_height(chart.axis), words)


def _height(value: float, scale: Scale) -> float:
    return HEIGHT - INSET - scale.share(value) * (HEIGHT - 2 * INSET)


def _lines(chart: Chart, scale: Scale) -> Iterator[str]:
    for number, line in enumerate(chart.lines):
        for run in line.runs:
            corners = _corners(run, chart, scale)
            data = " ".join(f"{share:.6g},{svg_number(y)}" for share, y in corners)
            path = "L".join(f"{svg_number(share * PLOT)} {svg_number(y)}" for share, y in corners)
            yield (
                f'<path class="line {colour_class(number)}" fill="none" style="fill:none" '
                f'data-line="{data}" d="M{path}"/>'
            )


def _corners(run: Sequence[Point], chart: Chart, scale: Scale) -> list[tuple[float, float]]:
    corners = []
    for point in run:
        height = _height(point.value, scale)
        corners.append((chart.axis.share(point.begin), height))
        if point.end > point.begin:
            corners.append((chart.axis.share(point.end), height))
    if len(corners) == 1:
        corners.append((corners[0][0] + 2 / PLOT, corners[0][1]))
    return corners


def _points(chart: Chart, scale: Scale) -> Iterator[str]:
    """Yield places to point at, if there are not too many: what the value of a window is."""
    if sum(len(run) for line in chart.lines for run in line.runs) > MOST_HITS:
        return
    for number, line in enumerate(chart.lines):
        yield '<g class="part">'
        points = [point for run in line.runs for point in run]
        yield from _hits(chart, scale, (number, line.label), points)
        yield "</g>"


def _hits(
    chart: Chart, scale: Scale, line: tuple[int, str], points: Sequence[Point]
) -> Iterator[str]:
    number, label = line
    for point in points:
        begin, end = (chart.axis.share(each) for each in (point.begin, point.end))
        width, height = max(4.0, (end - begin) * PLOT), _height(point.value, scale)
        group = f"{label}: " if label else ""
        words = f"{group}{value_text(point.value)}\n{_when(point, chart.axis)}"
        title = "\n".join(map(svg_escape, words.split("\n")))
        yield (
            f'<rect class="point hit k{number}" style="fill:transparent;stroke:none" '
            f'data-a="{begin:.6g}" data-b="{max(end, begin + 4 / PLOT):.6g}" '
            f'x="{svg_number(begin * PLOT)}" y="{svg_number(height - 6)}" '
            f'width="{svg_number(width)}" height="12"><title>{title}</title></rect>'
        )


def _when(point: Point, axis: TimeAxis) -> str:
    begin = moment_text(point.begin, axis)
    return (
        f"at {begin}"
        if point.until is None
        else f"from {begin} to {moment_text(point.until, axis)}"
    )


def _named(group: str, label: str) -> str:
    """Return a group with what it is: `district 1`."""
    return f"{group} {label}" if group else label


def bars_body(bars: Bars) -> Body:
    """Return a bar for each group."""
    parts, y = _head(bars.title, bars.notes)
    y += 4
    scale = scale_of([value for _, value in bars.values])
    parts.append('<g class="part bars">')
    for label, value in bars.values:
        left, name = MARGIN + LABEL, _named(bars.group, label)
        width = max(1.0, scale.share(value) * (PLOT - 80))
        parts.append(name_text(MARGIN, y + 12, name, LABEL - 12))
        bar = svg_element("rect", "column k0", x=left, y=y, width=width, height=BAR, rx=2.0)
        words = svg_escape(f"{name}: {value_text(value)}")
        parts.append(f"{bar.removesuffix('/>')}><title>{words}</title></rect>")
        parts.append(svg_text("tick", left + width + 6, y + 12, short_number(value)))
        y += BAR_STEP
    parts.append("</g>")
    listed = "; ".join(f"{label}: {short_number(value)}" for label, value in bars.values[:8])
    return Body(tuple(parts), y + 10, f"{bars.title}: {listed}.")


def _head(title: str, notes: Sequence[str]) -> tuple[list[str], float]:
    parts = [title_text(title)]
    y = MARGIN + 24
    for note in notes:
        parts.append(svg_text("note", MARGIN, y, note))
        y += 16
    return parts, y


def _legend(labels: Sequence[str], y: float) -> tuple[list[str], float]:
    parts, x = list[str](), MARGIN
    for number, label in enumerate(labels):
        name = fitted(label or "all", 200.0)
        width = 22 + letters_width(name) + 18
        if x + width > WIDTH - MARGIN:
            x, y = MARGIN, y + 18
        key = {"x": x, "y": y - 2, "width": 16.0, "height": 4.0, "rx": 2.0}
        parts.append(svg_element("rect", f"column {colour_class(number)}", **key))
        parts.append(svg_text("legend", x + 22, y + 4, name))
        x += width
    return parts, y + 14


def short_number(value: float) -> str:
    """Return a number with few digits.

    >>> [short_number(each) for each in (0.0, 12.0, 1234567.0, 0.256, 3e21)]
    ['0', '12', '1.23M', '0.256', '3e+21']
    """
    size = abs(value)
    for unit, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if unit <= size < 1e15:
            return f"{value / (1e3 if letter == 'k' else unit):.3g}{letter}"
    return f"{value:,.0f}" if size.is_integer() and size < 1e4 else f"{value:.3g}"
