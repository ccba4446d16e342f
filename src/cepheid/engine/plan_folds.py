"""Which folds plans lead to: the groups of a bundle, and the ranking of each for facts.

Facts are those that are known, or else assumed. What is here said of groups is what `run.py` does
with a bundle; `tests/properties/test_every_fold.py` compares both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import gcd

from cepheid.analysis.dependencies import Dependencies
from cepheid.engine.bundle import Bundle, bundle_of_one, whole_bundle
from cepheid.engine.catalogue import FACTS, Ranking
from cepheid.engine.fold import Facts, FoldGroup
from cepheid.engine.matches.match_folds import MatchesTaken, Pairs, matches_of
from cepheid.engine.shared.policy import Policy, Sharing
from cepheid.engine.shared.shared_folds import SharedChains, SharedLanes, SharedSet, repeats
from cepheid.engine.trends.trends import Trends, residues_of, trends_of
from cepheid.errors import ConfigError, suggest
from cepheid.plan.physical import PhysicalPlan
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.lower import lower
from cepheid.program.open_schema import can_be_lowered, with_time
from cepheid.program.program import Program
from cepheid.program.run_record import RANKED, REFUSED, FoldRecord, GroupRecord

EVENTS, PARTITIONS = 1_000_000, 1_000
KnownFacts = Mapping[str, int] | None


def plan_folds(plan: PhysicalPlan, known: KnownFacts = None) -> tuple[GroupRecord, ...]:
    """Return the rankings of folds for a plan; none if it cannot be run, or types are not known."""
    _check_names(known)
    return plan_bundle(bundle_of_one(_lowered(plan)), known) if can_be_lowered(plan) else ()


def plan_workload_folds(
    plans: Mapping[str, PhysicalPlan],
    dependencies: Dependencies,
    policy: Policy = Policy.DYNAMIC,
    known: KnownFacts = None,
) -> tuple[GroupRecord, ...]:
    """Return the rankings of folds for the queries of a workload, as far as they can be planned."""
    _check_names(known)
    bundles = plan_bundles(plans, dependencies, policy)
    return tuple(record for each in bundles for record in plan_bundle(each, known))


def plan_bundles(
    plans: Mapping[str, PhysicalPlan], dependencies: Dependencies, policy: Policy
) -> Iterator[Bundle]:
    """Yield what is run together; queries that have to do with the results of others are alone."""
    together = []
    for name, plan in plans.items():
        if can_be_lowered(plan):
            if dependencies.givers(name) or dependencies.is_read(name):
                yield bundle_of_one(_lowered(plan))
            else:
                together.append(_lowered(plan))
    if together:
        yield whole_bundle(together, Sharing(policy))


def plan_bundle(bundle: Bundle, known: KnownFacts = None) -> tuple[GroupRecord, ...]:
    """Return the ranking of every group of a bundle, and of what its first fold leaves to others.

    What a set of queries gives up to folding each by itself is ranked for each.
    """
    shared = [rank_folds(each, known) for each in shared_groups(bundle)]
    together = {name for each in shared if each.first != ALONE for name in each.queries}
    alone = [each for each in bundle.programs if each.name not in together]
    return (*shared, *(one for each in alone for one in _ranked(own_groups(each), known)))


ALONE = "each by itself"


def shared_groups(bundle: Bundle) -> Iterator[FoldGroup]:
    """Yield the groups of several queries."""
    yield from (SharedSet(merged, bundle.policy) for _, merged in bundle.sets)
    yield from (SharedLanes(lanes) for _, lanes in bundle.others.lanes)
    yield from (SharedChains(chains) for _, chains in bundle.others.chains)


def own_groups(program: Program) -> Iterator[FoldGroup]:
    """Yield what is folded of a query by itself, in its order.

    Numbers beyond 64 bits are folded once more, where a query asks for all their digits.
    """
    output = program.output
    if isinstance(output, AggregateOutput):
        yield trends_of(program)
        if output.has_exact or any(each.magnitude is not None for each in output.columns):
            yield residues_of(program)
        return
    yield from matches_of(program)
    if program.pair is not None:
        yield Pairs(program)
    elif output.choice is not None:
        yield MatchesTaken(program, output.choice)


def _ranked(groups: Iterable[FoldGroup], known: KnownFacts) -> Iterator[GroupRecord]:
    for group in groups:
        yield rank_folds(group, known)
        first = next(iter(_ranking(group, known)))
        yield from _ranked(first.fold.parts(group), known)


def rank_folds(group: FoldGroup, known: KnownFacts = None) -> GroupRecord:
    """Return the ranking of folds for a group."""
    ranking = _ranking(group, known)
    ranked = tuple(FoldRecord(each.fold.name, RANKED, None, each.cost) for each in ranking)
    refused = tuple(FoldRecord(name, REFUSED, why) for name, why in ranking.refused.items())
    return GroupRecord(group.queries, (*ranked, *refused), ranking.facts.known, group.what)


def _ranking(group: FoldGroup, known: KnownFacts) -> Ranking:
    return Ranking(group, Facts({**assumed_facts(group), **(known or {})}))


def _lowered(plan: PhysicalPlan) -> Program:
    return lower(with_time(plan))


def _check_names(known: KnownFacts) -> None:
    for name in known or ():
        if name not in FACTS:
            raise ConfigError(
                f"there is no fact called '{name}'", hint=suggest(name, FACTS, owner="explain")
            )


def assumed_facts(group: FoldGroup) -> dict[str, int]:
    """Return facts of many events in order, one in every pane."""
    if isinstance(group, SharedSet):
        is_eager = group.policy is Policy.NEVER  # else those that only repeat are counted at once
        repeated = is_eager * sum(map(repeats, group.program.positions))
        costs = dict.fromkeys(("counted", "least together", "together", "in panes", "alone"), 0)
        return {"repeated positions": repeated, **costs}
    if isinstance(group, SharedLanes):
        costs = {"together": 0, "alone": 0}  # which are asked for only if many windows are open
        return {"looked up": 1, "huge numbers": 0, "numbers kept": 0, **costs}
    if isinstance(group, MatchesTaken):
        return {"matches": EVENTS}
    if not isinstance(group, Trends):
        return {}
    program = group.program
    length, slide = program.window_length, program.slide
    overlap = 1 if length is None or slide is None else -(-length // slide)
    panes = 1 if length is None or slide is None else length // gcd(length, slide)
    return {
        "rows": EVENTS,
        "order": 2,
        "kept": EVENTS,
        "steps": EVENTS,
        "partitions": PARTITIONS if program.partition_by else 1,
        "open windows": overlap,
        "steps in windows": overlap * EVENTS,
        "panes": EVENTS,
        "wanted windows": -1,
        "results": EVENTS,
        "steps of results": EVENTS * panes,
        "compiled": 0,
        "first events in a window": EVENTS,
        "first events on average": EVENTS,
        "looked up": 1,
        "in columns": 1,
        "huge numbers": 0,
    }
