"""By which attributes events are spread over tasks."""

from __future__ import annotations

from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Program, Ranking


def shuffle_keys(program: Program) -> tuple[str, ...]:
    """Return the attributes to shuffle by; none means that one task must see all events."""
    if program.ranking is Ranking.STREAM:
        return ()
    output = program.output
    if isinstance(output, AggregateOutput) and program.window_length and program.slide is None:
        return tuple(column for column, _ in output.groups)
    return program.partition_by
