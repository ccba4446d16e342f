"""The experiments of HAMLET: Poppe, Lei, Ma, Rozet, Rundensteiner, SIGMOD 2021.

To Share, or not to Share Online Event Trend Aggregation Over Bursty Event Streams, section 5:
figures 8 to 12. The letters of figure 10 are ours: `a` to `d` vary the events per minute, `e` to
`h` the queries; of each, latency before throughput and taxis before smart homes.
"""

from __future__ import annotations

from benchmarks.papers.experiment import Experiment
from benchmarks.papers.hamlet import kleene, static_or_dynamic
from benchmarks.papers.hamlet.decisions import DECISIONS
from benchmarks.papers.hamlet.figure import experiment

EXPERIMENTS: tuple[Experiment, ...] = (
    *(experiment(chart) for chart in (*kleene.CHARTS, *static_or_dynamic.CHARTS)),
    DECISIONS,
)
