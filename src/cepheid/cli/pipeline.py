"""`cepheid pipeline`: queries on a stream, described by a file."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cepheid.cli.arguments import QuietOption
from cepheid.cli.console import message_console, reporting, show_warning, working
from cepheid.errors import CepheidError, ConfigError
from cepheid.metrics.publish import LOOPBACK

if TYPE_CHECKING:
    from cepheid.pipeline.live_view import LiveView
    from cepheid.pipeline.load import CheckedPipeline

DEFAULT_PORT = 8484
INTERRUPTED = 128 + signal.SIGINT


def pipeline(
    file: Annotated[
        str, typer.Argument(help="A pipeline file (YAML).", metavar="FILE", show_default=False)
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check everything, start nothing, show the plan.")
    ] = False,
    serve: Annotated[
        bool,
        typer.Option(
            "--serve",
            help="Show the streams on a page of this machine, with the metrics at /metrics.",
        ),
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            metavar="PORT",
            help="With --serve: its port; 0 for a free one.",
            show_default=str(DEFAULT_PORT),
        ),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="With --serve: an address of this machine, for browsers of others. There is no "
            "password.",
            show_default=LOOPBACK,
        ),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Run queries on a stream of events: source, queries and sinks come from a file.

    Ctrl-C stops it after tidying up, with exit code 130; SIGTERM does the same with exit code 0.
    What was under way is repeated at the next start, and no result is lost or written twice.

    [bold]Examples[/bold]

    cepheid pipeline rides.yaml --dry-run

    cepheid pipeline rides.yaml

    cepheid pipeline rides.yaml --serve
    """
    with reporting(quiet=quiet):
        checked = _load(file)
        if dry_run:
            from cepheid.cli.show_pipeline import show_description
            from cepheid.pipeline.describe_pipeline import describe

            show_description(describe(checked), file)
            return
        if _run(checked, file, _shown_at(serve, port, host), quiet=quiet):
            raise typer.Exit(INTERRUPTED)


def _shown_at(serve: bool, port: int | None, host: str | None) -> tuple[str, int] | None:
    if serve:
        return host or LOOPBACK, DEFAULT_PORT if port is None else port
    given = next((name for name, each in (("port", port), ("host", host)) if each is not None), "")
    if given:
        raise ConfigError(f"--{given} is for the page of --serve", hint="add --serve")
    return None


def _load(file: str) -> CheckedPipeline:
    missing = [name for name in ("pydantic", "yaml") if find_spec(name) is None]
    if missing:
        raise ConfigError(
            f"pipelines need the package {missing[0]}", hint="pip install 'cepheid[pipeline]'"
        )
    from cepheid.pipeline.load import load_pipeline

    return load_pipeline(file, os.environ)


def _run(
    checked: CheckedPipeline, file: str, shown_at: tuple[str, int] | None, *, quiet: bool
) -> bool:
    """Run until the end; return whether Ctrl-C ended it."""
    from cepheid.cli.show_pipeline import PipelineProgress, show_outcome
    from cepheid.connectors.spark_session import spark_session
    from cepheid.pipeline.run_pipeline import run_pipeline, session_settings
    from cepheid.pipeline.stop_signals import stop_signals

    with stop_signals() as stop, ExitStack() as stack:
        live = stack.enter_context(_live(checked, file, shown_at, quiet=quiet))
        with working("Starting Spark", quiet=quiet):
            settings = session_settings(checked)
            session = spark_session(settings, times_without_zone=False, needs_driver=True)
            spark = stack.enter_context(session)
        stop.listen()
        try:
            with PipelineProgress(quiet=quiet) as progress:
                outcome = run_pipeline(spark, checked, progress, stop.asked, live)
        except KeyboardInterrupt:  # the second one: nobody wants to wait
            return True
        for message in () if quiet or stop.asked.is_set() else spark.messages():
            show_warning(checked.secrets.hide(message))
    show_outcome(outcome, stop.signal, quiet=quiet)
    return stop.signal is signal.SIGINT


@contextmanager
def _live(
    checked: CheckedPipeline, file: str, shown_at: tuple[str, int] | None, *, quiet: bool
) -> Iterator[LiveView | None]:
    """Show the pipeline to browsers, until it has ended, and why if it fails."""
    if shown_at is None:
        yield None
        return
    from cepheid.pipeline.live_view import LiveView, serve

    host, port = shown_at
    view = LiveView(checked, Path(file).name)
    with serve(view, port, host) as address:
        if not quiet:
            message_console().print(f"live view at {address}", highlight=False)
        try:
            yield view
        except CepheidError as error:
            view.failed(str(error))
            raise
