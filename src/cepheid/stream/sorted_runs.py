"""More events than memory holds: runs in order of time in files, given back chunk by chunk.

A run is an Arrow file that is mapped, not read: what it takes is the page cache's, and goes when
memory is short. All runs are cut at the same times, so a chunk has all events of its stretch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.ticks import to_ticks
from cepheid.program.arrow_arrays import to_arrow

Int64s = NDArray[np.int64]
SAMPLES = 64  # of a run for every chunk: how exactly chunks get the size that is asked for


class Chunk(NamedTuple):
    """All events before tick `until` that no chunk before had; None in the last chunk."""

    events: pa.Table
    until: int | None


class SortedRuns:
    """Events that are added in any order; the files are in a folder that the caller removes."""

    def __init__(self, folder: Path, time: str) -> None:
        self.folder = folder
        self.time = time
        self.paths: list[Path] = []
        self.rows = 0
        self.bytes = 0

    def add(self, events: pa.Table) -> None:
        """Write events as one run."""
        ticks = to_ticks(events[self.time], self.time)
        if np.any(ticks[1:] < ticks[:-1]):
            events = events.take(to_arrow(np.argsort(ticks, kind="stable")))
        path = self.folder / f"run-{len(self.paths)}.arrow"
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, events.schema) as writer:
            writer.write_table(events.combine_chunks())
        self.paths.append(path)
        self.rows += events.num_rows
        self.bytes += events.nbytes

    def chunks(self, most_bytes: int) -> Iterator[Chunk]:
        """Yield all events in the order of time, about so many bytes at once.

        A chunk ends between two times, so one with many events of the same time is larger.
        """
        runs = [_mapped(path) for path in self.paths]
        ticks = [to_ticks(each[self.time], self.time) for each in runs]
        rows = max(1, self.rows * most_bytes // max(1, self.bytes))
        cuts = _cuts(ticks, rows)
        begins = [0] * len(runs)
        for cut in [*cuts, None]:
            ends = [each.size if cut is None else int(np.searchsorted(each, cut)) for each in ticks]
            yield Chunk(
                pa.concat_tables(
                    run.slice(begin, end - begin)
                    for run, begin, end in zip(runs, begins, ends, strict=True)
                ),
                cut,
            )
            begins = ends


@dataclass(frozen=True, slots=True)
class RunChunks:
    """The chunks of runs, as often as somebody goes through them."""

    runs: SortedRuns
    most_bytes: int

    def __iter__(self) -> Iterator[Chunk]:
        return self.runs.chunks(self.most_bytes)


def _mapped(path: Path) -> pa.Table:
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


def _cuts(ticks: list[Int64s], rows: int) -> list[int]:
    """Return rising times with about so many rows of all runs between one and the next."""
    apart = max(1, rows // SAMPLES)
    samples = np.sort(np.concatenate([each[::apart] for each in ticks]))
    cuts: list[int] = np.unique(samples[:: max(1, rows // apart)]).tolist()
    return cuts[1:] if cuts and cuts[0] == samples[0] else cuts
