"""Draw several queries on the same events in two columns, with one legend for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import cepheid
from cepheid.drawn_runs import Stretch, read_here, timeline_of
from cepheid.explain.svg_shapes import svg_number, svg_text
from cepheid.plot.body import MARGIN, WIDTH, Body, Frame, stacked, title_text
from cepheid.plot.style import picture_style
from cepheid.plot.timeline_body import legend_of, rows_body

COLUMNS, LABEL, BETWEEN = 2, 70.0, 14.0
COLUMN = (WIDTH - 2 * MARGIN - BETWEEN) / COLUMNS
FRAME = Frame(LABEL, COLUMN - LABEL)


def side_by_side(title: str, events: cepheid.Events[Any], titled: Mapping[str, str]) -> str:
    """Return a picture of the matches of every query, each below its title."""
    here, panels, legend = read_here(events), list[Body](), list[str]()
    for name, text in titled.items():
        query = cepheid.query(text)
        plan = query.plan(here.schema)
        timeline = timeline_of(query, plan, here, cepheid.Batch(), Stretch(), name)
        named = [svg_text("row", MARGIN, 16, name), svg_text("note", MARGIN, 32, timeline.notes[0])]
        drawn = rows_body(timeline, FRAME, named, 48)
        panels.append(drawn.below(name))
        legend, _ = legend_of(timeline, MARGIN + 28)
    head = Body((title_text(title), *legend), MARGIN + 52, title)
    return stacked([head, *_in_rows(panels)], picture_style(), title=title)


def _in_rows(panels: list[Body]) -> Iterator[Body]:
    for first in range(0, len(panels), COLUMNS):
        row, parts = panels[first : first + COLUMNS], list[str]()
        for column, each in enumerate(row):
            x = svg_number(column * (COLUMN + BETWEEN))
            parts += [f'<g transform="translate({x} 0)">', *each.parts, "</g>"]
        summary = " ".join(each.summary for each in row)
        yield Body(tuple(parts), max(each.height for each in row) + 10, summary)
