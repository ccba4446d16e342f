"""When the matches of a program become final on a stream, and whether they look at more."""

from __future__ import annotations

from enum import StrEnum

from cepheid.language.ast import OutputMode
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.match_choice import MatchChoice
from cepheid.program.program import Clock, MatchOutput, Program


class WhenFinal(StrEnum):
    """What must be known for a match to be reported."""

    LAST_EVENT = "its last event"
    FIRST_SPAN = "all events of a window that begins with its first event"
    LAST_SPAN = "all events of a window that begins with its last event"
    WINDOW = "all events of the window in which it ends"


def when_final(program: Program) -> WhenFinal:
    """Return when the matches of a program are final.

    An end negation and PARTIAL wait until the window is over. NON OVERLAPPING decides in the order
    of last events. A match that ends no later began no later either, so one window after the last
    event it is known of all of these whether an end negation blocks them. So does FIRST. What
    becomes of a start, where each has a match, is known when its window is over, unless the first
    end decides.
    """
    output = program.output
    assert isinstance(output, MatchOutput)
    choice = output.choice
    if choice is not None and choice.form is OutputMode.LAST:
        return WhenFinal.WINDOW
    if choice is not None and choice.is_per_start:
        at_end = is_final_at_end(program, choice)
        return WhenFinal.LAST_EVENT if at_end else WhenFinal.FIRST_SPAN
    if output.is_partial:
        return WhenFinal.FIRST_SPAN
    if not has_end_negation(program):
        return WhenFinal.LAST_EVENT
    by_last_event = choice is not None or is_apart(program)
    return WhenFinal.LAST_SPAN if by_last_event else WhenFinal.FIRST_SPAN


def is_final_at_end(program: Program, choice: MatchChoice) -> bool:
    """Whether the match of a start is known with its last event: no later one is shorter."""
    return choice.form is OutputMode.SHORTEST and not choice.skips and not has_end_negation(program)


def reported_after(program: Program) -> int:
    """Return how many ticks later than its own time allows a result may be reported.

    An end negation gives a match the last tick of its span as its time. Pairs, and matches that are
    not to overlap, may have to wait for another span, which begins within the first. Others have
    the time of their last event, and may wait for the end of a window that it is in.
    """
    if not isinstance(program.output, MatchOutput):
        return 0
    if has_end_negation(program):
        waits = program.pair is not None or when_final(program) is not WhenFinal.FIRST_SPAN
    else:
        waits = when_final(program) is not WhenFinal.LAST_EVENT
    return (program.window_length or 1) - 1 if waits else 0


def is_apart(program: Program) -> bool:
    """Whether matches, or pairs of them, are not to overlap, or skip others."""
    if program.pair is not None:
        return program.pair.is_non_overlapping
    choice = program.output.choice if isinstance(program.output, MatchOutput) else None
    return choice is not None and choice.skips


def has_start_negation(program: Program) -> bool:
    """Whether a negated part looks at what is before the first event, on either side of AND."""
    begin = len(program.automaton.edges)
    return _blocks(program, begin, begin + len(program.automaton.follow)) or (
        program.pair is not None and has_start_negation(program.pair.second)
    )


def has_end_negation(program: Program) -> bool:
    """Whether a negated part looks at what is after the last event, on either side of AND."""
    begin = len(program.automaton.edges) + len(program.automaton.follow)
    return _blocks(program, begin, None) or (
        program.pair is not None and has_end_negation(program.pair.second)
    )


def _blocks(program: Program, begin: int, end: int | None) -> bool:
    """Whether some bindings can be blocked; they are edges, then entries, then ends."""
    return program.negation is not None and any(
        0 not in alternatives for alternatives in program.negation.gaps[begin:end]
    )


def shares_windows_of_events(program: Program) -> bool:
    """Whether a row adds up windows of events of several partitions.

    Such a row is never final: a new partition has a first window, too.
    """
    output = program.output
    if not isinstance(output, AggregateOutput) or program.clock is not Clock.EVENTS:
        return False
    grouped = {column for column, _ in output.groups}
    return program.slide is not None and not set(program.partition_by) <= grouped
