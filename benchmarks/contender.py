"""What a benchmark consists of."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.references import Answer
from benchmarks.workloads import Workload


class NotRunnableError(Exception):
    """A contender cannot run here, or not at this size; the message says why."""


@dataclass(frozen=True, slots=True)
class Timed:
    """The result of a contender that measures its own time, because it runs in another process.

    `shorter_seconds` is the time of a shorter job, where only the difference counts. It is taken
    between the shortest times of all rounds: the difference within one round can be too small.
    """

    result: Any
    seconds: float
    shorter_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Contender:
    """One way to answer the question of a benchmark.

    `run` is timed: it takes the Parquet file and gives a result, or `Timed`. `answer` turns the
    result into what is compared with the reference and is not timed; a floor, which answers
    nothing, has none. `ready` raises NotRunnableError, for example because a library is missing.
    `most_events` is where a contender becomes too slow to wait for, `least_events` what it takes to
    tell its time from that of its start. `own_process` says that every
    run starts a process, whose memory counts instead of that of the process that waits for it.
    `reference` gives the exact answer where the contenders of a benchmark are asked different
    questions, such as another window each. `share` is the part of the events that it looks at,
    `baseline` the contender that its ratios refer to, if not that of the benchmark.
    """

    name: str
    run: Callable[[Path], Any]
    answer: Callable[[Any], Answer] | None
    ready: Callable[[], None] = lambda: None
    most_events: int | None = None
    packages: tuple[str, ...] = ()
    own_process: bool = False
    reference: Callable[[Path], Answer] | None = None
    share: float = 1.0
    least_events: int = 0
    baseline: str | None = None

    def require_runnable(self, events: int) -> None:
        """Raise NotRunnableError if it makes no sense to start."""
        if self.most_events is not None and events > self.most_events:
            raise NotRunnableError(f"too slow beyond {self.most_events:,} events")
        self.ready()
        if events < self.least_events:
            raise NotRunnableError(f"too few events, needs {self.least_events:,}")


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A question, the exact answer and the contenders.

    `around` is entered once for all contenders. `counts_cpu` is False where they work in processes
    that do not end with them.
    """

    name: str
    question: str
    workload: Workload
    events: int
    reference: Callable[[Path], Answer] | None
    contenders: tuple[Contender, ...]
    baseline: str
    around: Callable[[], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext
    counts_cpu: bool = True

    def contender(self, name: str) -> Contender:
        """Return the contender of a name."""
        return next(each for each in self.contenders if each.name == name)
