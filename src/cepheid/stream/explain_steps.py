"""What a step of a stream looks at, in words: made for EXPLAIN.

The words follow from the questions that a step asks (touched_events.py, retention.py). What few
events there are is always run again, as it costs less than to look it up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cepheid.analysis.dependencies import Dependencies
from cepheid.engine.shared.policy import Policy
from cepheid.plan.physical import PhysicalPlan
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.lower import lower
from cepheid.program.open_schema import can_be_lowered, with_numbers, with_time
from cepheid.program.program import Clock, Program, Ranking
from cepheid.program.run_record import StepRecord, StepsTogether
from cepheid.program.when_final import has_start_negation, is_apart
from cepheid.stream.step_rules import (
    NO_PARTITION,
    is_blocked_early,
    keeps_apart,
    keeps_pending,
    keeps_runs,
    page_keys,
    why_all_events,
    why_no_ends,
    why_no_marks,
    why_no_matrices,
)
from cepheid.stream.stream_bundle import StreamedQuery, reason_unbounded
from cepheid.stream.stream_bundles import stream_bundles

PARTITIONS, HOT = "partitions", "one with many events"
ALL = "all events of the window"
SOME = "those in which new events, or windows that end, can make a result final"
ENDING, AT_ONCE = "none until a window ends, then all", "windows end in all of them at once"


def plan_steps(plan: PhysicalPlan) -> tuple[StepRecord, ...]:
    """Return what a step looks at for a query by itself; nothing if a plan cannot be run.

    It does not depend on types, so any will do where they are not known.
    """
    return () if plan.unsupported else explain_steps(_lowered(plan))


def plan_workload_steps(
    plans: Mapping[str, PhysicalPlan], dependencies: Dependencies
) -> tuple[StepsTogether, ...]:
    """Return what a step looks at for queries that are run together, if they are one stream."""
    queries = []
    for name, plan in plans.items():
        is_alone = plan.unsupported or dependencies.givers(name) or dependencies.is_read(name)
        if not is_alone and reason_unbounded(program := _lowered(plan)) is None:
            queries.append(StreamedQuery(name, program))
    bundles = stream_bundles(queries, _has_panes, Policy.DYNAMIC)
    return tuple(
        StepsTogether(tuple(one.name for one in each.queries), explain_together(each.programs))
        for each in bundles
    )


def _lowered(plan: PhysicalPlan) -> Program:
    return lower(with_time(plan if can_be_lowered(plan) else with_numbers(plan)))


def _has_panes(program: Program) -> bool:
    is_sliding = program.slide is not None and program.clock is Clock.TIME
    return is_sliding and why_no_matrices(program) is None


def explain_together(programs: Sequence[Program]) -> tuple[StepRecord, ...]:
    """Return the same for queries that are run together.

    They have one state of plain events, and what else is kept of a query by itself is not.
    """
    others = [e for e in programs if e.slide is None or e.clock is not Clock.TIME]
    if not others:
        reason = "matrices of panes are kept of a query by itself"
        hot = StepRecord(HOT, "the events of windows that end", reason, False)
        return StepRecord(PARTITIONS, ENDING, AT_ONCE, True), hot
    if page_keys(programs) and all(map(is_blocked_early, programs)):
        hot = _events(programs[0])
    else:
        hot = StepRecord(HOT, ALL, "runs and matrices are looked up of a query by itself", False)
    if page_keys(others):
        choice = (
            SOME if len(others) == len(programs) else f"{SOME}; all when a window that slides ends"
        )
        return StepRecord(PARTITIONS, choice, "no other has a result", True), hot
    without = next((each for each in others if not page_keys([each])), None)
    reason = "queries have different ones" if without is None else _why_all(without)
    return StepRecord(PARTITIONS, "all", reason, not any(e.partition_by for e in programs)), hot


def explain_steps(program: Program) -> tuple[StepRecord, ...]:
    """Return which partitions a step looks at, and which events of one that has many."""
    problem = reason_unbounded(program)
    if problem is not None:
        return (StepRecord("refused", "a stream cannot run this query", problem.message, False),)
    return _partitions(program), _events(program)


def _partitions(program: Program) -> StepRecord:
    if program.slide is not None and program.clock is Clock.TIME:
        return StepRecord(PARTITIONS, ENDING, AT_ONCE, True)
    if keeps_apart(program) and why_no_ends(program) is None:
        return StepRecord(PARTITIONS, SOME, "ends of taken matches are kept beside events", True)
    if page_keys([program]) and not keeps_apart(program):
        return StepRecord(PARTITIONS, SOME, "no other has a result", True)
    return StepRecord(PARTITIONS, "all", _why_all(program), not program.partition_by)


def _why_all(program: Program) -> str:
    if not program.partition_by:
        return "there is one"
    if program.ranking is Ranking.STREAM:
        return "an event of any partition may break a match"
    if keeps_pending(program):
        return "the events of runs that wait are kept apart, and written anew"
    if program.clock is Clock.EVENTS:
        return "only later events of its partition tell that one is too old: all are written anew"
    if keeps_apart(program):
        return "settled events are kept apart, with what has happened to them"
    if isinstance(program.output, AggregateOutput):
        return "a row adds up the partitions of its group"
    computed = {each.name for each in program.computed}
    if computed.issuperset(program.partition_by):
        return "their key is computed, and not kept"
    return AT_ONCE


def _events(program: Program) -> StepRecord:
    if program.slide is not None and program.clock is Clock.TIME:
        obstacle = why_no_matrices(program)
        if obstacle is None:
            reason = "the events of a pane are a matrix, where it has many"
            return StepRecord(HOT, "matrices of panes, when a window ends", reason, True)
        return StepRecord(HOT, "the events of windows that end", obstacle, False)
    if isinstance(program.output, AggregateOutput):
        obstacle = why_all_events(program)
        if obstacle is None:
            reason = "what stays in the window throughout a step is a matrix"
            if program.slots is None:
                reason += ", if no events of a partition are concurrent"
            return StepRecord(HOT, "events that leave the window, and matrices", reason, True)
        return StepRecord(HOT, ALL, obstacle, False)
    if keeps_pending(program):
        return StepRecord(HOT, "the events of runs that wait", "newer runs replace them", True)
    if is_apart(program) and program.clock is Clock.TIME:
        return _after_taken(program)
    if is_blocked_early(program):
        reason = (
            "what is blocked stays so; where a run waits as long as the window, or a match stays, "
            "all events of the window are run again"
        )
        choice = "events since the matches began whose window ends, until all are blocked"
        return StepRecord(HOT, choice, reason, True)
    if keeps_runs(program):
        reason = "what a run did not take when it came has no part in it"
        return StepRecord(HOT, "the events of runs that are alive", reason, True)
    obstacle = why_no_marks(program)
    if obstacle is not None:
        return StepRecord(HOT, ALL, obstacle, False)
    reason = "events take runs away, so that few are alive"
    choice = "events since the oldest run that is alive began"
    if has_start_negation(program):
        choice += ", and earlier ones if a match is not blocked"
    return StepRecord(HOT, choice, reason, True)


def _after_taken(program: Program) -> StepRecord:
    obstacle = why_no_ends(program)
    if obstacle is not None and obstacle != NO_PARTITION:
        return StepRecord(HOT, ALL, obstacle, False)
    reason = "a match must start after it"
    return StepRecord(HOT, "events since the last match that was taken", reason, True)
