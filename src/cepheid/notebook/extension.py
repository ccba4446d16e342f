"""What `%load_ext cepheid` adds to a session."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

from cepheid.errors import CepheidError, InternalError
from cepheid.explain.explain_plan import explain_plan
from cepheid.notebook.magic import CepheidMagics
from cepheid.plan.physical import PhysicalPlan
from cepheid.plot.page import piece
from cepheid.plot.rows_table import rows_table
from cepheid.plot.show_error import show_error
from cepheid.plot.show_query import show_plan
from cepheid.tables.table_kinds import kind_of, to_arrow

MOST_ROWS = 20
COMPRESSED = ("cepheid.engine.matches.forms.compressed", "CompressedMatches")


def load(shell: InteractiveShell) -> None:
    """Add the magics, and how tables, plans and errors are shown."""
    shell.register_magics(CepheidMagics(shell))
    formatters = shell.display_formatter.formatters["text/html"]
    formatters.for_type(PhysicalPlan, lambda plan: show_plan(explain_plan(plan)))
    formatters.for_type_by_name("pyarrow.lib", "Table", _table)
    formatters.for_type_by_name(*COMPRESSED, _compressed)
    shell.set_custom_exc((CepheidError,), _show_exception)


def unload(shell: InteractiveShell) -> None:
    """Take back what concerns others: how their tables and our errors are shown."""
    formatters = shell.display_formatter.formatters["text/html"]
    formatters.pop(PhysicalPlan, None)
    formatters.pop("pyarrow.lib.Table", None)
    formatters.pop(".".join(COMPRESSED), None)
    shell.set_custom_exc((), None)


def _table(table: Any) -> str:
    rows = f"{table.num_rows:,} row{'' if table.num_rows == 1 else 's'}"
    return piece(rows_table(table, caption=rows, most=MOST_ROWS))


def _compressed(matches: Any) -> str:
    """Return some matches, and how many there are."""
    first = matches.first(MOST_ROWS)
    found = to_arrow(first, kind_of(first))
    caption = f"{matches.count():,} matches, compressed; {found.num_rows} of them"
    return piece(rows_table(found, caption=caption, most=MOST_ROWS))


def _show_exception(
    shell: InteractiveShell,
    kind: type[CepheidError],
    error: CepheidError,
    place: TracebackType,
    tb_offset: int | None = None,
) -> None:
    """Show a message with its place; the output for tools that look for errors has one line."""
    if isinstance(error, InternalError):
        shown = shell.InteractiveTB.structured_traceback(kind, error, place, tb_offset=tb_offset)
        shell._showtraceback(kind, error, shown)
        return
    lines = error._render_traceback_()
    if hasattr(shell, "kernel"):  # not a terminal
        display({"text/html": show_error(error), "text/plain": "\n".join(lines)}, raw=True)
        lines = lines[:1]
    shell._showtraceback(kind, error, lines)
