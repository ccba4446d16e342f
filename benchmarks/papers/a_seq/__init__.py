"""The experiments of A-Seq: Qi, Cao, Ray, Rundensteiner, Complex Event Analytics (SIGMOD 2014).

Section 6.2, one query at a time: figures 12, 13 and 14.
"""

from __future__ import annotations

from benchmarks.papers.a_seq.figures import FIGURES
from benchmarks.papers.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = FIGURES
