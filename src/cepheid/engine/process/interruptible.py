"""Runs that Ctrl-C ends at once, although compiled loops do not look at signals.

Python hands signals to the main thread, between two of its own steps. So the work is done on
another thread while the main thread only waits. When that is interrupted, the work is left to
itself: it ends where it next looks whether it is still wanted, or when the kernel that it is in
returns.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextvars import ContextVar
from functools import partial
from typing import TypeVar

from cepheid.engine.process.threads import start

Result = TypeVar("Result")
SECONDS_BETWEEN_LOOKS = 0.5  # at signals, where waiting for a thread is not interrupted by them
_unwanted: ContextVar[threading.Event | None] = ContextVar("unwanted", default=None)


def interruptible(work: Callable[[], Result]) -> Result:
    """Return what the work returns; in the main thread, Ctrl-C ends the waiting for it."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    unwanted = threading.Event()
    future = start(partial(_work, work, unwanted))
    try:
        while not wait([future], SECONDS_BETWEEN_LOOKS).done:
            pass
    except BaseException:
        unwanted.set()
        raise
    return future.result()


def each_interruptible(found: Iterator[Result]) -> Iterator[Result]:
    """Yield what is found, each when it is asked for."""
    while (following := interruptible(partial(next, found, None))) is not None:
        yield following


def _work(work: Callable[[], Result], unwanted: threading.Event) -> Result:
    _unwanted.set(unwanted)
    return work()


def stop_if_unwanted() -> None:
    """End this thread's work if nobody waits for it any more; for loops over kernels."""
    unwanted = _unwanted.get()
    if unwanted is not None and unwanted.is_set():
        raise KeyboardInterrupt
