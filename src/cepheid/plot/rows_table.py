"""The rows of a result as an HTML table."""

from __future__ import annotations

from html import escape

import pyarrow as pa

from cepheid.plot.event_rows import column_texts

MOST_ROWS = 200


def rows_table(table: pa.Table, *, caption: str, most: int = MOST_ROWS) -> str:
    """Return the first rows; `caption` says what they are."""
    shown = table.slice(0, most)
    columns = [column_texts(each) for each in shown.columns]
    numbers = [is_number(each.type) for each in table.schema]
    head = "".join(
        f'<th scope="col"{" class=number" if number else ""}>{escape(name)}</th>'
        for name, number in zip(table.column_names, numbers, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(
            f'<td class="number">{escape(column[row])}</td>'
            if number
            else f"<td>{escape(column[row])}</td>"
            for column, number in zip(columns, numbers, strict=True)
        )
        + "</tr>"
        for row in range(shown.num_rows)
    )
    left = table.num_rows - shown.num_rows
    more = f'<p class="note">{left:,} more rows are not shown.</p>' if left > 0 else ""
    return (
        f'<div class="table" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>{more}"
    )


def is_number(kind: pa.DataType) -> bool:
    """Whether values are numbers, which are flush right."""
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )
