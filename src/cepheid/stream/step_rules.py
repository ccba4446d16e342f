"""What a step of a stream need not look at: the rules, which follow from the program alone.

Others ask them to know what to keep (retention.py, touched_events.py), EXPLAIN to tell it
(explain_steps.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cepheid.engine.trends.contiguous_variants import why_not_linear
from cepheid.language.ast import OutputMode
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Clock, MatchOutput, Program, Ranking, StrategyCode
from cepheid.program.when_final import (
    WhenFinal,
    has_end_negation,
    has_start_negation,
    is_apart,
    when_final,
)

# What a match waits for that is told by a new event, or by its first one.
BY_FIRST_OR_NEW = (WhenFinal.LAST_EVENT, WhenFinal.FIRST_SPAN)
# Strategies under which events take runs away, and runs do not look at each other.
TAKING = (
    StrategyCode.SKIP_TILL_NEXT,
    StrategyCode.SKIP_TILL_NEXT_KLEENE,
    StrategyCode.CONTIGUOUS,
)
READS_LAST = "what a run takes next depends on its last event"
TOLD_APART = "predicates across events tell runs apart"
NO_PARTITION = "there is one partition, whose events after the last end are few"


def how_far_back(program: Program) -> int | None:
    """Return how far results that are still to come look back, on the clock; None: to the start.

    From the last event of a result one window back, and so the first negation. Where the result has
    to wait for the end of a window, that is one window more for whatever looks back from within it:
    a start negation, the other trend of a pair, a match that is to come first.
    """
    window = program.window_length
    if window is None:
        return None
    looks_before = has_start_negation(program)
    if not isinstance(program.output, MatchOutput):
        return window * (2 if looks_before and program.slide is None else 1)
    waits = program.output.is_partial or has_end_negation(program)
    if program.pair is not None:
        return window * (1 + waits + looks_before)
    when, choice = when_final(program), program.output.choice
    if when is WhenFinal.WINDOW:
        return window * (2 + looks_before)
    if choice is not None and choice.is_per_start:  # shorter matches of the same start count, too
        return window * (1 + looks_before)
    return window * (2 if waits and (looks_before or when is WhenFinal.LAST_SPAN) else 1)


def keeps_apart(program: Program) -> bool:
    """Whether settled events are kept apart from others, and written anew in every step.

    So it is where events are dropped one by one, or carry hidden columns.
    """
    is_marked = is_apart(program) or marks_windows(program)
    return program.clock is Clock.EVENTS or is_marked or keeps_pending(program)


def marks_windows(program: Program) -> bool:
    """Whether the window in which a match ends has no other: its last event is marked."""
    choice = program.output.choice if isinstance(program.output, MatchOutput) else None
    return choice is not None and choice.form is OutputMode.FIRST


def keeps_pending(program: Program) -> bool:
    """Whether nothing but the runs that wait matters to later events."""
    output = program.output
    return (
        program.strategy is StrategyCode.LATEST_WINS
        and program.clock is Clock.TIME
        and program.negation is None
        and program.pair is None
        and isinstance(output, MatchOutput)
        and output.choice is None
        and not (output.is_partial or output.is_compressed)
    )


def page_keys(programs: Sequence[Program]) -> tuple[str, ...]:
    """Return columns such that events of different values never matter to the same result.

    All partitions of a group add to its result, so that these are columns of groups, too.
    """
    keys = [*programs[0].partition_by]
    for each in programs:
        own = {*_parted_by(each)}
        computed = {one.name for one in each.computed}
        keys = [key for key in keys if key in own and key not in computed]
    return tuple(keys)


def _parted_by(program: Program) -> Iterable[str]:
    if program.ranking is Ranking.STREAM or program.clock is not Clock.TIME:
        return ()
    if program.slide is not None:  # windows end in all partitions at once
        return ()
    if isinstance(program.output, AggregateOutput):
        grouped = {column for column, _ in program.output.groups}
        return [each for each in program.partition_by if each in grouped]
    return program.partition_by if when_final(program) in BY_FIRST_OR_NEW else ()


def why_no_matrices(program: Program) -> str | None:
    """Return why a stretch of time is no matrix; None if it is, whatever comes before."""
    if program.slots is None and isinstance(program.output, AggregateOutput) and not program.pair:
        return READS_LAST
    return _why_no_matrix(program)


def _why_no_matrix(program: Program) -> str | None:
    """Return the same where trends are linear, or the last events before are known."""
    output = program.output
    if not isinstance(output, AggregateOutput):
        return "matches are listed"
    if program.pair is not None:
        return "AND pairs the trends of two patterns"
    if program.slots is None and (program.adjacent is None or why_not_linear(program) is not None):
        return READS_LAST
    if program.clock is not Clock.TIME:
        return "a window of events is told by their indexes"
    if output.has_exact:
        return "EXACT counts take several passes over events"
    if program.ranking is Ranking.STREAM and program.partition_by:
        return "an event of any partition may break a trend"
    return None


def why_all_events(program: Program) -> str | None:
    """Return why the middle of a window cannot be known as matrices, None if it can."""
    if has_start_negation(program):
        return "a negated part at the start looks back further than the window"
    return _why_no_matrix(program)


def has_marks(program: Program) -> bool:
    """Whether events may be too old for every run of their key long before the window is over."""
    return why_no_marks(program) is None


def why_no_marks(program: Program) -> str | None:
    """Return why all events of a window may be needed, None if they are not."""
    output = program.output
    if not isinstance(output, MatchOutput):
        return "a value covers all trends of its window"
    if output.choice is not None:
        return "which matches OUTPUT takes depends on others"
    if program.pair is not None:
        return "AND pairs a new trend with all of its window"
    if program.clock is not Clock.TIME:
        return "a window of events is told by their indexes"
    if program.ranking is Ranking.STREAM:
        return "an event of any partition may break a match"
    if when_final(program) is not WhenFinal.LAST_EVENT:
        return "a match waits until its window is over, and any event of it may matter"
    return _why_alive(program)


def keeps_runs(program: Program) -> bool:
    """Whether later matches need only events of runs that are alive (alive_events.py)."""
    output, automaton = program.output, program.automaton
    starts_only = all((automaton.first >> target) & 1 == 0 for _, target in automaton.edges)
    return (
        isinstance(output, MatchOutput)
        and not output.is_compressed
        and program.strategy is StrategyCode.SKIP_TILL_NEXT
        and program.negation is None
        and starts_only
        and why_no_marks(program) == TOLD_APART
    )


def is_blocked_early(program: Program) -> bool:
    """Whether a match that waits for its window may be known to be blocked long before.

    Its runs are over soon, and what an end negation has blocked stays so.
    """
    output = program.output
    if not isinstance(output, MatchOutput) or output.choice is not None or output.is_compressed:
        return False
    if output.is_partial or program.pair is not None or program.clock is not Clock.TIME:
        return False
    is_over = when_final(program) is WhenFinal.FIRST_SPAN and program.ranking is not Ranking.STREAM
    return is_over and not has_start_negation(program) and _why_alive(program) is None


def _why_alive(program: Program) -> str | None:
    """Return why runs may be alive, or looked at, as long as their window."""
    if program.strategy not in TAKING:
        return "no event takes a run away from those that come later"
    is_told_apart = program.runs.has_tests or any(program.runs.path_clauses)
    if is_told_apart and program.strategy is not StrategyCode.CONTIGUOUS:
        return TOLD_APART
    return None


def why_no_ends(program: Program) -> str | None:
    """Return why more than ends of matches must be kept, None if need not."""
    output, keys = program.output, program.partition_by
    choice = output.choice if isinstance(output, MatchOutput) else None
    if choice is None or choice.form is not OutputMode.NON_OVERLAPPING or program.pair is not None:
        return "which matches OUTPUT takes depends on others"
    if program.clock is not Clock.TIME:
        return "a window of events is told by their indexes"
    if program.ranking is Ranking.STREAM:
        return "an event of any partition may break a match"
    if when_final(program) is not WhenFinal.LAST_EVENT or has_start_negation(program):
        return "a negated part at the border looks at events that were taken"
    if not keys:
        return NO_PARTITION
    if {each.name for each in program.computed}.intersection(keys):
        return "the key of a partition is computed, and not kept"
    return None
