"""The experiments of SASE+: Efficient Pattern Matching over Event Streams, SIGMOD 2008, section 6.

`queries` and `stream` are the paper's workload, `shared_runs` and `backtrack` its algorithms,
`contenders` and `compare` run them against Cepheid, `by_query`, `by_window` and `by_increase` are
the figures.
"""

from __future__ import annotations

from benchmarks.papers.experiment import Experiment
from benchmarks.papers.sase_plus.by_increase import BY_INCREASE
from benchmarks.papers.sase_plus.by_query import BY_QUERY
from benchmarks.papers.sase_plus.by_window import BY_WINDOW

EXPERIMENTS: tuple[Experiment, ...] = tuple(
    sorted((*BY_QUERY, *BY_WINDOW, BY_INCREASE), key=lambda experiment: experiment.name)
)
