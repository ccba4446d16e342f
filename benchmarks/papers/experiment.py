"""What an experiment of a paper consists of, and what running it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """One measured value, or the reason why there is none."""

    value: float | None
    skipped: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The series of one figure or table: `series[name][k]` belongs to `points[k]`.

    `ratios` are the sentences that compare ours with the baselines in this run; `shape` says
    whether the paper's curve shape was seen again.
    """

    points: Sequence[float | str]
    series: Mapping[str, Sequence[Cell]]
    ratios: Sequence[str]
    shape: str


@dataclass(frozen=True, slots=True)
class Experiment:
    """One figure or table of a paper.

    `run` takes the scale: 1.0 is the default size of this machine's runs, less is a quick look; the
    numbers of events follow from it. `paper` says what the paper shows there, `differs` what is
    done differently here and why.
    """

    name: str
    title: str
    x_label: str
    y_label: str
    paper: str
    differs: str
    run: Callable[[float], Outcome]
    log_x: bool = False
    log_y: bool = False
