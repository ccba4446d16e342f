"""The papers by name. A paper is a module here with `EXPERIMENTS`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module

from benchmarks.papers.experiment import Experiment

MODULE_BY_PAPER = {
    "sase": "benchmarks.papers.sase",
    "sase-plus": "benchmarks.papers.sase_plus",
    "a-seq": "benchmarks.papers.a_seq",
    "a-seq-shared": "benchmarks.papers.a_seq_shared",
    "cogra": "benchmarks.papers.cogra",
    "hamlet": "benchmarks.papers.hamlet",
    "beyond": "benchmarks.papers.beyond",
}
PAPERS = tuple(MODULE_BY_PAPER)


def experiments_of(paper: str) -> tuple[Experiment, ...]:
    """Return the experiments of a paper; its baselines are imported now."""
    experiments: tuple[Experiment, ...] = import_module(MODULE_BY_PAPER[paper]).EXPERIMENTS
    return experiments


def chosen(paper: str, figures: Sequence[str]) -> list[Experiment]:
    """Return the experiments of the figures: `8`, `10` for 10a and 10b, or the end of a name."""
    return [
        each
        for each in experiments_of(paper)
        if not figures or any(_is_called(each.name, figure, paper) for figure in figures)
    ]


def _is_called(name: str, figure: str, paper: str) -> bool:
    """Say whether a figure is meant.

    >>> [_is_called("sase-fig-10a", figure, "sase") for figure in ("10", "10a", "1", "fig-10a")]
    [True, True, False, True]
    >>> _is_called("sase-plus-fig-8c-p1s3", "8c", "sase-plus")
    True
    """
    own = name.removeprefix(f"{paper}-")
    endings = (own, own.removeprefix("fig-"), own.removeprefix("table-"))
    return figure in endings or any(
        each.startswith(figure) and re.match(r"([a-z]|-|$)", each[len(figure) :])
        for each in endings
    )
