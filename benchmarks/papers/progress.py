"""What an experiment is doing now, for whoever watches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_watcher: ContextVar[Callable[[str], None] | None] = ContextVar("watcher", default=None)


def announce(text: str) -> None:
    """Say what happens next."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(text)


@contextmanager
def watching(watcher: Callable[[str], None]) -> Iterator[None]:
    """Tell the watcher everything that is announced inside.

    >>> with watching(print):
    ...     announce("V1 = 100")
    V1 = 100
    """
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)
