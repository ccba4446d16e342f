"""Colours, sizes and arrow heads of the picture, on the paper that the reader prefers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cepheid.explain.measure_text import FONT_SIZE

TITLE_SIZE, FACTS_SIZE, CONDITION_SIZE, LEGEND_SIZE = 16.0, 12.0, 11.0, 11.0

LIGHT = {
    "ink": "#1f2937",
    "paper": "#fcfcfd",
    "edge": "#d8dce5",
    "muted": "#5b6475",
    "text": "#374151",
    "no": "#c02b37",
    "box": "#eef2fc",
    "frame": "#44558f",
    "rule": "#b9c3e0",
    "index": "#7c86a3",
    "line": "#4b5563",
    "loop": "#0b7a75",
    "lane": "#f3f5fa",
    "grid": "#dfe3ee",
    "shared": "#0b7a75",
    "partly": "#d98a1f",
    "apart": "#8a93a8",
}
DARK = {
    "ink": "#e6e9f0",
    "paper": "#14171f",
    "edge": "#2c3447",
    "muted": "#9aa4b8",
    "text": "#cbd2e0",
    "no": "#ff6b6b",
    "box": "#1c2130",
    "frame": "#8ea3e0",
    "rule": "#3a4560",
    "index": "#8a94ad",
    "line": "#9aa4b8",
    "loop": "#3fc7bf",
    "lane": "#1c2130",
    "grid": "#2c3447",
    "shared": "#3fc7bf",
    "partly": "#e0a048",
    "apart": "#7d879c",
}
RULES = """
.cepheid text{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:$ink}
.cepheid .paper{fill:$paper;stroke:$edge}
.cepheid .title,.cepheid .caption,.cepheid .name,.cepheid .negation{font-weight:700}
.cepheid .facts,.cepheid .caption,.cepheid .types,.cepheid text.legend{fill:$muted}
.cepheid .predicate{fill:$text}
.cepheid .negation,.cepheid .condition{fill:$no}
.cepheid .box{fill:$box;stroke:$frame;stroke-width:1.6}
.cepheid .ring{fill:$paper;stroke:$frame;stroke-width:1.6}
.cepheid .rule{stroke:$rule;stroke-width:1}
.cepheid .index{fill:$index}
.cepheid .line{fill:none;stroke:$line;stroke-width:1.6}
.cepheid .loop .line{stroke:$loop;stroke-width:1.8}
.cepheid .blocked .line{stroke-dasharray:5 4}
.cepheid .dot,.cepheid .tip{fill:$line}
.cepheid .tip-loop{fill:$loop}
.cepheid .goal{fill:none;stroke:$line;stroke-width:1.4}
.cepheid .bar{stroke:$no;stroke-width:3.4;stroke-linecap:round}
.cepheid .label text{paint-order:stroke;stroke:$paper;stroke-width:4px;stroke-linejoin:round}
""".strip()

SIZES = {
    "title": TITLE_SIZE,
    "facts": FACTS_SIZE,
    "caption": FACTS_SIZE,
    "condition": CONDITION_SIZE,
    "legend": LEGEND_SIZE,
    "index": 9.0,
    **{kind.value: size for kind, size in FONT_SIZE.items()},
}
COLOUR = re.compile(r"\$(\w+)")

MARKERS = "".join(
    f'<marker id="cepheid-{name}" viewBox="0 0 10 10" refX="9.4" refY="5" markerWidth="9" '
    f'markerHeight="9" markerUnits="userSpaceOnUse" orient="auto">'
    f'<path class="{name}" d="M0 0.8 L10 5 L0 9.2 L2.6 5 Z"/></marker>'
    for name in ("tip", "tip-loop")
)


def drawing_style(more_rules: str = "") -> str:
    """Return the style of a picture by itself."""
    sizes = (f".cepheid text.{name}{{font-size:{size:g}px}}" for name, size in SIZES.items())
    return in_two_schemes("\n".join([RULES, *sizes]) + more_rules, LIGHT, DARK)


def in_two_schemes(rules: str, light: Mapping[str, str], dark: Mapping[str, str]) -> str:
    """Return rules with the colours that they name, by what the reader prefers."""
    of_colours = "\n".join(each for each in rules.splitlines() if "$" in each)
    day, night = _coloured(rules, light), _coloured(of_colours, dark)
    return f"{day}\n@media (prefers-color-scheme:dark){{\n{night}\n}}"


def _coloured(rules: str, colours: Mapping[str, str]) -> str:
    return COLOUR.sub(lambda found: colours[found[1]], rules)
