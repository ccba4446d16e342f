"""A function of all rows of a task, as Spark calls it: with batches, and perhaps with none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

import pyarrow as pa

MapBatches: TypeAlias = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def named(function: MapBatches, stage: str, queries: Iterable[str] = ()) -> MapBatches:
    """Give a function the name that Spark's plan and its pages show: the stage, and whose it is."""
    function.__name__ = " ".join(["cepheid", stage, ", ".join(queries)]).strip()
    return function


def on_whole_task(
    names: Sequence[str], work: Callable[[pa.Table], pa.Table], stage: str, query: str
) -> MapBatches:
    """Return what `mapInArrow` wants; a task without rows gives nothing.

    `names` are those of the columns: Spark hands them over under others.
    """

    def map_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        received = list(batches)
        if received:
            yield from work(
                pa.Table.from_batches(received).rename_columns(list(names))
            ).to_batches()

    return named(map_batches, stage, [query])
