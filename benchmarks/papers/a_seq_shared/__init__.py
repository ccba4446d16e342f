"""The experiments of A-Seq with several queries: Qi, Cao, Ray, Rundensteiner (SIGMOD 2014).

Complex Event Analytics, section 6.3: figures 15 and 16, prefix sharing and Chop-Connect.
"""

from __future__ import annotations

from benchmarks.papers.a_seq_shared.figures import FIGURES
from benchmarks.papers.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = FIGURES
