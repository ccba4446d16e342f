"""`cepheid warmup`: compile kernels before they are needed."""

from __future__ import annotations

from typing import Annotated

import typer

import cepheid
from cepheid.cli.arguments import QuietOption
from cepheid.cli.console import reporting, working


def warmup(
    kinds: Annotated[
        list[str] | None,
        typer.Argument(help="Kinds of queries, see --list. Default: all.", show_default=False),
    ] = None,
    list_kinds: Annotated[bool, typer.Option("--list", help="Show all kinds and exit.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Compile the kernels of queries ahead, so that the first query does not wait for it.

    [bold]Examples[/bold]

    cepheid warmup

    cepheid warmup counts adjacent-predicates
    """
    with reporting(quiet=quiet):
        if list_kinds:
            typer.echo("\n".join(cepheid.warmup_kinds()))
            return
        count = 0
        for kind in kinds or cepheid.warmup_kinds():
            with working(f"Compiling kernels of {kind}", quiet=quiet):
                (warmed,) = cepheid.warmup(kind)
            count += len(warmed.kernels)
            names = ", ".join(sorted({each.name for each in warmed.kernels}))
            seconds = sum(each.seconds for each in warmed.kernels)
            result = f"{seconds:.1f} s: {names}" if names else "nothing to compile"
            typer.echo(f"{kind}: {result}")
        typer.echo(f"{count} kernels compiled, {_place()}")


def _place() -> str:
    from cepheid.kernels.cache import cache_folder

    folder = cache_folder()
    return "in memory only" if folder is None else f"kept in {folder}"
