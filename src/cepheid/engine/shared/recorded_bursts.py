"""What a fold of a set writes down: bursts, and the first snapshots of those that are shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.shared import merged_machine as machine
from cepheid.kernels.shared.held_lanes import BURST, SNAPSHOT
from cepheid.kernels.shared.merged_machine import Tables
from cepheid.kernels.shared.share_bursts import RECORD
from cepheid.kernels.values.value_cells import Cells

Int64s = NDArray[np.int64]
MOST_SNAPSHOTS = 1000  # that are kept, per thread
MOST_TIER = 1  # numbers of runs beyond 2^512 are not told


class Recorded(NamedTuple):
    """Bursts as rows of numbers, and where snapshots were taken; the runs are these of a place."""

    bursts: Int64s
    places: Int64s
    runs: NDArray[np.float64]
    tiers: Int64s

    def snapshots(self, most_bursts: int) -> dict[int, list[tuple[int, int, int | None]]]:
        """Return by burst the member, the first window and the runs of every snapshot."""
        found: dict[int, list[tuple[int, int, int | None]]] = {}
        for (burst, member, window), runs, tier in zip(
            self.places.tolist(), self.runs.tolist(), self.tiers.tolist(), strict=True
        ):
            if burst < most_bursts:
                number = int(runs) if tier < MOST_TIER else None
                found.setdefault(burst, []).append((member, window, number))
        return found


def nothing_recorded() -> Recorded:
    """Return no bursts."""
    nothing = np.zeros(0, np.int64)
    return Recorded(nothing.reshape(0, RECORD), nothing.reshape(0, SNAPSHOT), np.zeros(0), nothing)


def recorded_of(tables: Tables, cells: Cells) -> Recorded:
    """Return what a machine has written down."""
    widths = _table(tables, machine.WIDTHS, machine.KEPT_ROOM + 1)
    bursts = _table(tables, machine.RECORDS, int(widths[machine.RECORDED]) * RECORD)
    kept = int(widths[machine.KEPT])
    places = _table(tables, machine.SNAPSHOT_PLACES, kept * SNAPSHOT)
    begin = int(_table(tables, machine.CELLS, machine.SNAPSHOT_CELLS + 1)[-1])
    return Recorded(
        bursts.reshape(-1, RECORD),
        places.reshape(-1, SNAPSHOT),
        cells.mantissa[begin : begin + kept, 0].copy(),
        cells.tier[begin : begin + kept, 0].astype(np.int64),
    )


def joined_records(parts: Sequence[Recorded]) -> Recorded:
    """Return what several threads have written down, as one."""
    places, before = [], 0
    for each in parts:
        moved = each.places.copy()
        moved[:, BURST] += before
        places.append(moved)
        before += len(each.bursts)
    return Recorded(
        np.concatenate([each.bursts for each in parts]),
        np.concatenate(places),
        np.concatenate([each.runs for each in parts]),
        np.concatenate([each.tiers for each in parts]),
    )


def _table(tables: Tables, table: int, size: int) -> Int64s:
    base = tables.table_base[table]
    return tables.numbers[base : base + size].copy()
