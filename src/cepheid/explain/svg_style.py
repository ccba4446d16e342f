"""Colours, sizes and arrow heads of the picture; it brings its own paper for dark pages."""

from cepheid.explain.measure_text import FONT_SIZE

TITLE_SIZE, FACTS_SIZE, CONDITION_SIZE, LEGEND_SIZE = 16.0, 12.0, 11.0, 11.0

COLOURS = """
.cepheid text{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#1f2937}
.cepheid .paper{fill:#fcfcfd;stroke:#d8dce5}
.cepheid .title,.cepheid .caption,.cepheid .name,.cepheid .negation{font-weight:700}
.cepheid .facts,.cepheid .caption,.cepheid .types,.cepheid text.legend{fill:#5b6475}
.cepheid .predicate{fill:#374151}
.cepheid .negation,.cepheid .condition{fill:#c02b37}
.cepheid .box{fill:#eef2fc;stroke:#44558f;stroke-width:1.6}
.cepheid .ring{fill:#fcfcfd;stroke:#44558f;stroke-width:1.6}
.cepheid .rule{stroke:#b9c3e0;stroke-width:1}
.cepheid .index{fill:#7c86a3}
.cepheid .line{fill:none;stroke:#4b5563;stroke-width:1.6}
.cepheid .loop .line{stroke:#0b7a75;stroke-width:1.8}
.cepheid .blocked .line{stroke-dasharray:5 4}
.cepheid .dot,.cepheid .tip{fill:#4b5563}
.cepheid .tip-loop{fill:#0b7a75}
.cepheid .goal{fill:none;stroke:#4b5563;stroke-width:1.4}
.cepheid .bar{stroke:#c02b37;stroke-width:3.4;stroke-linecap:round}
.cepheid .label text{paint-order:stroke;stroke:#fcfcfd;stroke-width:4px;stroke-linejoin:round}
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
STYLE = "\n".join(
    [COLOURS, *(f".cepheid text.{name}{{font-size:{size:g}px}}" for name, size in SIZES.items())]
)

MARKERS = "".join(
    f'<marker id="cepheid-{name}" viewBox="0 0 10 10" refX="9.4" refY="5" markerWidth="9" '
    f'markerHeight="9" markerUnits="userSpaceOnUse" orient="auto">'
    f'<path class="{name}" d="M0 0.8 L10 5 L0 9.2 L2.6 5 Z"/></marker>'
    for name in ("tip", "tip-loop")
)
