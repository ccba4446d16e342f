"""The commands under one name."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from typing import Annotated

import typer

from cepheid import __version__
from cepheid.cli.bench import bench
from cepheid.cli.check import check
from cepheid.cli.console import INTERRUPTED
from cepheid.cli.demo import demo
from cepheid.cli.doctor import doctor
from cepheid.cli.explain_command import explain
from cepheid.cli.funnel_command import funnel
from cepheid.cli.generate import generate
from cepheid.cli.pipeline import pipeline
from cepheid.cli.run_command import run
from cepheid.cli.warmup_command import warmup

app = typer.Typer(
    name="cepheid",
    help="Complex event processing for PySpark: find patterns in events and aggregate them.",
    epilog="Start with [bold]cepheid demo[/bold]. Every command has its own --help with examples.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cepheid {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Complex event processing for PySpark: find patterns in events and aggregate them."""


for command in (demo, run, funnel, pipeline, check, explain, generate, warmup, doctor):
    app.command(no_args_is_help=command not in (demo, warmup, doctor))(command)
# The options of a benchmark that the command does not know go to the benchmark.
app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(bench)


def main() -> None:
    """Run the command that the arguments name."""
    try:
        app()
    except SystemExit as leaving:
        if leaving.code == INTERRUPTED:
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(OSError):
                    stream.flush()
            os._exit(INTERRUPTED)  # a kernel that still runs would be torn down while it works
        raise
    finally:
        gc.freeze()  # the process ends; looking for garbage in all that was imported takes longer
