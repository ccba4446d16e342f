"""Tables that fit a narrow terminal: no number is broken, and what does not fit follows below."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from rich import box
from rich.console import Console
from rich.table import Table

BESIDE, EDGE = 3, 1  # characters of a column, and of a table, that are not its text


def print_table(
    console: Console,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    title: str,
    caption: str,
    texts: Collection[str],
) -> None:
    """Print a table, in as many parts as the width of the console needs.

    The first column is in all parts. Columns whose heading is in `texts` may be wrapped between
    words, all others are as wide as their numbers.
    """
    parts = list(_parts(headings, rows, console.width, texts))
    for place, columns in enumerate(parts):
        table = Table(
            title=title if place == 0 else None,
            caption=caption if place == len(parts) - 1 else None,
            title_justify="left",
            caption_justify="left",
            box=box.SIMPLE_HEAD,
        )
        for column in columns:
            is_text = headings[column] in texts
            table.add_column(
                headings[column],
                justify="left" if is_text else "right",
                min_width=_needed(headings, rows, column, texts),
            )
        for row in rows:
            table.add_row(*(row[column] for column in columns))
        console.print(table)


def _parts(
    headings: Sequence[str], rows: Sequence[Sequence[str]], width: int, texts: Collection[str]
) -> Iterator[list[int]]:
    """Yield the columns of every part."""
    needed = [_needed(headings, rows, each, texts) + BESIDE for each in range(len(headings))]
    part = [0]
    for column in range(1, len(headings)):
        if len(part) > 1 and EDGE + sum(needed[each] for each in [*part, column]) > width:
            yield part
            part = [0]
        part.append(column)
    yield part


def _needed(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    column: int,
    texts: Collection[str],
) -> int:
    """Return how many characters a column has at least.

    >>> _needed(["events per minute"], [["20"], ["1,000,000,000"]], 0, ())
    13
    """
    cells = [row[column] for row in rows]
    if headings[column] in texts:
        cells = [word for cell in cells for word in cell.split()]
    return max(map(len, [*headings[column].split(), *cells]))
