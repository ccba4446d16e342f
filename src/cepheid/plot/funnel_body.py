"""A funnel as SVG elements: a bar for each step, and what was lost on the way to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cepheid.explain.duration import long_duration
from cepheid.explain.svg_shapes import svg_element, svg_escape, svg_number, svg_text
from cepheid.plot.body import LABEL, MARGIN, PLOT, WIDTH, Body, fitted, title_text

BAR, STEP = 22.0, 58.0
WHOLE = LABEL + PLOT - 130.0  # the length of the first bar; a number stands behind it


def funnel_body(title: str, note: str, steps: Sequence[dict[str, Any]]) -> Body:
    """Return a bar for each step; `steps` are the rows of the conversion table."""
    parts = [
        title_text(title),
        svg_text("note", MARGIN, MARGIN + 24, note),
    ]
    y, before, keys_before = MARGIN + 52, 0.0, 0
    parts.append('<g class="part bars">')
    for row in steps:
        share = row["of_first"] or 0.0
        length = max(1.0, share * WHOLE)
        name = f"{row['step']}. {row['name']}"
        parts.append(svg_text("row", MARGIN, y, fitted(name, 460.0, 12.0)))
        parts.append(svg_text("note", WIDTH - MARGIN, y, _aside(row, keys_before), anchor="end"))
        if before > length:
            lost = {"x": MARGIN + length, "width": before - length, "y": y + 8, "height": BAR}
            parts.append(svg_element("rect", "bar", opacity=0.35, **lost))
        parts.append(
            f'<rect class="column k0" x="{svg_number(MARGIN)}" y="{svg_number(y + 8)}" '
            f'width="{svg_number(length)}" height="{svg_number(BAR)}" rx="2">'
            f"<title>{svg_escape(f'{name}: {_reached(row)}')}</title></rect>"
        )
        at = MARGIN + max(length, before) + 8
        parts.append(svg_text("tick", at, y + 8 + BAR - 7, _reached(row)))
        y, before, keys_before = y + STEP, length, row["keys"]
    parts.append("</g>")
    listed = "; ".join(f"{row['name']}: {_reached(row)}" for row in steps)
    return Body(tuple(parts), y - STEP + BAR + 30, f"{title}: {listed}.")


def _reached(row: dict[str, Any]) -> str:
    share = "" if row["of_first"] is None else f" ({row['of_first'] * 100:.1f} %)"
    return f"{row['keys']:,}{share}"


def _aside(row: dict[str, Any], keys_before: int) -> str:
    """Say how many of the step before got here, and how long that took."""
    if row["of_previous"] is None:
        return ""
    lost = keys_before - row["keys"]
    words = f"{row['of_previous'] * 100:.1f} % of the step before ({lost:,} dropped)"
    seconds = row["median_seconds"]
    return words if seconds is None else f"{words}, after {long_duration(seconds)} (median)"
