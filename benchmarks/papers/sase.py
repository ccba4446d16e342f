"""The experiments of SASE: Wu, Diao, Rizvi, High-Performance Complex Event Processing over Streams.

SIGMOD 2006, section 5: all figures, and four experiments that the text reports without one.
"""

from __future__ import annotations

from benchmarks.papers.experiment import Experiment
from benchmarks.papers.sase_construction import FIGURE_8, FIGURE_9
from benchmarks.papers.sase_negation import NEGATION, PREDICATES
from benchmarks.papers.sase_predicates import FIGURE_10A, FIGURE_10B, FIRST_TEST, PUSHED_WINDOWS
from benchmarks.papers.sase_relational import FIGURE_11, FIGURE_12

EXPERIMENTS: tuple[Experiment, ...] = (
    FIGURE_8,
    FIGURE_9,
    FIRST_TEST,
    FIGURE_10A,
    FIGURE_10B,
    PUSHED_WINDOWS,
    PREDICATES,
    NEGATION,
    FIGURE_11,
    FIGURE_12,
)
