"""The parts of a drawing as SVG elements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

from cepheid.explain.dimensions import BAR, BOX_PADDING, RING, RULE
from cepheid.explain.drawing import Box, Label, Line, LineKind, Rectangle, TextKind, TextLine
from cepheid.explain.measure_text import FONT_SIZE, line_height


def svg_element(tag: str, kind: str, **attributes: float | str) -> str:
    """Return an empty element of a class; `marker_end` is written `marker-end`."""
    pairs = [
        f'{name.replace("_", "-")}="{value if isinstance(value, str) else svg_number(value)}"'
        for name, value in attributes.items()
    ]
    return f'<{tag} class="{kind}" {" ".join(pairs)}/>'


def svg_box(box: Box) -> str:
    """Return a state."""
    area, state = box.area, box.state
    inset = RING if state.is_exit else 0.0
    parts = [f'<g class="{"state exit" if state.is_exit else "state"}" data-state="{state.index}">']
    if state.is_exit:
        parts.append(svg_rectangle("ring", area, 12.0))
    inner = Rectangle(
        area.x + inset, area.y + inset, area.width - 2 * inset, area.height - 2 * inset
    )
    parts.append(svg_rectangle("box", inner, 12.0 - inset / 2))
    parts.append(svg_text("index", inner.x + 6, inner.y + 11, str(state.index)))
    heading = [each for each in box.lines if each.kind is not TextKind.PREDICATE]
    below = [each for each in box.lines if each.kind is TextKind.PREDICATE]
    rule = RULE if below else 0.0
    y = area.center.y - (sum(map(line_height, box.lines)) + rule) / 2
    parts += _lines(heading, area.center.x, y)
    if below:
        y += sum(map(line_height, heading)) + rule / 2
        ends = {"x1": inner.x + BOX_PADDING, "x2": inner.right - BOX_PADDING}
        parts.append(svg_element("line", "rule", **ends, y1=y, y2=y))
        parts += _lines(below, area.center.x, y + rule / 2)
    return "".join([*parts, "</g>"])


def svg_rectangle(kind: str, area: Rectangle, radius: float) -> str:
    """Return a rectangle with round corners."""
    size = {"width": area.width, "height": area.height}
    return svg_element("rect", kind, x=area.x, y=area.y, **size, rx=radius)


def svg_line(line: Line) -> str:
    """Return an edge, an entry or a blocked exit, without its labels."""
    kind = line.kind.value if line.bar is None else f"{line.kind.value} blocked"
    parts = [f'<g class="{kind}" data-line="{line.name}">']
    tip = "tip-loop" if line.kind is LineKind.LOOP else "tip"
    end = {} if line.kind is LineKind.EXIT else {"marker_end": f"url(#cepheid-{tip})"}
    parts.append(svg_element("path", "line", d=line.path, **end))
    if line.mark is not None:
        x, y = line.mark
        parts.append(svg_element("circle", "dot", cx=x, cy=y, r=3.2))
        if line.kind is LineKind.EXIT:
            parts.append(svg_element("circle", "goal", cx=x, cy=y, r=6.0))
    if line.bar is not None:
        (x, y), half = line.bar.place, BAR / 2 - 1
        turn = f"rotate({svg_number(line.bar.angle)} {svg_number(x)} {svg_number(y)})"
        parts.append(
            svg_element("line", "bar", x1=x, x2=x, y1=y - half, y2=y + half, transform=turn)
        )
    return "".join([*parts, "</g>"])


def svg_label(label: Label, name: str) -> str:
    """Return a label of the line with the name."""
    lines = _lines(label.lines, label.area.center.x, label.area.y)
    return "".join([f'<g class="label" data-label="{name}">', *lines, "</g>"])


def _lines(lines: Iterable[TextLine], x: float, y: float) -> Iterator[str]:
    for line in lines:
        baseline = y + line_height(line) / 2 + FONT_SIZE[line.kind] * 0.35
        yield svg_text(line.kind.value, x, baseline, line.text, anchor="middle")
        y += line_height(line)


def svg_text(kind: str, x: float, y: float, text: str, *, anchor: str = "start") -> str:
    """Return a line of text with its baseline at y."""
    place = f'x="{svg_number(x)}" y="{svg_number(y)}"'
    return f'<text class="{kind}" {place} text-anchor="{anchor}">{svg_escape(text)}</text>'


def svg_escape(text: str) -> str:
    """Return a text for use in an element; control characters are not allowed in XML."""
    printable = "".join(each if each.isprintable() else "\ufffd" for each in text)
    return escape(printable, {'"': "&quot;"})


def svg_number(value: float) -> str:
    """Return a coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")
