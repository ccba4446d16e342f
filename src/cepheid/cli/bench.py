"""`cepheid bench`: the benchmarks of a clone of the repository."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

import cepheid
from cepheid.cli.console import reporting
from cepheid.errors import ConfigError

FOLDER = "benchmarks"
# Imported by name, since the folder is no part of the package and missing where that is installed.
COMMAND = f"{FOLDER}.__main__"


def bench(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            help="A benchmark or a paper; without one, all are listed.", show_default=False
        ),
    ] = None,
    figure: Annotated[
        list[str] | None,
        typer.Option("--figure", "-f", help="A figure of the paper, such as 8 or 10a; repeatable."),
    ] = None,
    scale: Annotated[
        float | None,
        typer.Option(help="How many events a paper's experiment has; 0.1: a tenth of the usual."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Where results go. Default: benchmarks/results."
        ),
    ] = None,
) -> None:
    """Run a benchmark, or the experiments of a paper with the algorithms that it compares.

    It needs a clone of the repository. Other options go to the benchmark: [cyan]--events N[/cyan],
    [cyan]--repeat R[/cyan].

    [bold]Examples[/bold]

    cepheid bench

    cepheid bench sase --figure 8 --scale 0.1

    cepheid bench w1-sparse --events 100000
    """
    with reporting():
        repository = _repository()
        arguments = [] if name is None else [name]
        for each in figure or ():
            arguments += ["--figure", each]
        if scale is not None:
            arguments += ["--scale", str(scale)]
        if output is not None:
            arguments += ["--results", str(output)]
        if str(repository) not in sys.path:
            sys.path.insert(0, str(repository))
        code = import_module(COMMAND).main([*arguments, *context.args])
    raise typer.Exit(code)


def _repository() -> Path:
    """Return the clone that this package runs from.

    Raises:
        ConfigError: the package is installed without its repository.
    """
    repository = Path(cepheid.__file__).parents[2]
    if not (repository / FOLDER / "__main__.py").is_file():
        raise ConfigError(
            "benchmarks need a clone of the repository; they are not part of the installed package",
            hint="in a clone: pip install -e '.[bench]', then cepheid bench",
        )
    return repository
