"""What a long run has done so far, below its cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from html import escape
from threading import Event, Thread
from time import monotonic
from typing import Any

from IPython.core.getipython import get_ipython
from IPython.display import DisplayHandle

PATIENCE, STEP = 1.0, 0.5  # seconds before something is said, and from then on
NOTHING = {"text/plain": "", "text/html": ""}
Words = Callable[[], str]  # what to say now; nothing where there is nothing to say
_is_shown: ContextVar[bool] = ContextVar("is_shown", default=False)


@contextmanager
def progress(said: Words) -> Iterator[None]:
    """Show what is said and for how long a block runs, if that takes a while; then take it away.

    A block inside another one has no line of its own.
    """
    if not _has_kernel() or _is_shown.get():
        yield
        return
    before, line = _is_shown.set(True), _Line(said)
    try:
        yield
    finally:
        line.end()
        _is_shown.reset(before)


def watch_spark(session: Any) -> None:
    """Show during this cell and later ones how far Spark is: a DataFrame runs when it is read."""
    if _has_kernel():
        shell = get_ipython()
        watch = getattr(shell, "cepheid_watch", None)
        if watch is None:
            watch = shell.cepheid_watch = _CellWatch()
            shell.events.register("pre_run_cell", watch.begin)
            shell.events.register("post_run_cell", watch.end)
        watch.session = session
        watch.begin()


class _CellWatch:
    """Has a line for as long as a cell runs; it is empty while Spark has nothing to do."""

    def __init__(self) -> None:
        self.session: Any = None
        self.line: _Line | None = None

    def begin(self, *_: Any) -> None:
        if self.line is None:
            self.line = _Line(lambda: _tasks(self.session))

    def end(self, *_: Any) -> None:
        if self.line is not None:
            self.line.end()
            self.line = None


class _Line:
    """A line below a cell, written anew by a thread until its end."""

    def __init__(self, said: Words) -> None:
        self.said, self.handle, self.done = said, DisplayHandle(), Event()
        self.start, self.is_shown = monotonic(), False
        self.thread = Thread(target=self._write, daemon=True)
        self.thread.start()

    def end(self) -> None:
        self.done.set()
        self.thread.join()

    def _write(self) -> None:
        wait = PATIENCE
        while not self.done.wait(wait):
            words = self.said()
            if words:
                self._show(f"{words}, {monotonic() - self.start:.0f} s")
            wait = STEP
        if self.is_shown:
            self.handle.update(NOTHING, raw=True)

    def _show(self, words: str) -> None:
        bundle = {"text/plain": words, "text/html": f"<p>⏳ {escape(words)}</p>"}
        (self.handle.update if self.is_shown else self.handle.display)(bundle, raw=True)
        self.is_shown = True


def _has_kernel() -> bool:
    """A terminal has no place that can be written anew."""
    return hasattr(get_ipython(), "kernel")


def _tasks(session: Any) -> str:
    """Say how many tasks of Spark are done; a client of Spark Connect is not told."""
    try:
        tracker = session.sparkContext.statusTracker()
        stages = [tracker.getStageInfo(each) for each in tracker.getActiveStageIds()]
        whole = sum(each.numTasks for each in stages if each is not None)
        finished = sum(each.numCompletedTasks for each in stages if each is not None)
    except Exception:
        return ""
    return f"Spark: {finished:,} of {whole:,} tasks" if whole else ""
