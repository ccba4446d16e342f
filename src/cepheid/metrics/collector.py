"""The latest metrics of every stream; written by a listener's thread, read by others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from cepheid.metrics.prometheus import prometheus_text
from cepheid.metrics.stream_metrics import StreamMetrics, advance

OnProgress = Callable[[StreamMetrics], None]


class Collector:
    """Folds the progress of streams; `each` is called after every micro-batch."""

    def __init__(self, each: OnProgress | None = None) -> None:
        self._each = each
        self._lock = threading.Lock()
        self._latest: dict[str, StreamMetrics] = {}
        self._names: dict[str, str] = {}

    @property
    def latest(self) -> tuple[StreamMetrics, ...]:
        """The metrics of every stream after its last micro-batch."""
        with self._lock:
            return tuple(self._latest.values())

    def started(self, run: str, name: str) -> None:
        """Note that a stream runs; `run` is Spark's number of it."""
        with self._lock:
            self._names[run] = name
            before = self._latest.get(name, StreamMetrics(name))
            self._latest[name] = replace(before, is_running=True)

    def progressed(self, run: str, progress: Mapping[str, Any]) -> None:
        """Take in the progress of a micro-batch, as the JSON that Spark makes of it."""
        with self._lock:
            name = self._names.setdefault(run, progress.get("name") or run)
            after = advance(self._latest.get(name, StreamMetrics(name)), progress)
            self._latest[name] = after
        if self._each is not None:
            self._each(after)

    def ended(self, run: str) -> None:
        """Note that a stream runs no more."""
        with self._lock:
            name = self._names.get(run, run)
            if name in self._latest:
                self._latest[name] = replace(self._latest[name], is_running=False)

    def prometheus(self) -> str:
        """Return the metrics as Prometheus text."""
        return prometheus_text(self.latest)
