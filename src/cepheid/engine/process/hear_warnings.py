"""Warnings that go to the logger are kept, too, for who shows them elsewhere."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from cepheid.engine.process.log import LOG


class _Keeping(logging.Handler):
    def __init__(self, kept: list[str]) -> None:
        super().__init__(logging.WARNING)
        self.kept = kept

    def emit(self, record: logging.LogRecord) -> None:
        words = record.getMessage()
        if words not in self.kept:
            self.kept.append(words)


@contextmanager
def hear_warnings() -> Iterator[list[str]]:
    """Give a list to which the warnings are added that come meanwhile, each once.

    >>> with hear_warnings() as heard:
    ...     LOG.warning("no event is of type '%s'", "B")
    >>> heard
    ["no event is of type 'B'"]
    """
    heard: list[str] = []
    handler = _Keeping(heard)
    LOG.addHandler(handler)
    try:
        yield heard
    finally:
        LOG.removeHandler(handler)
