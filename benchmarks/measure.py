"""Time and memory.

Time: the clock on the wall, and the processor's time over all threads and ended child processes.
All contenders warm up once, then run by turns in one process, starting with another one every
round; the best of all rounds counts, since other load on the machine can only add time. Who takes
less than 20 milliseconds runs five times in a row, as caches hold what the one before has used. Who
has taken 20 seconds in all is not asked again.
Memory: every contender runs once in a process of its own; the peak of its resident memory counts,
with the interpreter and the libraries, and the sum over processes where it starts others.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import resource
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.contender import Benchmark, Contender, NotRunnableError, Timed
from benchmarks.references import agree
from benchmarks.workloads import DATA

POLL_SECONDS = 0.02
SHORT_SECONDS, SHORT_RUNS = 0.02, 5
ENOUGH_SECONDS = 20.0
REPOSITORY = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was measured of one contender; `skipped` says why nothing was."""

    contender: str
    seconds: tuple[float, ...] = ()
    cpu_seconds: tuple[float, ...] = ()
    peak_bytes: int | None = None
    checked: bool = False
    skipped: str | None = None
    shorter_seconds: tuple[float, ...] = ()

    @property
    def best(self) -> float | None:
        """The shortest time; None if other load hides it."""
        if not self.seconds:
            return None
        best = min(self.seconds) - min(self.shorter_seconds, default=0.0)
        return best if best > 0 else None

    @property
    def best_cpu(self) -> float | None:
        """The least processor time."""
        return min(self.cpu_seconds, default=None)


class WrongAnswerError(Exception):
    """A contender disagrees with the reference."""


def measure(
    benchmark: Benchmark, *, events: int, repeat: int, memory: bool = True, folder: Path = DATA
) -> list[Measurement]:
    """Verify and time all contenders by turns, then measure their memory one by one."""
    path = benchmark.workload.parquet(events, folder)
    runs: dict[str, list[Run]] = {}
    skipped: dict[str, str] = {}
    with benchmark.around():
        for contender in benchmark.contenders:
            try:
                contender.require_runnable(events)
            except NotRunnableError as error:
                skipped[contender.name] = str(error)
                continue
            _verify(benchmark, contender, path)
            runs[contender.name] = []
        running = [benchmark.contender(name) for name in runs]
        for turn in range(repeat):
            first = turn % max(1, len(running))
            for contender in running[first:] + running[:first]:
                if sum(each.seconds for each in runs[contender.name]) < ENOUGH_SECONDS:
                    runs[contender.name].append(_turn(contender, path))
    return [
        Measurement(each.name, skipped=skipped[each.name])
        if each.name in skipped
        else Measurement(
            each.name,
            tuple(run.seconds for run in runs[each.name]),
            tuple(run.cpu_seconds for run in runs[each.name]) if benchmark.counts_cpu else (),
            peak_memory(benchmark, each, path) if memory else None,
            each.answer is not None,
            shorter_seconds=tuple(
                run.shorter_seconds for run in runs[each.name] if run.shorter_seconds
            ),
        )
        for each in benchmark.contenders
    ]


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a contender."""

    result: Any
    seconds: float
    cpu_seconds: float
    shorter_seconds: float = 0.0


def _turn(contender: Contender, path: Path) -> Run:
    """Run once; a contender that takes a moment only, a few times, of which the shortest counts.

    The caches hold what the contender before it has used, and the garbage collector.
    """
    gc.collect()
    runs = [replace(_run(contender, path), result=None)]
    while runs[0].seconds < SHORT_SECONDS and len(runs) < SHORT_RUNS:
        runs.append(replace(_run(contender, path), result=None))
    return min(runs, key=lambda each: each.seconds)


def _run(contender: Contender, path: Path) -> Run:
    started, cpu_started = time.perf_counter(), cpu_seconds()
    result = contender.run(path)
    seconds, used = time.perf_counter() - started, cpu_seconds() - cpu_started
    if isinstance(result, Timed):
        return Run(result.result, result.seconds, used, result.shorter_seconds)
    return Run(result, seconds, used)


def cpu_seconds() -> float:
    """Return the processor time so far, of all threads and of child processes that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _verify(benchmark: Benchmark, contender: Contender, path: Path) -> None:
    """Warm up, and compare the answer with the reference."""
    result = _run(contender, path).result
    reference = contender.reference or benchmark.reference
    if contender.answer is None or reference is None:
        return
    answer, expected = contender.answer(result), reference(path)
    if not agree(answer, expected):
        raise WrongAnswerError(
            f"{benchmark.name}: {contender.name} gives {answer}, but the answer is {expected}"
        )


def peak_memory(benchmark: Benchmark, contender: Contender, path: Path) -> int:
    """Run a contender once in a new process and return the peak of its resident memory."""
    command = [sys.executable, "-m", "benchmarks.measure_memory", benchmark.name, contender.name]
    process = subprocess.Popen(
        [*command, str(path)], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True
    )
    peak = 0
    while process.poll() is None:
        peak = max(peak, _tree_bytes(process.pid, with_root=not contender.own_process))
        time.sleep(POLL_SECONDS)
    assert process.stdout is not None
    with process.stdout:
        lines = process.stdout.read().splitlines()
    if process.returncode != 0:
        raise RuntimeError(f"measuring the memory of {contender.name} failed")
    return peak if contender.own_process else max(peak, json.loads(lines[-1])["peak_bytes"])


def own_peak_bytes() -> int:
    """Return the peak resident memory of this process.

    Linux carries `ru_maxrss` over from the process that started this one; VmHWM starts anew.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return _kilobytes(status, "VmHWM") * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if platform.system() == "Darwin" else peak * 1024


def _tree_bytes(process_id: int, *, with_root: bool = True) -> int:
    """Return the resident memory of a process and its descendants; 0 where there is no /proc."""
    folder = Path("/proc") / str(process_id)
    total = _kilobytes(folder / "status", "VmRSS") * 1024 if with_root else 0
    for task in _listed(folder / "task"):
        try:
            children = (task / "children").read_text().split()
        except OSError:
            continue
        total += sum(_tree_bytes(int(each)) for each in children)
    return total


def _listed(folder: Path) -> list[Path]:
    try:
        return [folder / name for name in os.listdir(folder)]
    except OSError:
        return []


def _kilobytes(status: Path, key: str) -> int:
    try:
        lines = status.read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(key + ":")), 0)
