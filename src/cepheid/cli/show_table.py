"""A result as a table that fits the terminal."""

from __future__ import annotations

import pyarrow as pa
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cepheid.cli.format_values import format_column, is_number

WIDEST_CELL = 48
PADDING = 2
NULL = Text("null", "dim italic")


def show_table(
    console: Console,
    table: pa.Table,
    *,
    limit: int,
    more: str = " (--limit 0 shows all)",
    most: int | None = None,
) -> None:
    """Print the first rows (all, if the limit is 0) and say what is not shown.

    `most` is how many rows were looked for; None for all.
    """
    shown = table.slice(0, limit) if limit else table
    texts = [format_column(each) for each in shown.columns]
    columns = _fitting(table, texts, console.width)
    grid = plain_table()
    for index in columns:
        field = table.schema.field(index)
        grid.add_column(
            Text(field.name),
            justify="right" if is_number(field.type) else "left",
            no_wrap=True,
            overflow="ellipsis",
            max_width=WIDEST_CELL if console.is_terminal else None,
        )
    for row in range(shown.num_rows):
        cells = [texts[index][row] for index in columns]
        grid.add_row(*(NULL if each is None else Text(each) for each in cells))
    if columns:
        console.print(grid)
    if table.num_rows == 0:
        console.print(Text("no rows", "dim"))
    if shown.num_rows < table.num_rows:
        left = table.num_rows - shown.num_rows
        least = "at least " if table.num_rows == most else ""
        note = f"… {least}{left:,} more row{'' if left == 1 else 's'}{more}"
        console.print(Text(note, "dim"))
    hidden = table.column_names[len(columns) :]
    if hidden:
        advice = "RETURN chooses columns, --format json shows all"
        note = f"… {len(hidden)} more columns: {', '.join(hidden)} ({advice})"
        console.print(Text(note, "dim"))


def _fitting(table: pa.Table, texts: list[list[str | None]], width: int) -> list[int]:
    """Return the leading columns that fit next to each other, at least one."""
    used = 0
    fitting: list[int] = []
    for index, name in enumerate(table.column_names):
        widest = max([len(name), *(len(each or "null") for each in texts[index])])
        used += min(widest, WIDEST_CELL) + PADDING
        if used > width and fitting:
            break
        fitting.append(index)
    return fitting


def plain_table() -> Table:
    """Return a table without columns, in the style of all of them."""
    return Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="bold",
    )
