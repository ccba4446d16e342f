"""Who is told that kernels are compiled: the log, a terminal or notebook, and whoever watches.

A kernel is compiled once for a version of Cepheid and kept (see cache.py), which takes seconds: a
first query is slow, and its user should know why.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

from numba.core import event

LOG = logging.getLogger(__name__.rpartition(".")[0])
COMPILATION = "numba:compile"
SAID = "compiling kernels for a first query of this kind, once"


class Compiled(NamedTuple):
    """A kernel that was compiled, with all that it calls, and how long that took."""

    name: str
    seconds: float


class _Listener(event.Listener):
    """Sees the functions that Numba compiles; those that a kernel calls come in between."""

    def __init__(self) -> None:
        self.compiled: list[Compiled] = []
        self._depth = 0
        self._begin = 0.0

    def on_start(self, event: event.Event) -> None:
        if self._depth == 0:
            self._begin = time.perf_counter()
            self.begin(_name(event))
        self._depth += 1

    def on_end(self, event: event.Event) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.end(Compiled(_name(event), time.perf_counter() - self._begin))

    def begin(self, name: str) -> None:
        """Take note of a kernel that will be compiled."""

    def end(self, compiled: Compiled) -> None:
        """Take note of a kernel that has been compiled."""
        self.compiled.append(compiled)


class Logger(_Listener):
    """Writes to the log what is compiled, and once to a terminal or a notebook that it is."""

    has_said = False

    def begin(self, name: str) -> None:
        """Tell of a kernel that will be compiled."""
        LOG.info("compiling %s, once", name)
        if not self.has_said and _is_watched():
            self.has_said = True
            print(SAID, file=sys.stderr, flush=True)

    def end(self, compiled: Compiled) -> None:
        """Tell how long that took."""
        LOG.debug("compiled %s in %.1f s", compiled.name, compiled.seconds)


def _is_watched() -> bool:
    """Whether somebody waits at a terminal or a notebook who does not read the log.

    Workers of Spark share a terminal with the process that has the query.
    """
    if LOG.isEnabledFor(logging.INFO) or not LOG.isEnabledFor(logging.WARNING):
        return False
    if "pyspark.worker" in sys.modules or sys.stderr is None:
        return False
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def _name(event: event.Event) -> str:
    return str(event.data["dispatcher"].py_func.__name__)


def log_compilations() -> None:
    """Write to the log from now on what is compiled; it is called once."""
    event.register(COMPILATION, Logger())  # type: ignore[no-untyped-call]


@contextlib.contextmanager
def watching_compilations() -> Iterator[list[Compiled]]:
    """Give a list of what is compiled meanwhile, in this process."""
    listener = _Listener()
    with event.install_listener(COMPILATION, listener):
        yield listener.compiled
