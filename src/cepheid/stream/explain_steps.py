"""What a step of a stream looks at, of a query by itself, in words: made for EXPLAIN.

The words follow from the questions that a step asks (touched_events.py, retention.py). What few
events there are is always run again, as it costs less than to look it up.
"""

from __future__ import annotations

from cepheid.plan.physical import PhysicalPlan
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.lower import lower
from cepheid.program.open_schema import can_be_lowered, with_time
from cepheid.program.program import Clock, Program, Ranking
from cepheid.program.run_record import StepRecord
from cepheid.program.when_final import is_apart
from cepheid.stream.step_rules import (
    NO_PARTITION,
    is_blocked_early,
    keeps_apart,
    keeps_pending,
    page_keys,
    why_all_events,
    why_no_ends,
    why_no_marks,
    why_no_matrices,
)
from cepheid.stream.stream_bundle import reason_unbounded

PARTITIONS, HOT = "partitions", "one with many events"
ALL = "all events of the window"


def plan_steps(plan: PhysicalPlan) -> tuple[StepRecord, ...]:
    """Return what a step looks at; nothing if a plan cannot be run, or types are not known."""
    return explain_steps(lower(with_time(plan))) if can_be_lowered(plan) else ()


def explain_steps(program: Program) -> tuple[StepRecord, ...]:
    """Return which partitions a step looks at, and which events of one that has many."""
    problem = reason_unbounded(program)
    if problem is not None:
        return (StepRecord("refused", "a stream cannot run this query", problem.message, False),)
    return _partitions(program), _events(program)


def _partitions(program: Program) -> StepRecord:
    if program.slide is not None and program.clock is Clock.TIME:
        reason = "windows end in all of them at once"
        return StepRecord(PARTITIONS, "none until a window ends, then all", reason, True)
    some = "those in which new events, or windows that end, can make a result final"
    if keeps_apart(program) and why_no_ends(program) is None:
        return StepRecord(PARTITIONS, some, "ends of taken matches are kept beside events", True)
    if page_keys([program]) and not keeps_apart(program):
        return StepRecord(PARTITIONS, some, "no other has a result", True)
    return StepRecord(PARTITIONS, "all", _why_all(program), not program.partition_by)


def _why_all(program: Program) -> str:
    if not program.partition_by:
        return "there is one"
    if program.ranking is Ranking.STREAM:
        return "an event of any partition may break a match"
    if keeps_pending(program):
        return "the events of runs that wait are kept apart, and written anew"
    if keeps_apart(program):
        return "settled events are kept apart, with what has happened to them"
    if isinstance(program.output, AggregateOutput):
        return "a row adds up the partitions of its group"
    computed = {each.name for each in program.computed}
    if computed.issuperset(program.partition_by):
        return "their key is computed, and not kept"
    return "windows end in all of them at once"


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
            "what is blocked stays so; if a match is not, all events of the window are run again"
        )
        return StepRecord(HOT, "events since the matches began whose window ends", reason, True)
    obstacle = why_no_marks(program)
    if obstacle is not None:
        return StepRecord(HOT, ALL, obstacle, False)
    reason = "events take runs away, so that few are alive"
    return StepRecord(HOT, "events since the oldest run that is alive began", reason, True)


def _after_taken(program: Program) -> StepRecord:
    obstacle = why_no_ends(program)
    if obstacle is not None and obstacle != NO_PARTITION:
        return StepRecord(HOT, ALL, obstacle, False)
    reason = "a match must start after it"
    return StepRecord(HOT, "events since the last match that was taken", reason, True)
