"""Whoever waits at a terminal is told, once, that kernels are compiled."""

import logging
import os
import sys

import pytest

from cepheid.kernels.compiling import LOG, SAID, Logger


def told(level: int, monkeypatch: pytest.MonkeyPatch, stream: int) -> list[str]:
    """Return what two compilations write to a stream, at a level of the log."""
    reader, writer = os.openpty() if stream else os.pipe()
    monkeypatch.setattr(sys, "stderr", os.fdopen(writer, "w"))
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)  # other tests import it
    before = LOG.level
    LOG.setLevel(level)
    logger = Logger()
    try:
        logger.begin("one")
        logger.begin("other")
        print("end", file=sys.stderr, flush=True)
    finally:
        LOG.setLevel(before)
    lines = os.read(reader, 1000).decode().split()
    sys.stderr.close()
    os.close(reader)
    return lines


@pytest.mark.parametrize(
    ("level", "stream", "said"),
    [
        (logging.WARNING, 1, SAID.split()),
        (logging.INFO, 1, []),
        (logging.ERROR, 1, []),
        (logging.WARNING, 0, []),
    ],
)
def test_a_line(level: int, stream: int, said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(level, monkeypatch, stream) == [*said, "end"]
