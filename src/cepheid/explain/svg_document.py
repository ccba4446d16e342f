"""A picture as a document of its own: size, style, paper."""

from __future__ import annotations

from collections.abc import Iterable

from cepheid.explain.svg_shapes import svg_escape, svg_number
from cepheid.explain.svg_style import MARKERS, drawing_style


def svg_document(
    parts: Iterable[str], *, title: str, width: float, height: float, more_style: str = ""
) -> str:
    """Return elements on paper, with the style that they need."""
    size = f'width="{svg_number(width)}" height="{svg_number(height)}"'
    view = f'viewBox="0 0 {svg_number(width)} {svg_number(height)}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="cepheid" role="img" {size} {view}>',
        f"<title>{svg_escape(title)}</title>",
        f"<style>{drawing_style(more_style)}</style>",
        f"<defs>{MARKERS}</defs>",
        f'<rect class="paper" x="0.5" y="0.5" width="{svg_number(width - 1)}" '
        f'height="{svg_number(height - 1)}" rx="10"/>',
        *parts,
        "</svg>",
    ]
    return "\n".join(lines)
