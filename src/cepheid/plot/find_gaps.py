"""Where in a match something must not occur."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from cepheid.explain.document import Explanation
from cepheid.plot.timeline import Gap


class GapFinder:
    """The negations of a pattern, by the variables at both sides of them."""

    def __init__(self, explanation: Explanation, window: int | None) -> None:
        self.window = window
        self.between: dict[tuple[str, str], str] = {}
        self.before: dict[str, str] = {}
        self.after: dict[str, str] = {}
        for side in explanation.sides:
            variable = {each.index: each.variable for each in side.states}
            for edge in side.edges:
                if edge.negation is not None:
                    self.between[variable[edge.source], variable[edge.target]] = edge.negation
            for state in side.states:
                if state.entry_negation is not None:
                    self.before[state.variable] = state.entry_negation
                if state.exit_negation is not None:
                    self.after[state.variable] = state.exit_negation

    def gaps(self, variables: Sequence[str], ticks: Sequence[int]) -> tuple[Gap, ...]:
        """Return the stretches of a match in which a negated part must not occur."""
        found = [
            Gap(begin, end, self.between[pair])
            for pair, (begin, end) in zip(pairwise(variables), pairwise(ticks), strict=True)
            if pair in self.between
        ]
        if self.window is not None and (text := self.before.get(variables[0])) is not None:
            found.append(Gap(ticks[-1] - self.window, ticks[0], text))
        if self.window is not None and (text := self.after.get(variables[-1])) is not None:
            found.append(Gap(ticks[-1], ticks[0] + self.window, text))
        return tuple(found)
