"""A page with queries, pictures and rows, to a file or to stdout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from cepheid import plot
from cepheid.cli.query_set import QuerySet
from cepheid.errors import ConfigError


def write_report(
    queries: QuerySet, events: Any, options: dict[str, Any], output: str | None
) -> str:
    """Run the queries, write the page, and say what it is, in words."""
    report = plot(queries.queries, events, **options)
    if output is None:
        typer.echo(report.html(), nl=False)
    else:
        try:
            Path(output).write_text(report.html(), "utf-8")
        except OSError as error:
            raise ConfigError(f"cannot write '{output}': {error.strerror}") from None
    count = len(report.sections)
    return f"a report of {count} {'query' if count == 1 else 'queries'}"
