"""The experiments of COGRA: Poppe, Lei, Rundensteiner, Maier, SIGMOD 2019.

Event Trend Aggregation Under Rich Event Matching Semantics, section 8 and appendix D: figures 5 to
13. Of each, `a` is the latency and `b` the memory; figures 8 and 10 have the throughput as `c`.
"""

from __future__ import annotations

from benchmarks.papers.cogra.activity import FIGURE_5, FIGURE_6, FIGURE_7
from benchmarks.papers.cogra.figure import experiments
from benchmarks.papers.cogra.stock import FIGURE_8, FIGURE_10, FIGURE_13
from benchmarks.papers.cogra.uber import FIGURE_9, FIGURE_11, FIGURE_12
from benchmarks.papers.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = tuple(
    experiment
    for figure in (
        FIGURE_5, FIGURE_6, FIGURE_7, FIGURE_8, FIGURE_9, FIGURE_10, FIGURE_11, FIGURE_12, FIGURE_13
    )
    for experiment in experiments(figure)
)  # fmt: skip
