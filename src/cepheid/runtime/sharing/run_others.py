"""Run the queries of a workload that are in no sharing set, with what they have in common."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from cepheid.program.program import Program
from cepheid.program.sharing.other_sets import OtherSets
from cepheid.runtime.local import LocalResult, run_local
from cepheid.runtime.sharing.run_chains import run_chains
from cepheid.runtime.sharing.run_lanes import run_lanes
from cepheid.runtime.sharing.run_matches import run_matches
from cepheid.runtime.sharing.run_recent import run_recent
from cepheid.runtime.sharing.scan import Scans


def run_others(
    programs: Sequence[Program],
    others: OtherSets,
    table: pa.Table,
    scans: Scans,
    *,
    threads: int = 1,
) -> dict[int, LocalResult]:
    """Return results by place of the program."""
    return _Run(programs, others, table, scans, threads).results()


class _Run:
    def __init__(
        self,
        programs: Sequence[Program],
        others: OtherSets,
        table: pa.Table,
        scans: Scans,
        threads: int,
    ) -> None:
        self.programs = programs
        self.others = others
        self.table = table
        self.threads = threads
        self.scans = scans

    def results(self) -> dict[int, LocalResult]:
        found: dict[int, LocalResult] = {}
        given: tuple[int, pa.Schema] = (self.table.num_rows, self.table.schema)
        for places, lanes in self.others.lanes:
            columns = self.scans.of(lanes.united)
            tables = run_lanes(lanes, columns, *given, threads=self.threads)
            found |= zip(places, tables or map(self._alone, places), strict=True)
        for places, chains in self.others.chains:
            columns = self.scans.of(chains.programs[0])
            tables = run_chains(chains, columns, *given, threads=self.threads)
            found |= zip(places, tables or map(self._alone, places), strict=True)
        for places, recent in self.others.recent:
            columns = self.scans.of(recent.united)
            rows = run_recent(recent, columns, *given, threads=self.threads)
            found |= zip(places, rows, strict=True)
        for places, matches in self.others.matches:
            columns = self.scans.of(matches.united)
            rows = run_matches(matches, columns, *given, threads=self.threads)
            found |= zip(places, rows, strict=True)
        return found | {place: self._alone(place) for place in self.others.alone}

    def _alone(self, place: int) -> LocalResult:
        program = self.programs[place]
        columns = self.scans.of(program)
        return run_local(program, self.table, threads=self.threads, columns=columns)
