"""Plans of a workload to what is shared by whom, and why not the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from cepheid.analysis.bound import PredicateClass
from cepheid.analysis.dependencies import Dependencies
from cepheid.explain.common_beginnings import common_prefixes, condition_of
from cepheid.explain.describe_operators import describe_window
from cepheid.explain.explain_others import explain_others, not_on_streams
from cepheid.explain.sharing_document import (
    AloneQuery,
    CommonPart,
    OtherPass,
    PartClass,
    SetExplanation,
    SharedPart,
    SharingExplanation,
)
from cepheid.plan.physical import AggregateMethod, PhysicalPlan
from cepheid.program.lower import lower
from cepheid.program.open_schema import has_unknown, with_time
from cepheid.program.program import Program
from cepheid.program.sharing.merged_program import Family, MergedProgram
from cepheid.program.sharing.share_work import (
    IS_READ,
    READS_OTHERS,
    share_work,
    why_two_sets,
)
from cepheid.program.sharing.sharing_sets import RETURNS_MATCHES

NO_WINDOW = "no window"
NOT_EXECUTABLE = "it cannot be run yet"
UNKNOWN_TYPES = "the types of what it compares are not known before there are events"


def explain_sharing(
    plans: Mapping[str, PhysicalPlan], dependencies: Dependencies
) -> SharingExplanation:
    """Return which queries are folded together, what they share, and why others are alone."""
    programs: dict[str, Program] = {}
    alone: dict[str, str] = {}
    for name, plan in plans.items():
        reason = _why_apart(name, plan, dependencies)
        if reason is None:
            programs[name] = lower(with_time(plan))
        else:
            alone[name] = reason
    work = share_work(programs)
    alone |= work.alone
    return SharingExplanation(
        tuple(
            replace(_Set(each, plans).explanation(), apart=tuple(_apart(each, work.sets[:number])))
            for number, each in enumerate(work.sets)
        ),
        explain_others(work),
        work.scans,
        tuple(AloneQuery(name, alone[name]) for name in plans if name in alone),
        not_on_streams(work),
    )


def _apart(program: MergedProgram, before: Sequence[MergedProgram]) -> Iterable[OtherPass]:
    by_reason: dict[str, list[int]] = {}
    for number, each in enumerate(before, start=1):
        by_reason.setdefault(why_two_sets(each, program), []).append(number)
    return (OtherPass(tuple(sets), reason) for reason, sets in by_reason.items())


def _why_apart(name: str, plan: PhysicalPlan, dependencies: Dependencies) -> str | None:
    """Return why a query is alone as far as its plan tells; not all can be lowered without events.

    Values of unknown type can be compared with constants only.
    """
    if plan.unsupported:
        return NOT_EXECUTABLE
    if dependencies.givers(name):
        return READS_OTHERS
    if dependencies.is_read(name):
        return IS_READ
    across = [
        each.condition
        for pattern in plan.query.patterns
        for each in pattern.clauses
        if each.predicate_class is not PredicateClass.LOCAL
    ]
    if plan.query.aggregates is None:
        return RETURNS_MATCHES if has_unknown((across, plan.query.matches)) else None
    if plan.method.value is AggregateMethod.POSITIONS:
        return None
    is_unknown = has_unknown((across, plan.query.aggregated_of_matches))
    return UNKNOWN_TYPES if is_unknown else None


class _Set:
    def __init__(self, program: MergedProgram, plans: Mapping[str, PhysicalPlan]) -> None:
        self.program = program
        self.plans = plans
        self.names = tuple(each.name for each in program.queries)

    def explanation(self) -> SetExplanation:
        return SetExplanation(
            self.names,
            self.program.programs[0].partition_by,
            tuple(self._windows()),
            tuple(common_prefixes(self.program)),
            tuple(map(self._part, self.program.families)),
        )

    def _windows(self) -> Iterable[CommonPart]:
        for number in range(len(self.program.groups)):
            names = [each.name for each in self.program.queries if each.group == number]
            yield CommonPart(describe_window(self.plans[names[0]].query) or NO_WINDOW, tuple(names))

    def _part(self, family: Family) -> SharedPart:
        classes, every = [], set[int]()
        for number, tests in enumerate(family.classes):
            members = [each for each in family.members if each.of_class == number]
            queries = {
                query
                for member in members
                for position in member.positions
                for query in self.program.positions[position].queries
            }
            every |= queries
            conditions = (condition_of(self.program.tests[each]) for each in tests)
            classes.append(
                PartClass(
                    tuple(each for each in conditions if each is not None),
                    len(members),
                    self._named(queries),
                )
            )
        return SharedPart(family.text, len(family.members), self._named(every), tuple(classes))

    def _named(self, queries: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.names[each] for each in sorted(queries))
