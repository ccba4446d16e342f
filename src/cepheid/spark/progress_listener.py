"""Spark's events of streams, for a collector."""

from __future__ import annotations

import json

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import (
    QueryIdleEvent,
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)

from cepheid.metrics.collector import Collector


class ProgressListener(StreamingQueryListener):
    """Hands the progress of every stream of a session to a collector."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector

    def onQueryStarted(self, event: QueryStartedEvent) -> None:
        """Take note of a stream."""
        self._collector.started(str(event.runId), event.name or str(event.id))

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        """Take in a micro-batch."""
        self._collector.progressed(str(event.progress.runId), json.loads(event.progress.json))

    def onQueryIdle(self, event: QueryIdleEvent) -> None:
        """Nothing has changed."""

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:
        """Take note of the end."""
        self._collector.ended(str(event.runId))


def listen(session: SparkSession, collector: Collector) -> ProgressListener:
    """Let a collector hear of all streams of a session."""
    listener = ProgressListener(collector)
    session.streams.addListener(listener)
    return listener


def stop_listening(session: SparkSession, listener: ProgressListener) -> None:
    """Let the collector hear no more."""
    session.streams.removeListener(listener)
