"""What goes to the terminal: results to stdout; errors, warnings and progress to stderr.

Rich is imported when there is something to show: a query in a script should start soon.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NoReturn, TextIO

import typer

from cepheid.errors import CepheidError, ConfigError, last_defence

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status
    from rich.text import Text

UNLIMITED_WIDTH, PAGE_WIDTH = 10_000, 100
QUERY_OR_DATA, USAGE = 1, 2
INTERRUPTED = 130  # what shells say of a command that Ctrl-C ended
KERNELS = "cepheid.kernels"  # its log says what is compiled
COMPILING = "compiling kernels for a first query of this kind, once"

# The spinner that is shown; a thread without one prints a line.
_STATUS: ContextVar[Status | None] = ContextVar("status", default=None)


def output_console(file: TextIO | None = None) -> Console:
    """Return the console for results; lines in files and pipes are as long as they need be."""
    from rich.console import Console

    stream = sys.stdout if file is None else file
    width = None if stream.isatty() else UNLIMITED_WIDTH
    return Console(file=stream, width=width, highlight=False)


def page_console() -> Console:
    """Return the console for pages to read; in files and pipes they are 100 columns wide."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else PAGE_WIDTH, highlight=False)


def message_console() -> Console:
    """Return the console for messages."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True)


@contextmanager
def reporting(*, quiet: bool = False) -> Iterator[None]:
    """Print errors without a traceback and exit; print warnings as they come.

    A query that is interrupted may still be in a kernel, which `main` does not wait for.
    """
    handler = _WarningPrinter(logging.WARNING)
    logger = logging.getLogger("cepheid")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.ERROR if quiet else logging.WARNING)
    try:
        with _compilations(quiet=quiet), last_defence("the command"):
            yield
    except CepheidError as error:
        fail(error)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        fail(CepheidError(str(error)))
    except KeyboardInterrupt:
        message_console().print("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


@contextmanager
def _compilations(*, quiet: bool) -> Iterator[None]:
    """Say that kernels are compiled, which makes a first query slow."""
    if quiet:
        yield
        return
    logger = logging.getLogger(KERNELS)
    handler, level = _CompilationPrinter(logging.INFO), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def fail(error: CepheidError) -> NoReturn:
    """Print an error and exit: 2 if an argument is at fault, else 1."""
    show_error(error)
    raise typer.Exit(USAGE if isinstance(error, ConfigError) else QUERY_OR_DATA)


def show_error(error: CepheidError) -> None:
    """Print an error, the word `error` in red."""
    text = str(error)
    console = message_console()
    for line in (text if text.startswith("error[") else f"error: {text}").splitlines():
        console.print(_styled(line))


def show_warning(message: str) -> None:
    """Print a warning."""
    from rich.text import Text

    message_console().print(Text.assemble(("warning", "bold yellow"), f": {message}"))


def show_note(message: str, *, quiet: bool) -> None:
    """Print what a person at a terminal may want to know."""
    if not quiet and (console := message_console()).is_terminal:
        from rich.text import Text

        console.print(Text(message, "dim"))


@contextmanager
def working(title: str, *, quiet: bool) -> Iterator[None]:
    """Show a spinner on a terminal while work goes on."""
    if quiet or not (console := message_console()).is_terminal:
        yield
        return
    with console.status(f"[dim]{title} …[/dim]") as status:
        token = _STATUS.set(status)
        try:
            yield
        finally:
            _STATUS.reset(token)


def _styled(line: str) -> Text:
    """Style the head of a diagnostic and its carets; the text stays as it is."""
    from rich.text import Text

    text = Text(line)
    text.highlight_regex(r"^error(\[[\w-]+\])?", "bold red")
    text.highlight_regex(r"^  hint:", "cyan")
    text.highlight_regex(r"^\s*\^+", "bold red")
    return text


class _WarningPrinter(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        show_warning(record.getMessage())


class _CompilationPrinter(logging.Handler):
    """Lets the spinner tell which kernel is compiled; without one, prints a line at the first."""

    kernels = 0

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING:
            return
        self.kernels += 1
        status = _STATUS.get()
        if status is not None:
            status.update(f"[dim]{COMPILING} … {self.kernels}: {record.getMessage()}[/dim]")
        elif self.kernels == 1:
            print(f"{COMPILING}; this takes some seconds", file=sys.stderr, flush=True)
