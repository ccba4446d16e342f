"""Time and memory.

Time: all contenders warm up once, then run by turns in one process, starting with another one every
round; the best of all rounds counts, since other load on the machine can only add time.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.contender import Benchmark, Contender, NotRunnableError, Timed
from benchmarks.references import agree
from benchmarks.workloads import DATA

POLL_SECONDS = 0.02
REPOSITORY = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was measured of one contender; `skipped` says why nothing was."""

    contender: str
    seconds: tuple[float, ...] = ()
    peak_bytes: int | None = None
    checked: bool = False
    skipped: str | None = None

    @property
    def best(self) -> float | None:
        """The shortest time."""
        return min(self.seconds, default=None)


class WrongAnswerError(Exception):
    """A contender disagrees with the reference."""


def measure(
    benchmark: Benchmark, *, events: int, repeat: int, memory: bool = True, folder: Path = DATA
) -> list[Measurement]:
    """Verify and time all contenders by turns, then measure their memory one by one."""
    path = benchmark.workload.parquet(events, folder)
    seconds: dict[str, list[float]] = {}
    skipped: dict[str, str] = {}
    with benchmark.around():
        for contender in benchmark.contenders:
            try:
                contender.require_runnable(events)
            except NotRunnableError as error:
                skipped[contender.name] = str(error)
                continue
            _verify(benchmark, contender, path)
            seconds[contender.name] = []
        running = [benchmark.contender(name) for name in seconds]
        for turn in range(repeat):
            first = turn % max(1, len(running))
            for contender in running[first:] + running[:first]:
                seconds[contender.name].append(_time(contender, path)[1])
    return [
        Measurement(each.name, skipped=skipped[each.name])
        if each.name in skipped
        else Measurement(
            each.name,
            tuple(seconds[each.name]),
            peak_memory(benchmark, each, path) if memory else None,
            each.answer is not None,
        )
        for each in benchmark.contenders
    ]


def _time(contender: Contender, path: Path) -> tuple[Any, float]:
    gc.collect()
    started = time.perf_counter()
    result = contender.run(path)
    elapsed = time.perf_counter() - started
    return (result.result, result.seconds) if isinstance(result, Timed) else (result, elapsed)


def _verify(benchmark: Benchmark, contender: Contender, path: Path) -> None:
    """Warm up, and compare the answer with the reference."""
    result, _ = _time(contender, path)
    if contender.answer is None or benchmark.reference is None:
        return
    answer, expected = contender.answer(result), benchmark.reference(path)
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
        peak = max(peak, _tree_bytes(process.pid))
        time.sleep(POLL_SECONDS)
    assert process.stdout is not None
    with process.stdout:
        lines = process.stdout.read().splitlines()
    if process.returncode != 0:
        raise RuntimeError(f"measuring the memory of {contender.name} failed")
    return max(peak, int(json.loads(lines[-1])["peak_bytes"]))


def own_peak_bytes() -> int:
    """Return the peak resident memory of this process.

    Linux carries `ru_maxrss` over from the process that started this one; VmHWM starts anew.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return _kilobytes(status, "VmHWM") * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if platform.system() == "Darwin" else peak * 1024


def _tree_bytes(process_id: int) -> int:
    """Return the resident memory of a process and its descendants; 0 where there is no /proc."""
    folder = Path("/proc") / str(process_id)
    total = _kilobytes(folder / "status", "VmRSS") * 1024
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
