"""Explanation to a self-contained SVG picture of its automata."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

from cepheid.explain.dimensions import BAR, BOX_PADDING, RING, RULE
from cepheid.explain.document import Explanation, Side
from cepheid.explain.draw_lines import draw
from cepheid.explain.drawing import Box, Drawing, Label, Line, LineKind, TextKind, TextLine
from cepheid.explain.measure_text import (
    CHARACTER_WIDTH,
    FONT_SIZE,
    LINE_HEIGHT,
    line_height,
    text_width,
)

MARGIN = 28.0
MINIMUM_WIDTH, COMFORTABLE_WIDTH = 440.0, 860.0  # text beyond the latter is wrapped
TITLE_SIZE, FACTS_SIZE, NOTE_SIZE = 16.0, 12.0, 11.0
TITLE_GAP, SIDE_GAP, LEGEND_GAP = 28.0, 30.0, 44.0
SEPARATOR = "  ·  "

STYLE = """
.cepheid text{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#1f2937}
.cepheid .paper{fill:#fcfcfd;stroke:#d8dce5}
.cepheid .title{font-size:16px;font-weight:700}
.cepheid .facts{font-size:12px;fill:#5b6475}
.cepheid .caption{font-size:12px;fill:#5b6475;font-weight:700}
.cepheid .legend text{font-size:11px;fill:#5b6475}
.cepheid .condition{font-size:11px;fill:#c02b37}
.cepheid .box{fill:#eef2fc;stroke:#44558f;stroke-width:1.6}
.cepheid .ring{fill:#fcfcfd;stroke:#44558f;stroke-width:1.6}
.cepheid .rule{stroke:#b9c3e0;stroke-width:1}
.cepheid .index{font-size:9px;fill:#7c86a3}
.cepheid .line{fill:none;stroke:#4b5563;stroke-width:1.6}
.cepheid .loop .line{stroke:#0b7a75;stroke-width:1.8}
.cepheid .blocked .line{stroke-dasharray:5 4}
.cepheid .dot{fill:#4b5563}
.cepheid .goal{fill:none;stroke:#4b5563;stroke-width:1.4}
.cepheid .bar{stroke:#c02b37;stroke-width:3.4;stroke-linecap:round}
.cepheid .label text{paint-order:stroke;stroke:#fcfcfd;stroke-width:4px;stroke-linejoin:round}
.cepheid text.name{font-size:15px;font-weight:700}
.cepheid text.types{font-size:12px;fill:#5b6475}
.cepheid text.predicate{font-size:11px;fill:#374151}
.cepheid text.negation{font-size:12px;fill:#c02b37;font-weight:700}
.cepheid .tip{fill:#4b5563}
.cepheid .tip-loop{fill:#0b7a75}
""".strip()

MARKERS = "".join(
    f'<marker id="cepheid-{name}" viewBox="0 0 10 10" refX="9.4" refY="5" markerWidth="9" '
    f'markerHeight="9" markerUnits="userSpaceOnUse" orient="auto">'
    f'<path class="{name}" d="M0 0.8 L10 5 L0 9.2 L2.6 5 Z"/></marker>'
    for name in ("tip", "tip-loop")
)


def as_svg(explanation: Explanation) -> str:
    """Return a picture: states from left to right, exits with a double ring, negations in red."""
    drawings = [draw(each) for each in explanation.sides]
    inner = _inner_width(explanation, drawings)
    parts: list[str] = []
    y = MARGIN
    for line in _wrapped(explanation.pattern, TITLE_SIZE, inner):
        y += TITLE_SIZE * LINE_HEIGHT
        parts.append(_text("title", MARGIN, y - 6, line))
    for line in _packed(explanation.facts, FACTS_SIZE, inner):
        y += FACTS_SIZE * 1.5
        parts.append(_text("facts", MARGIN, y - 4, line))
    y += TITLE_GAP
    for number, (side, drawing) in enumerate(zip(explanation.sides, drawings, strict=True)):
        if number:
            y += SIDE_GAP
            parts.append(_text("caption", MARGIN, y, "AND"))
            y += TITLE_GAP
        parts.append(_place(drawing, MARGIN, y))
        y += drawing.height
        for note in _notes(side, inner):
            y += NOTE_SIZE * 1.5
            parts.append(_text("condition", MARGIN, y + 8, note))
    y += LEGEND_GAP
    legend, legend_height = _legend(explanation, y, inner)
    parts.append(legend)
    return _document(parts, explanation, inner + 2 * MARGIN, y + legend_height + MARGIN - 8)


def _inner_width(explanation: Explanation, drawings: Iterable[Drawing]) -> float:
    """Return the width of the drawings, or more for the sake of the texts around them."""
    legend = sum(_legend_advance(text) for _, text in _signs(explanation))
    title = text_width(explanation.pattern, TITLE_SIZE)
    facts = text_width(SEPARATOR.join(explanation.facts), FACTS_SIZE)
    texts = min(COMFORTABLE_WIDTH, max(legend, title + 1, facts + 1))
    return max(MINIMUM_WIDTH, texts, *(each.width for each in drawings))


def _document(parts: Iterable[str], explanation: Explanation, width: float, height: float) -> str:
    size = f'width="{_number(width)}" height="{_number(height)}"'
    view = f'viewBox="0 0 {_number(width)} {_number(height)}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="cepheid" role="img" {size} {view}>',
        f"<title>{_escape(explanation.pattern)}</title>",
        f"<style>{STYLE}</style>",
        f"<defs>{MARKERS}</defs>",
        f'<rect class="paper" x="0.5" y="0.5" width="{_number(width - 1)}" '
        f'height="{_number(height - 1)}" rx="10"/>',
        *parts,
        "</svg>",
    ]
    return "\n".join(lines)


def _notes(side: Side, width: float) -> Iterator[str]:
    """Yield the conditions of negated parts, which are too long to stand at their bars."""
    for negation in side.negations:
        for condition in negation.conditions:
            yield from _wrapped(f"¬ {negation.text} where {condition}", NOTE_SIZE, width)


def _place(drawing: Drawing, x: float, y: float) -> str:
    """Lines lie under boxes, boxes under labels."""
    content = [
        f'<g class="side" transform="translate({_number(x)} {_number(y)})">',
        *map(_line, drawing.lines),
        *map(_box, drawing.boxes),
        *(_label(label, line.name) for line in drawing.lines for label in line.labels),
        "</g>",
    ]
    return "\n".join(content)


# --- boxes, lines, labels -----------------------------------------------------------------------


def _box(box: Box) -> str:
    area, state = box.area, box.state
    kind = "state exit" if state.is_exit else "state"
    parts = [f'<g class="{kind}" data-state="{state.index}">']
    inset = 0.0
    if state.is_exit:
        parts.append(_rectangle("ring", box, 0.0))
        inset = RING
    parts.append(_rectangle("box", box, inset))
    parts.append(_text("index", area.x + inset + 6, area.y + inset + 11, str(state.index)))
    heading = [each for each in box.lines if each.kind is not TextKind.PREDICATE]
    below = [each for each in box.lines if each.kind is TextKind.PREDICATE]
    rule = RULE if below else 0.0
    y = area.center.y - (sum(map(line_height, box.lines)) + rule) / 2
    parts += _lines(heading, area.center.x, y)
    if below:
        y += sum(map(line_height, heading)) + rule / 2
        left, right = area.x + inset + BOX_PADDING, area.right - inset - BOX_PADDING
        parts.append(
            f'<line class="rule" x1="{_number(left)}" x2="{_number(right)}" '
            f'y1="{_number(y)}" y2="{_number(y)}"/>'
        )
        parts += _lines(below, area.center.x, y + rule / 2)
    return "".join([*parts, "</g>"])


def _rectangle(kind: str, box: Box, inset: float) -> str:
    area = box.area
    return (
        f'<rect class="{kind}" x="{_number(area.x + inset)}" y="{_number(area.y + inset)}" '
        f'width="{_number(area.width - 2 * inset)}" height="{_number(area.height - 2 * inset)}" '
        f'rx="{_number(12 - inset / 2)}"/>'
    )


def _line(line: Line) -> str:
    blocked = " blocked" if line.bar is not None else ""
    tip = "tip-loop" if line.kind is LineKind.LOOP else "tip"
    start_x, start_y, end_x, end_y = _ends(line.path)
    parts = [f'<g class="{line.kind.value}{blocked}" data-line="{line.name}">']
    marker = "" if line.kind is LineKind.EXIT else f' marker-end="url(#cepheid-{tip})"'
    parts.append(f'<path class="line" d="{line.path}"{marker}/>')
    if line.kind is LineKind.ENTRY:
        parts.append(f'<circle class="dot" cx="{start_x}" cy="{start_y}" r="3.5"/>')
    if line.kind is LineKind.EXIT:
        parts.append(f'<circle class="dot" cx="{end_x}" cy="{end_y}" r="3"/>')
        parts.append(f'<circle class="goal" cx="{end_x}" cy="{end_y}" r="6"/>')
    if line.bar is not None:
        place, half = line.bar.place, BAR / 2 - 1
        parts.append(
            f'<line class="bar" x1="{_number(place.x)}" x2="{_number(place.x)}" '
            f'y1="{_number(place.y - half)}" y2="{_number(place.y + half)}" '
            f'transform="rotate({_number(line.bar.angle)} {_number(place.x)} {_number(place.y)})"/>'
        )
    return "".join([*parts, "</g>"])


def _ends(path: str) -> tuple[str, str, str, str]:
    numbers = path.translate(str.maketrans("MLQCH", "     ")).split()
    return numbers[0], numbers[1], numbers[-2], numbers[-1]


def _label(label: Label, name: str) -> str:
    lines = _lines(label.lines, label.area.center.x, label.area.y)
    return "".join([f'<g class="label" data-label="{name}">', *lines, "</g>"])


def _lines(lines: Iterable[TextLine], x: float, y: float) -> Iterator[str]:
    for line in lines:
        baseline = y + line_height(line) / 2 + FONT_SIZE[line.kind] * 0.35
        yield _text(line.kind.value, x, baseline, line.text, anchor="middle")
        y += line_height(line)


# --- legend -------------------------------------------------------------------------------------


def _signs(explanation: Explanation) -> Iterator[tuple[str, str]]:
    """Yield the signs that occur and what they mean."""
    states = [state for side in explanation.sides for state in side.states]
    edges = [edge for side in explanation.sides for edge in side.edges]
    yield "entry", "a match can start"
    yield "exit", "a match can end"
    if any(edge.is_loop for edge in edges):
        yield "loop", "another repetition"
    negations = [edge.negation for edge in edges]
    negations += [each for one in states for each in (one.entry_negation, one.exit_negation)]
    if any(each is not None for each in negations):
        yield "blocked", "only if this does not occur"


def _legend_advance(text: str) -> float:
    return 36 + text_width(text, NOTE_SIZE) + 24


def _legend(explanation: Explanation, y: float, width: float) -> tuple[str, float]:
    """Return the legend and its height."""
    rule = f'x1="{_number(MARGIN)}" x2="{_number(MARGIN + width)}" y1="{y - 20}" y2="{y - 20}"'
    parts = [f'<g class="legend"><line class="rule" {rule}/>']
    x, top = MARGIN, y
    for sign, text in _signs(explanation):
        if x > MARGIN and x + _legend_advance(text) > MARGIN + width + 24:
            x, top = MARGIN, top + 20
        parts.append(_sign(sign, x + 4, top))
        parts.append(_text("legend", x + 36, top + 4, text))
        x += _legend_advance(text)
    return "".join([*parts, "</g>"]), top - y + 8


def _sign(sign: str, x: float, y: float) -> str:
    ends = f'x1="{_number(x)}" y1="{_number(y)}" x2="{_number(x + 26)}" y2="{_number(y)}"'
    tip = "tip-loop" if sign == "loop" else "tip"
    line = f'<line class="line" {ends} marker-end="url(#cepheid-{tip})"/>'
    match sign:
        case "entry":
            dot = f'<circle class="dot" cx="{_number(x)}" cy="{_number(y)}" r="3.5"/>'
            return line + dot
        case "exit":
            outer = f'x="{_number(x)}" y="{_number(y - 8)}" width="26" height="16" rx="5"'
            inner = f'x="{_number(x + 3)}" y="{_number(y - 5)}" width="20" height="10" rx="3"'
            return f'<rect class="ring" {outer}/><rect class="box" {inner}/>'
        case "loop":
            return f'<g class="loop">{line}</g>'
        case _:
            middle = _number(x + 12)
            bar = f'x1="{middle}" x2="{middle}" y1="{_number(y - 7)}" y2="{_number(y + 7)}"'
            return f'<g class="blocked">{line}</g><line class="bar" {bar}/>'


# --- text ---------------------------------------------------------------------------------------


def _text(kind: str, x: float, y: float, text: str, *, anchor: str = "start") -> str:
    place = f'x="{_number(x)}" y="{_number(y)}"'
    return f'<text class="{kind}" {place} text-anchor="{anchor}">{_escape(text)}</text>'


def _wrapped(text: str, font_size: float, width: float) -> list[str]:
    characters = int(width / (font_size * CHARACTER_WIDTH))
    return textwrap.wrap(text, characters, break_on_hyphens=False)


def _packed(facts: Iterable[str], font_size: float, width: float) -> list[str]:
    """Fill lines with as many facts as fit; only a fact that is too long by itself is broken."""
    lines: list[str] = []
    for fact in facts:
        joined = SEPARATOR.join([lines[-1], fact]) if lines else fact
        if text_width(joined, font_size) <= width:
            lines[-1:] = [joined]
        else:
            lines += _wrapped(fact, font_size, width)
    return lines


def _escape(text: str) -> str:
    return escape(text, {'"': "&quot;"})


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
