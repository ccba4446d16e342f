"""`cepheid explain`: how a query will be run, and why."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cepheid.cli.arguments import (
    ParameterOption,
    QueryArgument,
    SchemaOption,
    TimeOption,
    TimeUnitOption,
    TypeOption,
    WithOption,
)
from cepheid.cli.check import EventsOption, schema_for
from cepheid.cli.console import output_console, reporting
from cepheid.cli.query_set import load_queries
from cepheid.errors import ConfigError

if TYPE_CHECKING:
    from rich.console import Console


class ExplainFormat(StrEnum):
    """The formats of an explanation."""

    TEXT = "text"
    JSON = "json"
    MERMAID = "mermaid"
    SVG = "svg"


def explain(
    query: QueryArgument,
    format: Annotated[
        ExplainFormat | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="text, json, mermaid or svg. Default: by the suffix of --output, else text.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write to a .txt, .json, .mmd or .svg."
        ),
    ] = None,
    events: EventsOption = None,
    schema: SchemaOption = None,
    time: TimeOption = None,
    type: TypeOption = None,
    time_unit: TimeUnitOption = "s",
    param: ParameterOption = None,
    others: WithOption = None,
) -> None:
    """Show how a query will be run and why: the pattern's automaton, the plan, the choices.

    [bold]Examples[/bold]

    cepheid explain rides.cep

    cepheid explain rides.cep --events rides.csv --output rides.svg

    cepheid explain alarms.cep --with fires.cep
    """
    with reporting():
        if schema is not None and events is not None:
            raise ConfigError("give --schema or --events, not both")
        parsed = load_queries(query, others or (), param)
        known = schema_for(parsed, schema, events, time=time, type=type, unit=time_unit)
        chosen = format or _format_of(output)
        text = parsed.explain(format=chosen.value, schema=known)
        if output is not None:
            _save(output, text)
        elif chosen is ExplainFormat.TEXT:
            _print_text(output_console(), text)
        else:
            typer.echo(text)


def _format_of(output: str | None) -> ExplainFormat:
    suffix = "" if output is None else Path(output).suffix
    by_suffix = {
        ".json": ExplainFormat.JSON,
        ".mmd": ExplainFormat.MERMAID,
        ".mermaid": ExplainFormat.MERMAID,
        ".svg": ExplainFormat.SVG,
    }
    return by_suffix.get(suffix, ExplainFormat.TEXT)


def _save(output: str, text: str) -> None:
    try:
        Path(output).write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot write '{output}': {error.strerror}") from None


def _print_text(console: Console, text: str) -> None:
    """Print it as it is, titles in bold."""
    from rich.text import Text

    for line in text.splitlines():
        is_title = bool(line) and not line[0].isspace()
        console.print(Text(line, "bold cyan" if is_title else ""), soft_wrap=True)
