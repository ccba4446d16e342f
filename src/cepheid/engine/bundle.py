"""Queries of a workload that take the same events together: sets that share work, and others."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from cepheid.analysis.expressions import ComputedColumn
from cepheid.analysis.key_copies import KeyCopies
from cepheid.engine.shared.policy import Policy, Sharing
from cepheid.program.program import Program
from cepheid.program.sharing.merged_program import MergedProgram
from cepheid.program.sharing.merged_sets import MergedSets
from cepheid.program.sharing.other_sets import OtherSets, other_sets


@dataclass(frozen=True, slots=True)
class Bundle:
    """Programs that read the same events, in one pass.

    `places` are those of the programs in the workload. A set has the numbers of its programs in the
    bundle, and all of them merged; `others` are the programs in no set, by number, with what they
    have in common.
    """

    places: tuple[int, ...]
    programs: tuple[Program, ...]
    sets: tuple[tuple[tuple[int, ...], MergedProgram], ...]
    others: OtherSets
    policy: Policy

    @property
    def columns(self) -> frozenset[str]:
        """Every column of the events that a program reads."""
        return frozenset(name for each in self.programs for name in each.columns)

    @property
    def stored_columns(self) -> frozenset[str]:
        """The same, with the columns that others are computed of in the place of these."""
        return frozenset(name for each in self.programs for name in each.stored_columns)

    @property
    def computed(self) -> tuple[ComputedColumn, ...]:
        """The columns that programs add to the events."""
        return tuple(one for each in self.programs for one in each.computed)

    @property
    def copies(self) -> KeyCopies | None:
        """What copies of events there are: the same for all programs."""
        return self.programs[0].copies

    @property
    def keeps_all_types(self) -> bool:
        """Whether events that fit no program matter."""
        return any(each.keeps_all_types for each in self.programs)


def bundle_of_one(program: Program, place: int = 0) -> Bundle:
    """Return a program by itself."""
    return Bundle((place,), (program,), (), OtherSets((), (), (0,)), Policy.DYNAMIC)


def whole_bundle(programs: Sequence[Program], sharing: Sharing) -> Bundle:
    """Return all programs in one bundle."""
    if len(programs) == 1:
        return bundle_of_one(programs[0])
    merged, others = sharing.merged.of(programs), sharing.merged.others(programs)
    sets = tuple((shared.places, program) for shared, program in merged)
    every = tuple(programs)
    return Bundle(tuple(range(len(every))), every, sets, others, sharing.policy)


def make_bundles(
    programs: Sequence[Program],
    key_of: Callable[[Program, bool], Hashable | None],
    sharing: Sharing,
) -> list[Bundle]:
    """Return every program in a bundle.

    `key_of` is given a program, and whether it is in a set: programs with the same key are put
    together, those without one stay by themselves. Sets are made anew where one has several keys.
    """
    if len(programs) == 1:
        return [bundle_of_one(programs[0])]
    merged = sharing.merged.of(programs)
    in_set = {place for shared, _ in merged for place in shared.places}
    by_key: dict[Hashable, list[int]] = {}
    for place, program in enumerate(programs):
        key = key_of(program, place in in_set)
        by_key.setdefault(("alone", place) if key is None else key, []).append(place)
    bundles = []
    for places in by_key.values():
        if len(places) == 1:
            bundles.append(bundle_of_one(programs[places[0]], places[0]))
            continue
        chosen = tuple(programs[place] for place in places)
        number_of = {place: number for number, place in enumerate(places)}
        own = [
            (each.places, one)
            for each, one in merged
            if not number_of.keys().isdisjoint(each.places)
        ]
        if all(number_of.keys() >= set(each) for each, _ in own):
            sets = tuple((tuple(number_of[place] for place in each), one) for each, one in own)
        else:
            sets = tuple((each.places, one) for each, one in MergedSets().of(chosen))
        others = other_sets(chosen, [number for numbers, _ in sets for number in numbers])
        bundles.append(Bundle(tuple(places), chosen, sets, others, sharing.policy))
    return bundles
