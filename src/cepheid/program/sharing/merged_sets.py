"""The merged programs of a workload, kept while its programs stay the same."""

from __future__ import annotations

from collections.abc import Sequence

from cepheid.program.program import Program
from cepheid.program.sharing.merge_programs import merge_programs
from cepheid.program.sharing.merged_program import MergedProgram
from cepheid.program.sharing.sharing_sets import SharingSet, sharing_sets

MergedSet = tuple[SharingSet, MergedProgram]


class MergedSets:
    """Merges programs, once for as long as the same ones are asked for."""

    def __init__(self) -> None:
        self.programs: tuple[Program, ...] = ()
        self.merged: tuple[MergedSet, ...] = ()

    def of(self, programs: Sequence[Program]) -> tuple[MergedSet, ...]:
        """Return the sets of programs that are folded together, each merged."""
        is_known = len(programs) == len(self.programs) and all(
            one is other for one, other in zip(programs, self.programs, strict=True)
        )
        if not is_known:
            sets = sharing_sets(programs)
            self.merged = tuple((each, merge_programs(programs, each)) for each in sets)
            self.programs = tuple(programs)
        return self.merged
