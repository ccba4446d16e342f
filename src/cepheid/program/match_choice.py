"""Which of the matches are taken (semantics, section 7)."""

from __future__ import annotations

from dataclasses import dataclass

from cepheid.language.ast import OutputMode, SkipTo

PER_START = (OutputMode.LONGEST, OutputMode.SHORTEST)
PER_WINDOW = (OutputMode.FIRST, OutputMode.LAST)
CHOSEN = (OutputMode.NON_OVERLAPPING, *PER_START, *PER_WINDOW)


@dataclass(frozen=True, slots=True)
class MatchChoice:
    """Which matches are taken, in which order, and where the next one may begin.

    `tie_columns` tell matches apart that differ in nothing else. `skip_positions` is a mask of the
    positions of the variable that SKIP TO names.
    """

    form: OutputMode
    tie_columns: tuple[str, ...]
    skip: SkipTo = SkipTo.NEXT_EVENT
    skip_positions: int = 0

    @property
    def is_per_start(self) -> bool:
        """Whether a match is taken for every start, unless it is skipped."""
        return self.form in PER_START

    @property
    def is_per_window(self) -> bool:
        """Whether a match is taken for every window in which matches end."""
        return self.form in PER_WINDOW

    @property
    def skips(self) -> bool:
        """Whether a match that is taken decides where the next one may begin."""
        apart = self.form is OutputMode.NON_OVERLAPPING
        return apart or (self.is_per_start and self.skip is not SkipTo.NEXT_EVENT)
