"""Work on several threads: kernels and Arrow let go of the interpreter while they run.

The threads stay, since Arrow's memory pool gives back what a thread had when it ends, and touching
new memory can take many times as long as what is done with it.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

Result = TypeVar("Result")
MOST_THREADS = 64


@functools.cache
def _threads() -> ThreadPoolExecutor:
    """A thread is started only if all others are busy."""
    return ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="cepheid")


if hasattr(os, "register_at_fork"):  # threads do not survive a fork
    os.register_at_fork(after_in_child=_threads.cache_clear)


def start(task: Callable[[], Result]) -> Future[Result]:
    """Start a task on another thread; it must not wait for tasks that are started later."""
    return _threads().submit(task)


def side_by_side(tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """Return what the tasks return, in their order; the first one runs in this thread."""
    others = [start(task) for task in tasks[1:]]
    try:
        return [task() for task in tasks[:1]] + [each.result() for each in others]
    finally:
        for each in others:  # none may outlive what it works on
            if not each.cancel():
                each.exception()


def cut(size: int, parts: int) -> list[range]:
    """Cut `range(size)` into parts of about the same size.

    >>> cut(5, 2)
    [range(0, 2), range(2, 5)]
    """
    return [range(a, b) for a, b in pairwise(size * part // parts for part in range(parts + 1))]
