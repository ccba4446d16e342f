"""The folds that take several queries; each by itself is always among the choices."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from cepheid.engine.fold import Facts, Fold, Precedence
from cepheid.engine.shared.policy import Policy
from cepheid.plan.sharing_costs import CLEAR_GAIN
from cepheid.program.sharing.chain_program import ChainProgram
from cepheid.program.sharing.lane_program import LaneProgram
from cepheid.program.sharing.merged_program import MergedPosition, MergedProgram
from cepheid.program.sharing.pane_program import why_no_panes

SHARED = "cepheid.engine.shared"
FEW_REPEATED = 32  # positions: with more, steps that are written down once are cheaper
FEW_WINDOWS = 32  # at once: with more, one number for each of them may cost more than panes
MOST_NUMBERS = 2**26  # that wait in the structures of edges


class Alone(Enum):
    """The result of a group whose queries are to be folded one by one."""

    ALONE = "alone"


class OfSeveralQueries:
    """What is folded of several queries: all that they ask for."""

    __slots__ = ()
    what = ""


@dataclass(frozen=True, slots=True)
class SharedSet(OfSeveralQueries):
    """Queries that are merged; `is_recorded`: what becomes of every burst is written down.

    `stays`: whoever folds them has no other way to do it, as a step of a stream.
    """

    program: MergedProgram
    policy: Policy
    is_recorded: bool = False
    stays: bool = False

    @property
    def queries(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(each.name for each in self.program.queries)


@dataclass(frozen=True, slots=True)
class SharedLanes(OfSeveralQueries):
    """Queries with the same adjacent predicates."""

    program: LaneProgram

    @property
    def queries(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(each.name for each in self.program.programs)


@dataclass(frozen=True, slots=True)
class SharedChains(OfSeveralQueries):
    """Queries that count sequences with segments in common."""

    program: ChainProgram

    @property
    def queries(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(each.name for each in self.program.programs)


def _not_counted(group: SharedSet, facts: Facts) -> str | None:
    program = group.program
    if group.policy is Policy.ALWAYS:
        return "every burst is to be shared"
    if program.number_count > 1 or program.minimum_count > 0:
        return "more than the number of trends is asked for"
    if any(each.gaps or each.negative for each in program.queries):
        return "a part is negated"
    if _repeats_others(program):
        return "events repeat others than themselves"
    if group.is_recorded and any(map(repeats, program.positions)):
        return "bursts are written down"
    return None


def _repeats_others(program: MergedProgram) -> bool:
    written: set[tuple[int, int]] = set()
    for each in reversed(program.positions):
        if any((each.group, slot) in written for slot in each.sources) or len(loops(each)) > 1:
            return True
        written |= {(each.group, slot) for slot in each.entries}
    return False


def repeats(position: MergedPosition) -> bool:
    """Whether a position reads what it writes, as that of T in T+ does."""
    return bool(loops(position))


def loops(position: MergedPosition) -> set[int]:
    """Return what a position both reads and writes."""
    return set(position.sources) & set(position.entries)


def _many_counted(group: SharedSet, facts: Facts) -> str | None:
    if facts["repeated positions"] > FEW_REPEATED:
        return "many positions repeat that take every event at once"
    if _open_windows(group.program) > FEW_WINDOWS:
        others = [facts["together"]]
        if _not_in_panes(group, facts) is None:
            others.append(facts["in panes"])
        if _stays(group, facts) is None:
            others.append(facts["alone"])
        if min(others) < facts["counted"]:
            return f"{_open_windows(group.program):,} windows are open at once"
    return None


def _open_windows(program: MergedProgram) -> int:
    """Return how many windows of one query are open at once, at most."""
    windows = ((each.length, each.slide) for each in program.groups)
    return max(-(-length // (slide or length)) if length else 1 for length, slide in windows)


def _stays(group: SharedSet, facts: Facts) -> str | None:
    if group.stays:
        return "a step of a stream folds them together"
    if group.policy is not Policy.DYNAMIC:
        return f"they are folded together: sharing is '{group.policy.value}'"
    return "bursts are written down" if group.is_recorded else None


def _costs_more(group: SharedSet, facts: Facts) -> str | None:
    if _stays(group, facts) is not None:
        return None
    each, least = facts["alone"], facts["least together"]
    if least > each:
        return f"each by itself costs less: {each:,} instead of at least {least:,} µs, by costs"
    if least * CLEAR_GAIN > each:
        return _hardly_less(each, least)
    together = facts["together"]
    if _not_in_panes(group, facts) is None:
        together = min(together, facts["in panes"])
    if together * CLEAR_GAIN <= each:
        return None
    if together <= each:
        return _hardly_less(each, together)
    return f"each by itself costs less: {each:,} instead of {together:,} µs, by costs"


def _hardly_less(each: int, together: int) -> str:
    return f"each by itself costs {each:,} µs, by costs, and {together:,} µs are not clearly less"


def _not_in_panes(group: SharedSet, facts: Facts) -> str | None:
    if group.is_recorded:
        return "bursts are written down"
    return why_no_panes(group.program)


def _not_in_lanes(group: SharedLanes, facts: Facts) -> str | None:
    if not facts["looked up"]:
        return "a value that is compared has no place in an order"
    if facts["huge numbers"]:
        return "numbers to add up are beyond 2^256"
    if facts["numbers kept"] > MOST_NUMBERS:
        return f"{facts['numbers kept']:,} numbers would be kept"
    return None


def _mostly_empty(group: SharedLanes, facts: Facts) -> str | None:
    """Return why lanes with a number for every window cost more than a fold for each query."""
    opened = group.program.open_windows
    if opened <= FEW_WINDOWS or facts["together"] <= facts["alone"]:
        return None
    return f"{opened:,} windows may be open at once, of which few have events of their own"


def _anything(group: object, facts: Facts) -> None:
    return None


# Vectors of doubles of all queries, without a decision for every burst.
COUNTED_TOGETHER = Fold(
    "counts of a set",
    SharedSet,
    Precedence.DOUBLES,
    _not_counted,
    f"{SHARED}.fold_set:counted_together",
    waste=_many_counted,
)
# Steps written down once for all who share a burst (HAMLET).
BURSTS_TOGETHER = Fold(
    "bursts of a set",
    SharedSet,
    Precedence.ANY_SIZE,
    _anything,
    f"{SHARED}.fold_set:bursts_together",
    cost=lambda group, facts: facts["together"],
    waste=_costs_more,
)
# The same in panes of all windows, so that overlap does not multiply the lanes (HAMLET 3.1).
PANES_TOGETHER = Fold(
    "panes of a set",
    SharedSet,
    Precedence.ANY_SIZE,
    _not_in_panes,
    f"{SHARED}.fold_set:panes_together",
    cost=lambda group, facts: facts["in panes"],
    waste=_costs_more,
)
# One vector for the trends of all queries that wait for an event.
LANES_TOGETHER = Fold(
    "lanes of a set",
    SharedLanes,
    Precedence.DOUBLES,
    _not_in_lanes,
    f"{SHARED}.run_lanes:lanes_together",
    waste=_mostly_empty,
)
# Segments of sequences that several queries have, once.
SEGMENTS_TOGETHER = Fold(
    "segments of a set",
    SharedChains,
    Precedence.DOUBLES,
    _anything,
    f"{SHARED}.run_chains:segments_together",
)
SET_ALONE = Fold(
    "each by itself", SharedSet, Precedence.LISTED, _stays, f"{SHARED}.shared_folds:alone"
)
LANES_ALONE = Fold(
    "each by itself", SharedLanes, Precedence.LISTED, _anything, f"{SHARED}.shared_folds:alone"
)
SEGMENTS_ALONE = Fold(
    "each by itself", SharedChains, Precedence.LISTED, _anything, f"{SHARED}.shared_folds:alone"
)


def alone(task: object, facts: Facts) -> Alone:
    """Return that the queries are to be folded one by one."""
    return Alone.ALONE
