"""Plans of a workload to what is shared by whom, and why not the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from cepheid.analysis.dependencies import Dependencies
from cepheid.analysis.describe import describe
from cepheid.explain.describe_operators import describe_window
from cepheid.explain.sharing_document import (
    AloneQuery,
    CommonPart,
    PartClass,
    SetExplanation,
    SharedPart,
    SharingExplanation,
)
from cepheid.plan.physical import AggregateMethod, PhysicalPlan
from cepheid.program.lower import lower
from cepheid.program.position_automaton import PositionTest
from cepheid.program.program import Program
from cepheid.program.sharing.merged_program import Family, MergedPosition, MergedProgram
from cepheid.program.sharing.share_work import IS_READ, READS_OTHERS, share_work
from cepheid.program.sharing.sharing_sets import KEEPS_MORE, RETURNS_MATCHES, plain_test

NO_WINDOW = "no window"
NOT_EXECUTABLE = "it cannot be run yet"
TIME = "time"  # the name of the time column while no events are known


def explain_sharing(
    plans: Mapping[str, PhysicalPlan], dependencies: Dependencies
) -> SharingExplanation:
    """Return which queries are folded together, what they share, and why others are alone."""
    programs: dict[str, Program] = {}
    alone: dict[str, str] = {}
    for name, plan in plans.items():
        reason = _why_apart(name, plan, dependencies)
        if reason is None:
            programs[name] = lower(_with_time(plan))
        else:
            alone[name] = reason
    work = share_work(programs)
    alone |= work.alone
    return SharingExplanation(
        tuple(_Set(each, plans).explanation() for each in work.sets),
        tuple(AloneQuery(name, alone[name]) for name in plans if name in alone),
    )


def _why_apart(name: str, plan: PhysicalPlan, dependencies: Dependencies) -> str | None:
    """Return why a query is alone as far as its plan tells; not all can be lowered without events.

    Values of unknown type can be compared only in programs that keep a value per position.
    """
    if plan.unsupported:
        return NOT_EXECUTABLE
    if dependencies.givers(name):
        return READS_OTHERS
    if dependencies.is_read(name):
        return IS_READ
    if plan.query.aggregates is None:
        return RETURNS_MATCHES
    return None if plan.method.value is AggregateMethod.POSITIONS else KEEPS_MORE


def _with_time(plan: PhysicalPlan) -> PhysicalPlan:
    """Return a plan that can be lowered: without a schema it does not know the time column."""
    query = plan.query
    if query.schema.time is not None:
        return plan
    return replace(plan, query=replace(query, schema=replace(query.schema, time=TIME)))


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
            tuple(self._prefixes()),
            tuple(map(self._part, self.program.families)),
        )

    def _windows(self) -> Iterable[CommonPart]:
        for number in range(len(self.program.groups)):
            names = [each.name for each in self.program.queries if each.group == number]
            yield CommonPart(describe_window(self.plans[names[0]].query) or NO_WINDOW, tuple(names))

    def _prefixes(self) -> Iterable[CommonPart]:
        """Yield what two or more queries begin with, those that save most first."""
        owners = dict.fromkeys(frozenset(each.queries) for each in self.program.positions)
        found = [
            (queries, [each for each in self.program.positions if queries <= set(each.queries)])
            for queries in owners
            if len(queries) > 1
        ]
        found.sort(key=lambda each: -(len(each[0]) - 1) * len(each[1]))
        for queries, positions in found:
            yield CommonPart(self._chain(positions), self._named(queries))

    def _chain(self, positions: Sequence[MergedPosition]) -> str:
        words = [self._word(each) for each in positions]
        if len(words) == 1:
            return words[0]
        follows = all(before.value_slot in after.sources for before, after in pairwise(positions))
        return f"SEQ({', '.join(words)})" if follows else " | ".join(words)

    def _word(self, position: MergedPosition) -> str:
        test = self.program.tests[position.test]
        word = _types(test) + ("+" if position.value_slot in position.sources else "")
        condition = _condition(test)
        return word if condition is None else f"{word} where {condition}"

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
            conditions = (_condition(self.program.tests[each]) for each in tests)
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


def _types(test: PositionTest) -> str:
    return test.types[0] if len(test.types) == 1 else f"ANY({', '.join(test.types)})"


def _condition(test: PositionTest) -> str | None:
    """Return the condition of a test, with the type for the name of the event."""
    renamed = plain_test(test, "|".join(test.types)).condition
    return None if renamed is None else describe(renamed)
