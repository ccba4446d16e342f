"""Metrics of the streams of a Spark session, for programs and for Prometheus."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import Any

from cepheid.errors import ConfigError
from cepheid.metrics.collector import Collector, OnProgress
from cepheid.metrics.publish import PATH, LocalServer, metrics_answer, replace_file
from cepheid.metrics.stream_metrics import StreamMetrics

LOGGER = logging.getLogger("cepheid")


class StreamingMetrics:
    """Listens to a session until it is closed; see `streaming_metrics`."""

    def __init__(
        self, session: Any, each: OnProgress | None, file: str | None, port: int | None
    ) -> None:
        from cepheid.spark.progress_listener import listen

        self._session, self._each, self._file = session, each, file
        self._collector = Collector(self._progressed)
        self._write()
        self._server = None if port is None else LocalServer(port, metrics_answer(self.prometheus))
        self._listener = listen(session, self._collector)

    @property
    def latest(self) -> tuple[StreamMetrics, ...]:
        """The metrics of every stream after its last micro-batch."""
        return self._collector.latest

    @property
    def address(self) -> str | None:
        """Where the metrics are offered over HTTP, None if they are not."""
        return None if self._server is None else f"{self._server.address}{PATH}"

    def prometheus(self) -> str:
        """Return the metrics as Prometheus text."""
        return self._collector.prometheus()

    def close(self) -> None:
        """Listen no more, write the file a last time, stop answering."""
        from cepheid.spark.progress_listener import stop_listening

        stop_listening(self._session, self._listener)
        self._write()
        if self._server is not None:
            self._server.close()

    def __enter__(self) -> StreamingMetrics:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _progressed(self, metrics: StreamMetrics) -> None:
        try:
            self._write()
        except ConfigError as error:  # in a thread of Spark's, where nobody would catch it
            LOGGER.warning("%s", error)
        if self._each is not None:
            self._each(metrics)

    def _write(self) -> None:
        if self._file is not None:
            replace_file(self._file, self.prometheus())


def streaming_metrics(
    session: Any,
    *,
    each: OnProgress | None = None,
    file: str | None = None,
    port: int | None = None,
) -> StreamingMetrics:
    """Listen to the streams of a Spark session.

    Args:
        session: the Spark session.
        each: called with the `StreamMetrics` of a stream after each of its micro-batches, in a
            thread of its own.
        file: a file to write Prometheus text to, replaced after each micro-batch.
        port: a port of 127.0.0.1 at which GET /metrics gives Prometheus text; 0 for a free one.
    """
    return StreamingMetrics(session, each, file, port)
