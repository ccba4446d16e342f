"""DataFrames that several results are made of: Spark keeps them, as long as a result is there.

Cleaning up in a destructor would talk to Spark at any moment, in any thread. So what is not needed
any more is only noted there, and released when the next workload runs.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from pyspark.sql import DataFrame

from cepheid.spark.frames.compressed_frame import SparkCompressedMatches

KEPT = "_cepheid_kept"
_unused: deque[DataFrame] = deque()


class KeptFrame:
    """A DataFrame that is computed once, when the first result made of it is asked for."""

    def __init__(self, frame: DataFrame) -> None:
        self.frame = frame.persist()
        self._note = weakref.finalize(self, _unused.append, frame)
        self._note.atexit = False

    def held_by(self, result: DataFrame | SparkCompressedMatches) -> None:
        """Keep the frame for as long as a result is there."""
        setattr(_frame_of(result), KEPT, self)

    def release(self) -> None:
        """Let Spark forget what it has kept: results are computed anew if they are asked for."""
        if self._note.detach() is not None:
            self.frame.unpersist()


def release_unused() -> None:
    """Release what no result is made of any more.

    A session that has ended has released everything and answers with an error of its own kind
    (py4j's, or that of Spark Connect). Nobody waits for this, so no error stops the next run.
    """
    while _unused:
        with suppress(Exception):
            _unused.popleft().unpersist()


def release(results: Iterable[Any]) -> None:
    """Release what results are made of."""
    for each in results:
        kept = getattr(_frame_of(each), KEPT, None)
        if isinstance(kept, KeptFrame):
            kept.release()


def _frame_of(result: Any) -> Any:
    return result.graphs if isinstance(result, SparkCompressedMatches) else result
