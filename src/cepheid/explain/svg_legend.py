"""What the signs in the picture mean."""

from __future__ import annotations

from collections.abc import Iterator

from cepheid.explain.document import Explanation
from cepheid.explain.drawing import Rectangle
from cepheid.explain.measure_text import text_width
from cepheid.explain.svg_shapes import svg_element, svg_rectangle, svg_text
from cepheid.explain.svg_style import LEGEND_SIZE

SIGN, SPACE = 36.0, 24.0


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


def legend_width(explanation: Explanation) -> float:
    """Return the width of the legend on one line."""
    return sum(_advance(text) for _, text in _signs(explanation)) - SPACE


def _advance(text: str) -> float:
    return SIGN + text_width(text, LEGEND_SIZE) + SPACE


def svg_legend(explanation: Explanation, x: float, y: float, width: float) -> tuple[str, float]:
    """Return the legend and its height."""
    left, top = x, y
    parts = [
        '<g class="legend">',
        svg_element("line", "rule", x1=left, x2=left + width, y1=y - 20, y2=y - 20),
    ]
    for sign, text in _signs(explanation):
        if x > left and x + _advance(text) > left + width + SPACE:
            x, top = left, top + 20
        parts.append(_sign(sign, x + 4, top))
        parts.append(svg_text("legend", x + SIGN, top + 4, text))
        x += _advance(text)
    return "".join([*parts, "</g>"]), top - y + 8


def _sign(sign: str, x: float, y: float) -> str:
    tip = "tip-loop" if sign == "loop" else "tip"
    end = f"url(#cepheid-{tip})"
    line = svg_element("line", "line", x1=x, y1=y, x2=x + 26, y2=y, marker_end=end)
    match sign:
        case "entry":
            return line + svg_element("circle", "dot", cx=x, cy=y, r=3.2)
        case "exit":
            outer, inner = Rectangle(x, y - 8, 26, 16), Rectangle(x + 3, y - 5, 20, 10)
            return svg_rectangle("ring", outer, 5) + svg_rectangle("box", inner, 3)
        case "loop":
            return f'<g class="loop">{line}</g>'
        case _:
            bar = svg_element("line", "bar", x1=x + 12, x2=x + 12, y1=y - 7, y2=y + 7)
            return f'<g class="blocked">{line}</g>{bar}'
