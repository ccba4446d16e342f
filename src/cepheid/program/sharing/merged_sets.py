"""The merged programs of a workload, kept while its programs stay the same."""

from __future__ import annotations

from collections.abc import Sequence

from cepheid.program.program import Program
from cepheid.program.sharing.merge_programs import merge_programs
from cepheid.program.sharing.merged_program import MergedProgram
from cepheid.program.sharing.other_sets import OtherSets, other_sets
from cepheid.program.sharing.sharing_sets import SharingSet, sharing_sets

MergedSet = tuple[SharingSet, MergedProgram]


class MergedSets:
    """Merges programs, once for as long as the same ones are asked for."""

    def __init__(self) -> None:
        self.kept: tuple[tuple[Program, ...], tuple[MergedSet, ...], OtherSets] = (
            (),
            (),
            OtherSets((), (), ()),
        )

    def of(self, programs: Sequence[Program]) -> tuple[MergedSet, ...]:
        """Return the sets of programs that are folded together, each merged."""
        return self._of(programs)[0]

    def others(self, programs: Sequence[Program]) -> OtherSets:
        """Return what the programs that are in no such set have in common."""
        return self._of(programs)[1]

    def _of(self, programs: Sequence[Program]) -> tuple[tuple[MergedSet, ...], OtherSets]:
        known, merged, others = self.kept
        if len(programs) != len(known) or any(
            one is not other for one, other in zip(programs, known, strict=True)
        ):
            sets = sharing_sets(programs)
            merged = tuple((each, merge_programs(programs, each)) for each in sets)
            others = other_sets(programs, [place for each in sets for place in each.places])
            self.kept = tuple(programs), merged, others  # at once: threads may ask for others
        return merged, others
