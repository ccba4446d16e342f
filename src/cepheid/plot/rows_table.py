"""The rows of a result as an HTML table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pyarrow as pa

from cepheid.plot.event_rows import column_texts

MOST_ROWS = 200
LONGEST_TIME = len("2024-01-31 09:30:00.123456Z")


def rows_table(table: pa.Table, *, caption: str, most: int = MOST_ROWS) -> str:
    """Return the first rows; `caption` says what they are."""
    shown = table.slice(0, most)
    columns = [column_texts(each) for each in shown.columns]
    rows = [[column[row] for column in columns] for row in range(shown.num_rows)]
    numbers = [is_number(each.type) for each in table.schema]
    left = table.num_rows - shown.num_rows
    more = f'<p class="note">{left:,} more rows are not shown.</p>' if left > 0 else ""
    return f"{plain_table(table.column_names, rows, numbers, caption=caption)}{more}"


def plain_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[bool], *, caption: str
) -> str:
    """Return a table of texts; `numbers` says which columns are flush right."""
    titles = "".join(
        f'<th scope="col"{" class=number" if number else ""}>{escape(name)}</th>'
        for name, number in zip(head, numbers, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(
            f"<td{_class(cell, number)}>{escape(cell)}</td>"
            for cell, number in zip(row, numbers, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="table" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{titles}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def _class(cell: str, is_number: bool) -> str:
    """A time stays on one line, and so does everything as short."""
    return ' class="number"' if is_number else ' class="short"' if len(cell) <= LONGEST_TIME else ""


def is_number(kind: pa.DataType) -> bool:
    """Whether values are numbers, which are flush right."""
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )
