"""Work on several threads: kernels and Arrow let go of the interpreter while they run.

The threads stay, since Arrow's memory pool gives back what a thread had when it ends, and touching
new memory can take many times as long as what is done with it. They are daemons: a process need not
wait for a kernel whose result nobody wants any more.

Kernels do not look at signals either, and Python hands these to the main thread, between two of its
own steps. So where Ctrl-C is to end a run at once, the work is done on another thread while the
main thread only waits. When that is interrupted, the work is left to itself: it ends where it next
looks whether it is still wanted, or when the kernel that it is in returns.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextvars import ContextVar, copy_context
from functools import partial
from itertools import pairwise
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import Any, TypeVar

Result = TypeVar("Result")


class _Threads:
    """A thread is started only if all others are busy; where none can be, its task runs at once."""

    def __init__(self) -> None:
        self.waiting: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self.idle = Semaphore(0)

    def submit(self, task: Callable[[], Result]) -> Future[Result]:
        future: Future[Result] = Future()
        if not self.idle.acquire(blocking=False):
            try:
                Thread(target=self._work, name="cepheid", daemon=True).start()
            except RuntimeError:  # too little memory for its stack, or a limit on threads
                _do(future, task)
                return future
        self.waiting.put((future, task))
        return future

    def _work(self) -> None:
        while True:
            future, task = self.waiting.get()
            _do(future, task)
            del future, task  # what they hold must not wait for the next task
            self.idle.release()


def _do(future: Future[Result], task: Callable[[], Result]) -> None:
    if future.set_running_or_notify_cancel():
        try:
            result = task()
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)


@functools.cache
def _threads() -> _Threads:
    return _Threads()


if hasattr(os, "register_at_fork"):  # threads do not survive a fork
    os.register_at_fork(after_in_child=_threads.cache_clear)


def start(task: Callable[[], Result]) -> Future[Result]:
    """Start a task on another thread, with the context variables of this one."""
    return _threads().submit(functools.partial(copy_context().run, task))


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
