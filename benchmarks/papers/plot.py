"""A figure as SVG: the same outcome gives the same bytes."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.contender import NotRunnableError
from benchmarks.papers.experiment import Experiment, Outcome
from benchmarks.papers.sweep import OURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INCHES = (7.2, 4.4)
# Okabe and Ito: eight colours that colour-blind readers can tell apart; ours is the first.
OUR_COLOUR = "#D55E00"
COLOURS = ("#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C8C8C")
MARKERS = "sD^vPX*"
STYLES = ("-", "--", "-.", ":")


def require_matplotlib() -> None:
    """Raise NotRunnableError before anything is measured if there will be no plot."""
    if find_spec("matplotlib") is None:
        raise NotRunnableError("the plots need matplotlib: pip install 'cepheid[bench]'")


def plot(experiment: Experiment, outcome: Outcome, path: Path) -> None:
    """Draw the series of a figure; points that were skipped are left out."""
    import matplotlib
    from matplotlib.figure import Figure

    settings: Any = {
        "svg.hashsalt": experiment.name,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#DDDDDD",
        "grid.linewidth": 0.6,
        "font.size": 9.5,
    }
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=INCHES, layout="constrained")
        axes = figure.add_subplot()
        _draw(axes, outcome)
        axes.set_title(f"{experiment.name}: {experiment.title}", loc="left", fontsize=10, wrap=True)
        axes.set_xlabel(experiment.x_label)
        axes.set_ylabel(experiment.y_label)
        _scale(axes, experiment, outcome)
        figure.legend(loc="outside lower center", ncols=3, frameon=False)
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": "cepheid bench"})


def _draw(axes: Axes, outcome: Outcome) -> None:
    ours = [name for name in outcome.series if OURS in name]
    others = [name for name in outcome.series if OURS not in name]
    for place, name in enumerate([*others, *ours]):
        cells = outcome.series[name]
        shown = [
            (x, cell.value)
            for x, cell in zip(_places(outcome), cells, strict=True)
            if cell.value is not None
        ]
        is_ours = name in ours
        axes.plot(
            [x for x, _ in shown],
            [y for _, y in shown],
            label=name,
            color=OUR_COLOUR if is_ours else COLOURS[place % len(COLOURS)],
            marker="o" if is_ours else MARKERS[place % len(MARKERS)],
            linestyle=STYLES[ours.index(name) % len(STYLES)] if is_ours else "-",
            linewidth=3.2 if is_ours else 1.5,
            zorder=2.0 if is_ours else 2.5,  # a curve on top of ours stays visible
            markersize=7.0 if is_ours else 5.0,
        )


def _places(outcome: Outcome) -> list[float]:
    """Return where the points are; names stand side by side."""
    if any(isinstance(point, str) for point in outcome.points):
        return [float(place) for place in range(len(outcome.points))]
    return [float(point) for point in outcome.points]


def _scale(axes: Axes, experiment: Experiment, outcome: Outcome) -> None:
    """Put a tick at every point, and start linear values at 0."""
    from matplotlib.ticker import EngFormatter, NullFormatter, NullLocator

    values = [cell.value for cells in outcome.series.values() for cell in cells]
    known = [value for value in values if value is not None]
    if experiment.log_x:
        axes.set_xscale("log")
    if experiment.log_y and any(value > 0 for value in known):
        axes.set_yscale("log", nonpositive="mask")
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(bottom=0)
    if max(known, default=0) >= 1000 and not experiment.log_y:
        axes.yaxis.set_major_formatter(EngFormatter(sep=""))
    labels = [each if isinstance(each, str) else f"{each:,}" for each in outcome.points]
    axes.set_xticks(_places(outcome), labels)
    axes.xaxis.set_minor_locator(NullLocator())
