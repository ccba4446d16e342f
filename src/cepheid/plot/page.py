"""Plots as HTML: a whole page, or a piece for a notebook."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path

from cepheid.explain.as_svg import as_svg
from cepheid.explain.document import Explanation
from cepheid.plot.body import Body, stacked
from cepheid.plot.colour_query import colour_query
from cepheid.plot.rows_table import rows_table
from cepheid.plot.section import Section, heading_of
from cepheid.plot.style import page_style, picture_style

TOOLS = (
    '<div class="tools" role="toolbar" aria-label="zoom and move">'
    '<button type="button" value="0.5" aria-label="zoom in" title="zoom in (+)">+</button>'
    '<button type="button" value="2" aria-label="zoom out" title="zoom out (-)">&minus;</button>'
    '<button type="button" name="move" value="-0.25" aria-label="earlier" '
    'title="earlier (Shift and ←)">←</button>'
    '<button type="button" name="move" value="0.25" aria-label="later" '
    'title="later (Shift and →)">→</button>'
    '<button type="button" value="0" title="show everything (0)">all</button></div>'
)
ACROSS, ALONG = "<kbd>↑</kbd> <kbd>↓</kbd>", "<kbd>←</kbd> <kbd>→</kbd>"
MOVE = (
    f"<kbd>+</kbd> <kbd>&minus;</kbd> zoom, <kbd>Shift</kbd> {ALONG} move, <kbd>0</kbd> everything"
)


@cache
def _file(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def page_script() -> str:
    """Return the script that lets readers point at pictures and move in them."""
    return _file("page.js")


def style_element() -> str:
    """Return the style of everything that this layer writes as HTML."""
    return f"<style>{page_style(_file('page.css'))}</style>"


def piece(content: str) -> str:
    """Return something to show in a notebook, with its style; it needs nothing around it."""
    return f'{style_element()}<div class="cepheid-page">{content}</div>'


def fragment(sections: Sequence[Section]) -> str:
    """Return the pictures alone; of queries without any, their rows."""
    figures = "".join(_still_figure(each.bodies, each.name) for each in sections if each.bodies)
    tables = "".join(_table(each) for each in sections if not each.bodies)
    return unfolded(figures + tables) + f"<script>{page_script()}</script>"


def unfolded(content: str) -> str:
    """Return something to show in a notebook, with what makes its images part of the page."""
    return piece(content) + f"<script>{_file('unfold.js')}</script>"


def page(title: str, sections: Sequence[Section], sharing: str | None) -> str:
    """Return a document with everything that is known of the queries and their results."""
    is_single = len(sections) == 1
    parts = [f"<h1>{escape(title)}</h1>"]
    for section in sections:
        parts += _section(section, None if is_single else _heading(section, sections), title)
    if sharing is not None:
        parts.append(f'<h2>What the queries shared</h2><figure class="drawing">{sharing}</figure>')
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(title)}</title>",
            style_element().replace("<style>", "<style>\nbody{margin:0}\n"),
            '</head>\n<body>\n<main class="cepheid-page whole">',
            *parts,
            f"</main>\n<script>{page_script()}</script>\n</body>\n</html>\n",
        ]
    )


def _heading(section: Section, sections: Sequence[Section]) -> str:
    """Return the name of a query; of a file its last part, if no other has the same."""
    short = heading_of(section.name)
    same = [each for each in sections if heading_of(each.name) == short]
    return short if len(same) == 1 else section.name


def _section(section: Section, heading: str | None, title: str) -> Iterator[str]:
    if heading is not None:
        yield f"<h2>{escape(heading)}</h2>"
    yield query_block(section.text)
    for note in section.notes:
        yield f'<p class="note">{escape(note)}</p>'
    for warning in (*section.explanation.warnings, *section.warnings):
        yield f'<p class="warning">{escape(warning)}</p>'
    if section.bodies:
        bodies = [each.below(heading or title) for each in section.bodies]
        yield figure(bodies, section.name)
    yield f"<h3>Result</h3>{_table(section)}"
    yield automaton(section.explanation)
    yield plan_table(section.explanation)


def query_block(text: str) -> str:
    """Return the text of a query in colours."""
    return f'<pre class="query"><code>{colour_query(text.strip())}</code></pre>'


def automaton(explanation: Explanation, *, is_still: bool = False) -> str:
    """Return the picture of the pattern, which can be folded away; as an image in a notebook."""
    drawn = as_svg(explanation)
    shown = still(drawn, f"Automaton of {explanation.pattern}") if is_still else drawn
    return (
        "<details open><summary>Automaton</summary>"
        f'<figure class="drawing">{shown}</figure></details>'
    )


def still(picture: str, words: str) -> str:
    """Return a picture as an image.

    Jupyter takes SVG elements and scripts out of what it does not trust, such as the outputs of a
    notebook that came by mail; images stay.
    """
    data = b64encode(picture.encode()).decode()
    return f'<img class="still" alt="{escape(words)}" src="data:image/svg+xml;base64,{data}">'


def plan_table(explanation: Explanation) -> str:
    """Return what the planner chose, and why."""
    rows = "".join(
        f'<tr><th scope="row">{escape(each.topic)}</th><td>{escape(each.choice)}</td>'
        f"<td>{escape(each.reason)}</td></tr>"
        for each in explanation.choices
    )
    head = '<th scope="col">topic</th><th scope="col">choice</th><th scope="col">because</th>'
    return (
        "<details open><summary>Plan</summary>"
        f'<div class="plan"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        "</div></details>"
    )


def _table(section: Section) -> str:
    rows = section.table.num_rows
    return rows_table(section.table, caption=f"{rows:,} row{'' if rows == 1 else 's'}")


def figure(bodies: Sequence[Body], name: str) -> str:
    """Return pictures below each other, with what a script needs to let a reader move in them."""
    drawn = stacked(bodies, "", title=name)
    return f'<figure class="plot" data-cepheid-plot>{_frame(drawn, drawn)}</figure>'


def _still_figure(bodies: Sequence[Body], name: str) -> str:
    """Return the same as an image, with what the script puts around it."""
    drawn = stacked(bodies, picture_style(), title=name, is_for_scripts=True)
    words = " ".join(each.summary for each in bodies)
    return (
        f'<figure class="plot" data-cepheid-plot>{still(drawn, words)}'
        f'<script type="text/html">{_frame(drawn, "")}</script></figure>'
    )


def _frame(drawn: str, content: str) -> str:
    """Return a place for a picture, between its buttons and what to press."""
    tools = TOOLS if 'class="view"' in drawn else ""
    return (
        f'{tools}<div class="wide">{content}</div>'
        '<p class="keys" aria-hidden="true">Keys, after a click here or Tab: '
        f'{_keys(drawn)}</p><p class="said" aria-live="polite"></p>'
    )


def _keys(drawn: str) -> str:
    """Return what the arrows go through, which differs from picture to picture."""
    if 'class="view"' not in drawn:
        return f"{ACROSS} bars"
    if 'class="mark' in drawn or 'class="dense"' in drawn:
        return f"{ALONG} events, {ACROSS} matches, {MOVE}"
    lines = drawn.count('<g class="part">')  # which have places to point at
    values = [f"{ALONG} values"] if lines else []
    return ", ".join([*values, *([f"{ACROSS} lines"] if lines > 1 else []), MOVE])
