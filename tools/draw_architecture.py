"""Draw which folder of `src/cepheid` hands what to which: the picture of ARCHITECTURE.md."""

from __future__ import annotations

from collections.abc import Iterator

from cepheid.explain.drawing import Rectangle
from cepheid.explain.svg_document import svg_document
from cepheid.explain.svg_shapes import svg_element, svg_rectangle, svg_text

MARGIN, WIDE, HIGH, ACROSS, DOWN = 24.0, 88.0, 34.0, 116.0, 74.0
BESIDE = 18.0  # from the middle of a folder that two arrows come to
# Columns and rows: the stages from left to right, who brings events above, what is drawn below.
FOLDERS = {
    "spark": (4, 0), "stream": (5, 0),
    "runners": (4, 1),
    "language": (1, 2), "analysis": (2, 2), "plan": (3, 2), "program": (4, 2), "engine": (5, 2),
    "explain": (3, 3), "kernels": (5, 3), "plot": (6, 3),
}  # fmt: skip
THINGS = {
    "query text": (0, 2), "events": (2, 1), "table": (6, 2),
    "EXPLAIN": (3, 4), "SVG, HTML": (6, 4),
}  # fmt: skip
PLACES = FOLDERS | THINGS
STRAIGHT = (
    ("query text", "language"), ("language", "analysis"), ("analysis", "plan"),
    ("plan", "program"), ("program", "engine"), ("engine", "table"),
    ("events", "runners"), ("runners", "spark"), ("spark", "stream"),
    ("plan", "explain"), ("explain", "EXPLAIN"),
    ("engine", "kernels"), ("table", "plot"), ("plot", "SVG, HTML"), ("events", "analysis"),
)  # fmt: skip
WORDS = {("engine", "kernels"): "arrays", ("events", "analysis"): "schema"}
TITLE = "What goes through the folders of src/cepheid"


def architecture() -> str:
    """Folders as boxes with a filled ground, what users give and get without."""
    parts = [*_arrows()]
    for name in PLACES:
        is_folder = name in FOLDERS
        area = _area(name)
        parts.append(svg_rectangle("box" if is_folder else "ring", area, 6 if is_folder else 17))
        kind = "name" if is_folder else "types"
        parts.append(svg_text(kind, area.center.x, area.center.y + 5, name, anchor="middle"))
    right, below = max(x for x, _ in PLACES.values()), max(y for _, y in PLACES.values())
    return svg_document(
        parts,
        title=TITLE,
        width=2 * MARGIN + right * ACROSS + WIDE,
        height=2 * MARGIN + below * DOWN + HIGH,
    )


def _area(name: str) -> Rectangle:
    column, row = PLACES[name]
    return Rectangle(MARGIN + column * ACROSS, MARGIN + row * DOWN, WIDE, HIGH)


def _arrows() -> Iterator[str]:
    for giver, taker in STRAIGHT:
        begin, end = _area(giver), _area(taker)
        if begin.y == end.y:
            path = f"M{begin.right:g} {begin.center.y:g}H{end.x:g}"
        else:
            is_down = begin.y < end.y
            tail, tip = (begin.bottom, end.y) if is_down else (begin.y, end.bottom)
            path = f"M{begin.center.x:g} {tail:g}V{tip:g}"
            if words := WORDS.get((giver, taker)):
                yield svg_text("legend", begin.center.x + 7, (tail + tip) / 2 + 4, words)
        yield _arrow(path, is_dashed=(giver, taker) == ("events", "analysis"))
    runners, stream, engine = map(_area, ("runners", "stream", "engine"))
    left, right = engine.center.x - BESIDE, engine.center.x + BESIDE
    yield _arrow(f"M{runners.right:g} {runners.center.y:g}H{left:g}V{engine.y:g}")
    yield _arrow(f"M{right:g} {stream.bottom:g}V{engine.y:g}")


def _arrow(path: str, *, is_dashed: bool = False) -> str:
    line = svg_element("path", "line", d=path, marker_end="url(#cepheid-tip)")
    return f'<g class="blocked">{line}</g>' if is_dashed else line
