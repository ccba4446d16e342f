"""What a long run has done so far, below its cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from threading import Event, Thread
from time import monotonic
from typing import Any

from IPython.core.getipython import get_ipython
from IPython.display import DisplayHandle

PATIENCE, STEP = 1.0, 0.5  # seconds before something is said, and from then on
NOTHING = {"text/plain": "", "text/html": ""}


@contextmanager
def progress(said: Callable[[], str]) -> Iterator[None]:
    """Show what is said and for how long a block runs, if that takes a while; then take it away."""
    if not hasattr(get_ipython(), "kernel"):  # a terminal has no place that can be written anew
        yield
        return
    done, handle = Event(), DisplayHandle()
    thread = Thread(target=_show, args=(said, handle, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _show(said: Callable[[], str], handle: DisplayHandle, done: Event) -> None:
    start, is_shown, wait = monotonic(), False, PATIENCE
    while not done.wait(wait):
        words = f"{said()}, {monotonic() - start:.0f} s"
        bundle = {"text/plain": words, "text/html": f"<p>⏳ {escape(words)}</p>"}
        (handle.update if is_shown else handle.display)(bundle, raw=True)
        is_shown, wait = True, STEP
    if is_shown:
        handle.update(NOTHING, raw=True)


def words_for(events: Any) -> Callable[[], str]:
    """Return a function that says how far a run on these events is."""
    session = getattr(events, "sparkSession", None)
    if session is None:
        return lambda: "Running the query"
    return lambda: _tasks(session)


def _tasks(session: Any) -> str:
    """Say how many tasks of Spark are done; a client of Spark Connect is not told."""
    try:
        tracker = session.sparkContext.statusTracker()
        stages = [tracker.getStageInfo(each) for each in tracker.getActiveStageIds()]
        whole = sum(each.numTasks for each in stages if each is not None)
        finished = sum(each.numCompletedTasks for each in stages if each is not None)
    except Exception:
        return "Running on Spark"
    return f"Running on Spark, {finished:,} of {whole:,} tasks" if whole else "Running on Spark"
