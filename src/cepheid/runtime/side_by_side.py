"""Work on several threads: kernels and Arrow let go of the interpreter while they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

Result = TypeVar("Result")


def side_by_side(tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """Return what the tasks return, in their order; the first one runs in this thread."""
    if len(tasks) < 2:
        return [task() for task in tasks]
    with ThreadPoolExecutor(len(tasks) - 1) as pool:
        others = [pool.submit(task) for task in tasks[1:]]
        return [tasks[0](), *(each.result() for each in others)]


def cut(size: int, parts: int) -> list[range]:
    """Cut `range(size)` into parts of about the same size.

    >>> cut(5, 2)
    [range(0, 2), range(2, 5)]
    """
    return [range(a, b) for a, b in pairwise(size * part // parts for part in range(parts + 1))]
