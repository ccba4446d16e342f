"""Errors with the caret at the place, as HTML."""

from __future__ import annotations

from html import escape

from cepheid.errors import CepheidError, Diagnostic, PipelineError, QueryError
from cepheid.plot.colour_query import colour_query
from cepheid.plot.page import piece


def show_error(error: CepheidError) -> str:
    """Return the message; of mistakes in a query, each with its line and how to mend it."""
    if isinstance(error, QueryError | PipelineError):
        return piece("".join(map(_diagnostic, error.diagnostics)))
    message, _, hint = str(error).partition("\n  hint: ")
    return piece(_box(message, _hint(hint or None)))


def _diagnostic(each: Diagnostic) -> str:
    place = each.location
    if place is None:
        return _box(each.message, _hint(each.hint))
    shown, start = place.excerpt()
    length = max(1, min(place.length, len(shown) - start))
    where = f"{place.source_name}:{place.line}:{place.column}"
    lines = (
        f'<pre class="query">{colour_query(shown)}\n'
        f'{" " * start}<span class="caret">{"^" * length}</span></pre>'
    )
    return _box(each.message, f'<p class="note">{escape(where)}</p>{lines}{_hint(each.hint)}')


def _box(message: str, content: str) -> str:
    return f'<div class="warning" role="alert"><strong>{escape(message)}</strong>{content}</div>'


def _hint(hint: str | None) -> str:
    return "" if hint is None else f'<p class="note">{escape(hint)}</p>'
