"""`cepheid pipeline`: queries on a stream, described by a file."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from cepheid.cli.arguments import QuietOption
from cepheid.cli.console import reporting, show_warning, working
from cepheid.errors import ConfigError

if TYPE_CHECKING:
    from cepheid.pipeline.load import CheckedPipeline

INTERRUPTED = 128 + signal.SIGINT


def pipeline(
    file: Annotated[
        str, typer.Argument(help="A pipeline file (YAML).", metavar="FILE", show_default=False)
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check everything, start nothing, show the plan.")
    ] = False,
    quiet: QuietOption = False,
) -> None:
    """Run queries on a stream of events: source, queries and sinks come from a file.

    Ctrl-C stops it after tidying up, with exit code 130; SIGTERM does the same with exit code 0.
    What was under way is repeated at the next start, and no result is lost or written twice.

    [bold]Examples[/bold]

    cepheid pipeline rides.yaml --dry-run

    cepheid pipeline rides.yaml
    """
    with reporting(quiet=quiet):
        checked = _load(file)
        if dry_run:
            from cepheid.cli.show_pipeline import show_description
            from cepheid.pipeline.describe_pipeline import describe

            show_description(describe(checked), file)
            return
        if _run(checked, quiet=quiet):
            raise typer.Exit(INTERRUPTED)


def _load(file: str) -> CheckedPipeline:
    missing = [name for name in ("pydantic", "yaml") if find_spec(name) is None]
    if missing:
        raise ConfigError(
            f"pipelines need the package {missing[0]}", hint="pip install 'cepheid[pipeline]'"
        )
    from cepheid.pipeline.load import load_pipeline

    return load_pipeline(file, os.environ)


def _run(checked: CheckedPipeline, *, quiet: bool) -> bool:
    """Run until the end; return whether Ctrl-C ended it."""
    from cepheid.cli.show_pipeline import PipelineProgress, show_outcome
    from cepheid.connectors.spark_session import spark_session
    from cepheid.pipeline.run_pipeline import run_pipeline, session_settings
    from cepheid.pipeline.stop_signals import stop_signals

    with stop_signals() as stop, ExitStack() as stack:
        with working("Starting Spark", quiet=quiet):
            settings = session_settings(checked)
            session = spark_session(settings, times_without_zone=False, needs_driver=True)
            spark = stack.enter_context(session)
        stop.listen()
        try:
            with PipelineProgress(quiet=quiet) as progress:
                outcome = run_pipeline(spark, checked, progress, stop.asked)
        except KeyboardInterrupt:  # the second one: nobody wants to wait
            return True
        for message in () if quiet or stop.asked.is_set() else spark.messages():
            show_warning(checked.secrets.hide(message))
    show_outcome(outcome, stop.signal, quiet=quiet)
    return stop.signal is signal.SIGINT
