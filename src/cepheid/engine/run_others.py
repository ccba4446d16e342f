"""Run the queries of a bundle that are in no sharing set, with what they have in common."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import pyarrow as pa

from cepheid.engine.bundle import Bundle
from cepheid.engine.events.scan import Scans
from cepheid.engine.run import LocalResult
from cepheid.engine.shared.run_chains import run_chains
from cepheid.engine.shared.run_lanes import Finish, run_lanes
from cepheid.program.sharing.lane_program import LaneProgram

RunAlone = Callable[[int, Mapping[str, Any]], LocalResult]


def run_others(
    bundle: Bundle,
    table: pa.Table,
    scans: Scans,
    run_alone: RunAlone,
    *,
    partially: Collection[int] = (),
    threads: int = 1,
) -> Iterator[tuple[int, LocalResult]]:
    """Yield the number of every such query with its result; see `run_together`.

    Groups of a window that moves with every event are never in several tasks.
    """
    others = bundle.others
    given: tuple[int, pa.Schema] = (table.num_rows, table.schema)
    alone = list(others.alone)
    for numbers, lanes in others.lanes:
        columns, finish = scans.of(lanes.united), _finisher(numbers, lanes, partially)
        tables = run_lanes(lanes, columns, *given, threads=threads, finish=finish)
        if tables is None:
            alone += numbers
        else:
            yield from zip(numbers, tables, strict=True)
    for numbers, chains in others.chains:
        assert not set(numbers) & set(partially)
        columns = scans.of(chains.programs[0])
        tables = run_chains(chains, columns, *given, threads=threads)
        if tables is None:
            alone += numbers
        else:
            yield from zip(numbers, tables, strict=True)
    for number in alone:
        yield number, run_alone(number, scans.of(bundle.programs[number]))


def _finisher(numbers: tuple[int, ...], lanes: LaneProgram, partially: Collection[int]) -> Finish:
    own = [place for place, number in enumerate(numbers) if number in partially]
    return lambda results, rows: results.tables(lanes.programs, rows, own)
