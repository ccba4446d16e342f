"""The style of pictures, for a document of their own or for a page."""

from __future__ import annotations

from cepheid.explain.svg_style import COLOUR, in_two_schemes
from cepheid.plot.palette import DARK, LIGHT, LIGHT_KINDS

FONT = "system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif"
KINDS = "\n".join(
    f".cepheid-plot .k{place}{{fill:$kind{place};stroke:$kind{place}}}"
    for place, _ in enumerate(LIGHT_KINDS)
)
RULES = f"""
.cepheid-plot text{{font-family:{FONT};font-size:11px;fill:$ink;stroke:none}}
.cepheid-plot .paper{{fill:$paper}}
.cepheid-plot text.title{{font-size:16px;font-weight:600}}
.cepheid-plot text.row{{font-size:12px;font-weight:600}}
.cepheid-plot text.note,.cepheid-plot text.tick{{fill:$muted}}
.cepheid-plot .lane{{fill:$lane}}
.cepheid-plot .grid{{stroke:$grid;stroke-width:1}}
{KINDS}
.cepheid-plot .other{{fill:$other;stroke:$other}}
.cepheid-plot .mark{{stroke:$lane;stroke-width:.8}}
.cepheid-plot .event{{stroke:$lane;stroke-width:1.4}}
.cepheid-plot .mark.no{{fill:none;stroke:$no;stroke-width:2.2;stroke-linecap:round}}
.cepheid-plot .mark.faint{{opacity:.45}}
.cepheid-plot .mark.close:not(.no){{stroke-width:0}}
.cepheid-plot .mark.close:not(.faint){{fill-opacity:.6}}
.cepheid-plot .column{{stroke:none}}
.cepheid-plot .column.on{{stroke:$ink;stroke-width:1.6}}
.cepheid-plot .column.no{{fill:$no}}
.cepheid-plot .found{{fill:$bar;stroke:none}}
.cepheid-plot .bar{{fill:$bar;stroke:none}}
.cepheid-plot .room{{stroke:$bar;stroke-width:1.2;stroke-dasharray:1.5 3}}
.cepheid-plot .under{{stroke:$lane;stroke-width:3}}
.cepheid-plot .gap{{stroke:$no;stroke-width:2;stroke-dasharray:4 3}}
.cepheid-plot .values{{fill:none;stroke:$other;stroke-width:1.5}}
.cepheid-plot .dot{{stroke:$lane;stroke-width:.6}}
.cepheid-plot .line{{fill:none;stroke-width:1.8}}
.cepheid-plot .hit{{fill:transparent;stroke:none}}
.cepheid-plot .picked :is(.mark,.dot):not(.on),.cepheid-plot .picked .match:not(.on){{opacity:.2}}
.cepheid-plot .match.on .bar{{fill:$accent}}
.cepheid-plot :is(.mark,.dot).on{{stroke:$ink;stroke-width:1.6}}
""".strip()


def picture_style() -> str:
    """Return the style of a picture by itself, with colours by what the reader prefers."""
    return in_two_schemes(RULES, LIGHT, DARK)


def page_style(rules: str) -> str:
    """Return rules for a page, with colours as variables, and the variables.

    Jupyter and Visual Studio Code have themes of their own, which win over what the reader prefers.
    """
    rules = COLOUR.sub(r"var(--cepheid-\1)", f"{RULES}\n{rules}")
    light, dark = _variables(LIGHT, "light"), _variables(DARK, "dark")
    page = ".cepheid-page"
    themes = [
        f"{page}{{{light}}}",
        f"@media (prefers-color-scheme:dark){{{page}{{{dark}}}}}",
        f'[data-jp-theme-light="true"] {page},.vscode-light {page}{{{light}}}',
        f'[data-jp-theme-light="false"] {page},.vscode-dark {page}{{{dark}}}',
    ]
    return "\n".join([*themes, rules])


def _variables(colours: dict[str, str], scheme: str) -> str:
    return f"color-scheme:{scheme};" + "".join(
        f"--cepheid-{name}:{value};" for name, value in colours.items()
    )
