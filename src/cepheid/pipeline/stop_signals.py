"""Ctrl-C and SIGTERM ask a pipeline to stop; a second one ends it at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class StopSignals:
    """`asked` is set when the pipeline should stop; `signal` tells by which signal."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.signal: signal.Signals | None = None

    def listen(self) -> None:
        """Take over the signals; again after Spark has started, which takes them for itself."""
        if threading.current_thread() is threading.main_thread():
            for each in (signal.SIGINT, signal.SIGTERM):
                signal.signal(each, self._receive)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        if self.asked.is_set():
            raise KeyboardInterrupt
        self.signal = signal.Signals(number)
        self.asked.set()


@contextmanager
def stop_signals() -> Iterator[StopSignals]:
    """Listen to the signals, and set back at the end who did before."""
    before: dict[int, Any] = {
        each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)
    }
    stop = StopSignals()
    stop.listen()
    try:
        yield stop
    finally:
        if threading.current_thread() is threading.main_thread():
            for number, handler in before.items():
                signal.signal(number, handler)
