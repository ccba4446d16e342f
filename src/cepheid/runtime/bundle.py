"""Queries of a workload that take the same events together: sets that share work, and others."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from cepheid.program.program import Program
from cepheid.program.sharing.merged_program import MergedProgram
from cepheid.runtime.sharing.policy import Policy, Sharing


@dataclass(frozen=True, slots=True)
class Bundle:
    """Programs that read the same events, in one pass.

    `places` are those of the programs in the workload. A set has the numbers of its programs in the
    bundle, and all of them merged; programs in no set are run one after the other.
    """

    places: tuple[int, ...]
    programs: tuple[Program, ...]
    sets: tuple[tuple[tuple[int, ...], MergedProgram], ...]
    policy: Policy

    @property
    def alone(self) -> tuple[int, ...]:
        """The numbers of programs that are in no set."""
        together = {number for numbers, _ in self.sets for number in numbers}
        return tuple(each for each in range(len(self.programs)) if each not in together)

    @property
    def columns(self) -> frozenset[str]:
        """Every column of the events that a program reads."""
        return frozenset(name for each in self.programs for name in each.columns)


def make_bundles(
    programs: Sequence[Program],
    key_of: Callable[[Program, bool], Hashable | None],
    sharing: Sharing,
) -> list[Bundle]:
    """Return the bundles of two or more programs.

    `key_of` is given a program, and whether it is in a set: programs with the same key are put
    together, those without one are left out. A set whose programs have different keys is none.
    """
    merged = sharing.merged.of(programs)
    in_set = {place for shared, _ in merged for place in shared.places}
    by_key: dict[Hashable, list[int]] = {}
    for place, program in enumerate(programs):
        key = key_of(program, place in in_set)
        if key is not None:
            by_key.setdefault(key, []).append(place)
    bundles = []
    for places in by_key.values():
        if len(places) < 2:
            continue
        number_of = {place: number for number, place in enumerate(places)}
        sets = tuple(
            (tuple(number_of[place] for place in shared.places), program)
            for shared, program in merged
            if all(place in number_of for place in shared.places)
        )
        chosen = tuple(programs[place] for place in places)
        bundles.append(Bundle(tuple(places), chosen, sets, sharing.policy))
    return bundles
