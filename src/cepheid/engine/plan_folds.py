"""Which folds a plan leads to: the ranking for facts that are known, or else assumed."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd

from cepheid.engine.catalogue import FACTS, Ranking
from cepheid.engine.fold import Facts
from cepheid.engine.matches.match_folds import Matches
from cepheid.engine.trends.trends import trends_of
from cepheid.errors import ConfigError, suggest
from cepheid.plan.physical import PhysicalPlan
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.lower import lower
from cepheid.program.open_schema import can_be_lowered, with_time
from cepheid.program.program import Program
from cepheid.program.run_record import RANKED, REFUSED, FoldRecord, GroupRecord

EVENTS, PARTITIONS = 1_000_000, 1_000


def plan_folds(plan: PhysicalPlan, known: Mapping[str, int] | None = None) -> GroupRecord | None:
    """Return the ranking of folds for a plan; None if it cannot be run, or types are not known."""
    for name in known or ():
        if name not in FACTS:
            raise ConfigError(
                f"there is no fact called '{name}'", hint=suggest(name, FACTS, owner="explain")
            )
    return rank_folds(lower(with_time(plan)), known) if can_be_lowered(plan) else None


def rank_folds(program: Program, known: Mapping[str, int] | None = None) -> GroupRecord:
    """Return the ranking of folds for a program."""
    group: object = Matches(program)
    if isinstance(program.output, AggregateOutput):
        group = trends_of(program)
    facts = Facts({**assumed_facts(program), **(known or {})})
    ranking = Ranking(group, facts)
    ranked = tuple(FoldRecord(each.fold.name, RANKED, None, each.cost) for each in ranking)
    refused = tuple(FoldRecord(name, REFUSED, why) for name, why in ranking.refused.items())
    return GroupRecord((program.name,), (*ranked, *refused), facts.known)


def assumed_facts(program: Program) -> dict[str, int]:
    """Return facts of many events in order, one in every pane."""
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
        "looked up": 1,
        "in columns": 1,
        "huge numbers": 0,
    }
