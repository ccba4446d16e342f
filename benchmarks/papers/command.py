"""Run the experiments of a paper, show how far they are, and report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn

from benchmarks.contender import NotRunnableError
from benchmarks.papers.catalogue import chosen, experiments_of
from benchmarks.papers.experiment import Experiment
from benchmarks.papers.plot import require_matplotlib
from benchmarks.papers.progress import watching
from benchmarks.papers.report import Report
from benchmarks.surroundings import written


def run_paper(
    paper: str, *, figures: Sequence[str], scale: float, folder: Path, console: Console
) -> None:
    """Run the figures of a paper, or all.

    Raises:
        NotRunnableError: there is no such figure, or nothing to plot with.
        WrongAnswerError: two contenders do not agree.
    """
    experiments = chosen(paper, figures)
    if not experiments:
        names = ", ".join(each.name for each in experiments_of(paper))
        raise NotRunnableError(f"{paper} has no figure {', '.join(figures)}; there are: {names}")
    require_matplotlib()
    for place, experiment in enumerate(experiments):
        report = _run(experiment, scale, f"{place + 1}/{len(experiments)}")
        report.show(console)
        console.print(written(report.write, folder) + "\n", soft_wrap=True)


def _run(experiment: Experiment, scale: float, place: str) -> Report:
    """Run one experiment; a terminal shows what it is at and for how long."""
    columns = (
        TextColumn("{task.fields[place]} [bold]{task.fields[name]}[/bold]"),
        TimeElapsedColumn(),
        TextColumn("{task.description}", style="dim"),
    )
    console = Console(stderr=True)
    quiet = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=quiet) as shown:
        task = shown.add_task("starting", total=None, name=experiment.name, place=place)
        with watching(lambda text: shown.update(task, description=text)):
            return Report(experiment, scale, experiment.run(scale))
