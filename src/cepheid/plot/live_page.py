"""The page of running streams: its frame, and what is put into it every few seconds."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

from cepheid.plot.body import Body
from cepheid.plot.page import figure, style_element
from cepheid.plot.rows_table import plain_table

CONTENT, SCRIPT, OF_PICTURES = "/content", "/live.js", "/page.js"


@dataclass(frozen=True, slots=True)
class Listing:
    """A table of texts; the columns from `numbers` on are flush right."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: int


@dataclass(frozen=True, slots=True)
class LivePage:
    """What is known of running streams, in words; `is_over`: nothing more will come."""

    title: str
    status: str
    errors: tuple[str, ...]
    numbers: tuple[Listing, ...]
    bodies: tuple[Body, ...]
    results: tuple[Listing, ...]
    is_over: bool = False


def live_frame(title: str) -> str:
    """Return the page, into which a script of this server puts what is known."""
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f'<noscript><meta http-equiv="refresh" content="0; url={CONTENT}"></noscript>',
            f"<title>{escape(title)}</title>",
            style_element().replace("<style>", "<style>\nbody{margin:0}\n"),
            f"</head>\n<body>\n<main class='cepheid-page whole'><h1>{escape(title)}</h1>",
            '<p class="note" id="state" role="status" aria-live="polite">connecting</p>',
            f'<div id="content"></div></main>\n<script src="{OF_PICTURES}"></script>'
            f'<script src="{SCRIPT}"></script>\n</body>\n</html>',
        ]
    )


def live_script() -> str:
    """Return the script of the page."""
    return Path(__file__).with_name("live.js").read_text("utf-8")


def live_content(page: LivePage) -> str:
    """Return what the script puts into the page."""
    over = " data-over" if page.is_over else ""
    parts = [f'<section data-status="{escape(page.status)}"{over}>']
    parts += [f'<p class="warning" role="alert">{escape(each)}</p>' for each in page.errors]
    parts += map(_table, page.numbers)
    parts += [figure([each], page.title) for each in page.bodies]  # each has an axis of its own
    parts += [_table(each) for each in page.results]
    return "\n".join([*parts, "</section>"])


def _table(listing: Listing) -> str:
    is_number = [place >= listing.numbers for place in range(len(listing.head))]
    return plain_table(listing.head, listing.rows, is_number, caption=listing.caption)
