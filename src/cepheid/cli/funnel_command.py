"""`cepheid funnel`: how far users, or whatever the key is, get through a list of steps."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cepheid import funnel as run_funnel
from cepheid import funnel_queries
from cepheid.cli.arguments import Engine, QuietOption, TimeOption, TimeUnitOption, TypeOption
from cepheid.cli.console import reporting, working
from cepheid.cli.write_result import Format, choose_output, write_results
from cepheid.errors import ConfigError


def funnel(
    events: Annotated[
        list[str],
        typer.Argument(
            help="Event files or directories: CSV, JSON lines or Parquet; or one file per event "
            "type as TYPE=path.",
            show_default=False,
        ),
    ],
    step: Annotated[
        list[str],
        typer.Option(
            "--step",
            "-s",
            metavar="STEP",
            help="An event type, with a condition if need be; one for each step, in their order.",
            show_default=False,
        ),
    ],
    by: Annotated[
        list[str],
        typer.Option(metavar="COLUMN", help="The column of the key; repeatable."),
    ],
    within: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="How long all steps may take, such as '1 day'."),
    ] = None,
    mode: Annotated[
        str,
        typer.Option(
            metavar="MODE",
            help="What may lie between two steps: ordered (anything), no-repeats (no step already "
            "taken) or contiguous (nothing).",
        ),
    ] = "ordered",
    time: TimeOption = None,
    type: TypeOption = None,
    time_unit: TimeUnitOption = "s",
    engine: Annotated[Engine, typer.Option("--engine", "-e", help="Where to run.")] = Engine.LOCAL,
    format: Annotated[
        Format | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="table, json (lines), csv, parquet or html (a page with bars). Default: by the "
            "suffix of --output, else table.",
        ),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="PATH", help="File for the result.")
    ] = None,
    quiet: QuietOption = False,
) -> None:
    r"""Count how far keys get through a list of steps.

    [bold]Examples[/bold]

    cepheid funnel clicks.csv --by user --within "1 day" -s Visit -s "View WHERE page = 'cart'"

    cepheid funnel clicks.csv --by user -s Visit -s Buy --mode contiguous -o funnel.html
    """
    from cepheid.cli.column_roles import types_of
    from cepheid.cli.engines import open_engine
    from cepheid.cli.read_events import find_files, read_events

    with reporting(quiet=quiet):
        target = choose_output(format, output, 0, is_single=True)
        asked: dict[str, Any] = {"by": by, "within": within, "mode": mode}
        types = types_of(funnel_queries(step, **asked).queries.values())
        files = find_files(events)
        with open_engine(engine, quiet=quiet) as runner, working("Counting", quiet=quiet):
            read = read_events(runner, files, types, time, type)
            roles: dict[str, Any] = {"time": read.time, "type": read.type, "time_unit": time_unit}
            found = run_funnel(read.events, step, **asked, **roles)
            conversion = found.conversion
        if target.format is Format.HTML:
            _write(found.plot().html(), output)
        elif target.format is Format.TABLE:
            _write(f"{found}\n", output)
        else:
            write_results({"funnel": conversion}, target)


def _write(text: str, output: str | None) -> None:
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        Path(output).write_text(text, "utf-8")
    except OSError as error:
        raise ConfigError(f"cannot write '{output}': {error.strerror}") from None
