"""Results of a stream together with the events that came too late for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame

WriteBatch = Callable[[DataFrame, int], Any]
Unpack = Callable[[DataFrame], Any]


@dataclass(frozen=True, slots=True)
class StreamResults:
    """What `late='deliver'` gives.

    `results` and `late` are streaming DataFrames; each is a query of its own if both are started.
    To write both from one query, and so consistently, start `tagged` with `each_batch`:

        found.tagged.writeStream.foreachBatch(found.each_batch(write, write_late)).start()
    """

    tagged: DataFrame
    unpack_results: Unpack
    unpack_late: Unpack

    @property
    def results(self) -> Any:
        """The results."""
        return self.unpack_results(self.tagged)

    @property
    def late(self) -> DataFrame:
        """The events of the query's types that came too late."""
        found: DataFrame = self.unpack_late(self.tagged)
        return found

    def each_batch(self, results: WriteBatch, late: WriteBatch) -> WriteBatch:
        """Return a function for `foreachBatch` that hands over both parts of a micro-batch."""
        unpack_results, unpack_late = self.unpack_results, self.unpack_late

        def write(batch: DataFrame, number: int) -> None:
            kept = batch.persist()
            try:
                kept.count()  # also if nobody looks at it: the tasks commit the state
                results(unpack_results(kept), number)
                late(unpack_late(kept), number)
            finally:
                kept.unpersist()

        return write
