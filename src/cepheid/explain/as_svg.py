"""Explanation to a self-contained SVG picture of its automata."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from cepheid.explain.document import Explanation, Side
from cepheid.explain.draw_lines import draw
from cepheid.explain.drawing import Drawing
from cepheid.explain.measure_text import CHARACTER_WIDTH, text_width
from cepheid.explain.svg_document import svg_document
from cepheid.explain.svg_legend import legend_width, svg_legend
from cepheid.explain.svg_shapes import (
    svg_box,
    svg_label,
    svg_line,
    svg_number,
    svg_text,
)
from cepheid.explain.svg_style import CONDITION_SIZE, FACTS_SIZE, TITLE_SIZE

MARGIN = 28.0
MINIMUM_WIDTH, COMFORTABLE_WIDTH = 440.0, 860.0  # texts wider than the latter are wrapped
TITLE_LEADING, FACTS_LEADING, CONDITION_LEADING = 22.0, 18.0, 16.0
TITLE_GAP, SIDE_GAP, LEGEND_GAP = 28.0, 30.0, 44.0
SEPARATOR = "  ·  "


def as_svg(explanation: Explanation, captions: Sequence[str] = ()) -> str:
    """Return a picture: states from left to right, exits with a double ring, negations in red.

    Every side has its caption; if there are none, AND stands between two.
    """
    drawings = [draw(each) for each in explanation.sides]
    width = _inner_width(explanation, drawings)
    header, y = _header(explanation, width)
    parts = [header]
    left = MARGIN + (width - max(each.width for each in drawings)) / 2
    for number, (side, drawing) in enumerate(zip(explanation.sides, drawings, strict=True)):
        if number:
            y += SIDE_GAP
        if number or captions:
            parts.append(svg_text("caption", left, y, captions[number] if captions else "AND"))
            y += TITLE_GAP
        parts.append(_place(drawing, left, y))
        y += drawing.height
        for condition in _conditions(side, width):
            y += CONDITION_LEADING
            parts.append(svg_text("condition", MARGIN, y + 8, condition))
    y += LEGEND_GAP
    legend, legend_height = svg_legend(explanation, MARGIN, y, width)
    parts.append(legend)
    return svg_document(
        parts,
        title=explanation.pattern,
        width=width + 2 * MARGIN,
        height=y + legend_height + MARGIN - 8,
    )


def _inner_width(explanation: Explanation, drawings: Iterable[Drawing]) -> float:
    """Return the width of the drawings, or more for the sake of the texts around them."""
    title = text_width(explanation.pattern, TITLE_SIZE)
    facts = text_width(SEPARATOR.join(explanation.facts), FACTS_SIZE)
    texts = min(COMFORTABLE_WIDTH, max(legend_width(explanation), title, facts) + 1)
    return max(MINIMUM_WIDTH, texts, *(each.width for each in drawings))


def _header(explanation: Explanation, width: float) -> tuple[str, float]:
    """Return pattern, strategy, window and partition, and the y below them."""
    parts = []
    y = MARGIN
    for line in _wrapped(explanation.pattern, TITLE_SIZE, width):
        y += TITLE_LEADING
        parts.append(svg_text("title", MARGIN, y - 6, line))
    for line in _packed(explanation.facts, FACTS_SIZE, width):
        y += FACTS_LEADING
        parts.append(svg_text("facts", MARGIN, y - 4, line))
    return "\n".join(parts), y + TITLE_GAP


def _conditions(side: Side, width: float) -> Iterator[str]:
    """Yield the conditions of negated parts, which are too long to stand at their bars."""
    for negation in side.negations:
        for condition in negation.conditions:
            yield from _wrapped(f"¬ {negation.text} where {condition}", CONDITION_SIZE, width)


def _place(drawing: Drawing, x: float, y: float) -> str:
    """Lines lie under boxes, boxes under labels."""
    content = [
        f'<g class="side" transform="translate({svg_number(x)} {svg_number(y)})">',
        *map(svg_line, drawing.lines),
        *map(svg_box, drawing.boxes),
        *(svg_label(label, line.name) for line in drawing.lines for label in line.labels),
        "</g>",
    ]
    return "\n".join(content)


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
