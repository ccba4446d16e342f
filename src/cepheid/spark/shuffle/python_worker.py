"""The Python process in which Spark runs one task after another."""

from __future__ import annotations

import functools
import gc

from pyspark import TaskContext


@functools.cache
def keep_loaded() -> None:
    """Take what is loaded by now out of garbage collection; done once in a process of tasks.

    Spark has its worker collect garbage after every task. To look through all that Arrow, Numba and
    the kernels consist of takes 20 ms and more, which is longer than many a task.
    """
    if TaskContext.get() is not None:
        gc.freeze()
