"""Which events a report needs: a model of what steps of streams keep."""

from __future__ import annotations

from cepheid.program.program import Program
from cepheid.program.when_final import has_start_negation


def oldest_needed(program: Program, horizon: int) -> int:
    """Return the clock before which no event matters for what becomes final at a horizon or later.

    In a window of events, clocks and the horizon are indexes in the partition. With WITHIN alone a
    negation at the start looks back from the last event of a trend, which may be as old as the
    window.
    """
    length = program.window_length
    assert length is not None
    if program.slide is not None:
        return ((horizon - length) // program.slide + 1) * program.slide
    return horizon - length * (2 if has_start_negation(program) else 1)
