"""The events of a task: folded at once if they fit the memory, else by way of files in chunks."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame

from cepheid.engine.process.name_errors import errors_of
from cepheid.errors import ConfigError
from cepheid.spark.shuffle.python_worker import keep_loaded
from cepheid.spark.shuffle.whole_task import MapBatches
from cepheid.stream.sorted_runs import Chunk, RunChunks, SortedRuns

TASK_MEMORY = "spark.cepheid.task.memory"
DEFAULT_MEMORY = "512m"
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
LARGEST_RUN = 1 << 30  # texts of one array have 31-bit offsets
Fold = Callable[[pa.Table], pa.Table]
FoldWhole = Callable[[pa.Table], Iterable[pa.Table]]
FoldChunks = Callable[[Iterable[Chunk]], Iterator[pa.Table]]


@dataclass(frozen=True, slots=True)
class TaskFold:
    """How a task folds events: all at once, or, beyond so many bytes of them, in chunks.

    `in_chunks` is None if the query keeps everything anyway; it may go through the chunks several
    times. `time` is the time column, `queries` are the names of those that are folded.
    """

    queries: tuple[str, ...]
    time: str
    whole: FoldWhole
    in_chunks: FoldChunks | None
    memory: int

    def of_batches(self, names: Sequence[str]) -> MapBatches:
        """Return what `mapInArrow` wants; a task without rows gives nothing.

        `names` are those of the columns: Spark hands them over under others.
        """

        def map_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            with errors_of(None):
                yield from self._results(batches, names)

        return map_batches

    def _results(
        self, batches: Iterator[pa.RecordBatch], names: Sequence[str]
    ) -> Iterator[pa.RecordBatch]:
        received: list[pa.RecordBatch] = []
        size = 0
        for batch in batches:
            received.append(batch)
            size += batch.nbytes
            if self.in_chunks is not None and size > self.memory:
                yield from self._through_files(self.in_chunks, received, batches, names)
                return
        if received:
            for result in self.whole(_table(received, names)):
                yield from result.to_batches()
            keep_loaded()

    def _through_files(
        self,
        in_chunks: FoldChunks,
        received: list[pa.RecordBatch],
        batches: Iterator[pa.RecordBatch],
        names: Sequence[str],
    ) -> Iterator[pa.RecordBatch]:
        most = min(max(1, self.memory // 2), LARGEST_RUN)
        with tempfile.TemporaryDirectory(prefix="cepheid-", dir=_local_folder()) as folder:
            runs = SortedRuns(Path(folder), self.time)
            for events in _in_tables(received, batches, most):
                runs.add(events.rename_columns(list(names)))
            for result in in_chunks(RunChunks(runs, max(1, self.memory // 4))):
                yield from result.to_batches()


def task_memory(frame: DataFrame) -> int:
    """Return how many bytes of events a task may keep, as the session says."""
    given = frame.sparkSession.conf.get(TASK_MEMORY, DEFAULT_MEMORY) or DEFAULT_MEMORY
    found = re.fullmatch(r"\s*(\d+)\s*([kmgt]?)b?\s*", given.lower())
    if found is None or int(found[1]) == 0:
        raise ConfigError(
            f"{TASK_MEMORY} is '{given}', which is not a size", hint="write 512m or 2g, for example"
        )
    return int(found[1]) * UNITS[found[2]]


def _in_tables(
    received: list[pa.RecordBatch], batches: Iterator[pa.RecordBatch], most: int
) -> Iterator[pa.Table]:
    """Yield all batches, those received first, in tables of about so many bytes."""
    waiting: list[pa.RecordBatch] = []
    size = 0
    while True:
        batch = received.pop(0) if received else next(batches, None)
        if batch is not None:
            waiting.append(batch)
            size += batch.nbytes
        if waiting and (batch is None or size >= most):
            yield pa.Table.from_batches(waiting)
            waiting, size = [], 0
        if batch is None:
            return


def _table(batches: Sequence[pa.RecordBatch], names: Sequence[str]) -> pa.Table:
    return pa.Table.from_batches(batches).rename_columns(list(names))


def _local_folder() -> str | None:
    """Return where Spark keeps what a job spills; None for the system's own place."""
    folders = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")
    return next((each for each in folders if each and os.path.isdir(each)), None)
