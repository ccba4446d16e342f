"""Verify contenders against each other, and time them by turns.

The first run of each warms up and gives the answer; all answers must be equal. Then they take
turns, each round starting with another one, and the best round counts. Who has taken
`ENOUGH_SECONDS` is not asked again.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from benchmarks.measure import WrongAnswerError
from benchmarks.papers.experiment import Cell
from benchmarks.papers.sase_plus.contenders import Answer, Contender, Skipped, Task
from benchmarks.papers.sase_plus.rules import Found

ENOUGH_SECONDS = 4.0


@dataclass(frozen=True, slots=True)
class Measured:
    """The best time of a contender, its answer, and what a baseline counted on its way."""

    seconds: float
    answer: Answer
    run_steps: int = 0
    again: int = 0
    updates: int = 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """All contenders at one point; `skipped` has the reasons of those that did not run."""

    query: str
    window: int
    events: int
    measured: dict[str, Measured]
    skipped: dict[str, str]

    def seconds(self, name: str) -> float:
        """Return the best time of a contender."""
        return self.measured[name].seconds

    def cell(self, name: str, value: Callable[[float], float]) -> Cell:
        """Return a value computed from the best time, or why there is none."""
        if name in self.skipped:
            return Cell(None, self.skipped[name])
        return Cell(value(self.seconds(name)))

    def throughput(self, name: str) -> Cell:
        """Return its events per second."""
        return self.cell(name, lambda seconds: self.events / seconds)

    def faster(self, name: str, other: str) -> float:
        """Return how many times as fast as another one it is."""
        return self.seconds(other) / self.seconds(name)

    def sentence(self, name: str, others: Sequence[str]) -> str:
        """Say how one compares with the others that ran."""
        parts = [
            f"{times(self.faster(name, each))} the speed of {each} "
            f"({milliseconds(self.seconds(each))})"
            for each in others
            if each in self.measured
        ]
        own = f"{self.query}, W = {self.window}: {name} ({milliseconds(self.seconds(name))})"
        return f"{own} has {' and '.join(parts)}"


def times(factor: float) -> str:
    """Write a factor: `0.071 times`, `12 times`."""
    return f"{factor:.2g} times" if factor < 10 else f"{factor:,.0f} times"


def milliseconds(seconds: float) -> str:
    """Write a time."""
    return f"{1000 * seconds:,.1f} ms"


def compare(task: Task, contenders: Sequence[Contender | Skipped], *, turns: int) -> Comparison:
    """Run all contenders of a task; raises WrongAnswerError if two disagree."""
    running = [each for each in contenders if isinstance(each, Contender)]
    first_runs = verify(task, running)
    seconds: dict[str, list[float]] = {each.name: [] for each in running}
    gc.collect()
    for turn in range(turns):
        first = turn % len(running)
        for each in [*running[first:], *running[:first]]:
            if sum(seconds[each.name]) < ENOUGH_SECONDS:
                started = time.perf_counter()
                each.run()
                seconds[each.name].append(time.perf_counter() - started)
    return Comparison(
        task.template.name,
        task.window,
        task.table.num_rows,
        {name: replace(run, seconds=min(seconds[name])) for name, run in first_runs.items()},
        {each.name: each.reason for each in contenders if isinstance(each, Skipped)},
    )


def verify(task: Task, contenders: Sequence[Contender]) -> dict[str, Measured]:
    """Run every contender once, untimed; raises WrongAnswerError if two disagree."""
    found: dict[str, Measured] = {}
    for each in contenders:
        result = each.run()
        found[each.name] = _untimed(result, each.answer(result))
        del result
        reference = contenders[0].name
        if not found[each.name].answer.agrees(found[reference].answer):
            raise WrongAnswerError(
                f"{task.template.name}, W = {task.window}: {each.name} gives "
                f"{found[each.name].answer}, but {reference} {found[reference].answer}"
            )
    return found


def _untimed(result: object, answer: Answer) -> Measured:
    if isinstance(result, Found):
        return Measured(0.0, answer, result.run_steps, result.again, result.updates)
    return Measured(0.0, answer)
