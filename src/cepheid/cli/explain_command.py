"""`cepheid explain`: how a query will be run, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cepheid import Query
from cepheid import events as with_roles
from cepheid.cli.arguments import (
    Engine,
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
from cepheid.cli.query_set import QuerySet, load_queries
from cepheid.errors import ConfigError

if TYPE_CHECKING:
    from rich.console import Console

    from cepheid.analyzed_run import AnalyzedRun


DEFAULT_POLICY = "dynamic"


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
    analyze: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EVENTS",
            help="Run queries on a file of events, or on TYPE=path, and show which folds ran and "
            "why, and what several queries shared, as text, json or svg; repeatable.",
        ),
    ] = None,
    sharing: Annotated[
        str, typer.Option(metavar="POLICY", help="With --analyze: dynamic, always or never.")
    ] = DEFAULT_POLICY,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="With --analyze: also measure the time without sharing; of what is counted with "
            "plain numbers, and so shares nothing, the time with every burst shared.",
        ),
    ] = False,
) -> None:
    """Show how a query will be run and why: the pattern's automaton, the plan, the choices.

    [bold]Examples[/bold]

    cepheid explain rides.cep

    cepheid explain rides.cep --events rides.csv --output rides.svg

    cepheid explain alarms.cep --with fires.cep

    cepheid explain rides.cep --with pools.cep --analyze rides.csv --output bursts.svg
    """
    with reporting():
        if schema is not None and events is not None:
            raise ConfigError("give --schema or --events, not both")
        if analyze is None and (compare or sharing != DEFAULT_POLICY):
            raise ConfigError("--sharing and --compare are for --analyze")
        if analyze is not None and (schema is not None or events is not None):
            raise ConfigError("with --analyze the events say what columns there are")
        parsed = load_queries(query, others or (), param)
        chosen = format or _format_of(output)
        if analyze is not None:
            files = _AnalyzedFiles(analyze, time, type, time_unit)
            text = files.run(parsed, sharing, compare=compare).explain(chosen.value)
        else:
            known = schema_for(parsed, schema, events, time=time, type=type, unit=time_unit)
            text = parsed.explain(format=chosen.value, schema=known)
        if output is not None:
            _save(output, text)
        elif chosen is ExplainFormat.TEXT:
            _print_text(output_console(), text)
        else:
            typer.echo(text)


@dataclass(frozen=True, slots=True)
class _AnalyzedFiles:
    """Files of events that queries are run on, and the roles of their columns."""

    paths: list[str]
    time: str | None
    type: str | None
    time_unit: str

    def run(self, queries: QuerySet, sharing: str, *, compare: bool) -> AnalyzedRun[Any]:
        """Run queries and return what they did."""
        from cepheid.cli.column_roles import types_of
        from cepheid.cli.engines import open_engine
        from cepheid.cli.read_events import find_files, read_events

        alone = isinstance(queries.queries, Query)
        if alone and (compare or sharing != DEFAULT_POLICY):
            raise ConfigError(
                "--sharing and --compare are for several queries", hint="name others with --with"
            )
        files = find_files(self.paths)
        with open_engine(Engine.LOCAL, quiet=True) as engine:
            read = read_events(engine, files, types_of(queries.all), self.time, self.type)
            given = with_roles(
                read.events, time=read.time, type=read.type, time_unit=self.time_unit
            )
            if isinstance(queries.queries, Query):
                return queries.queries.analyze(given)
            return queries.queries.analyze(given, sharing=sharing, compare=compare)


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
