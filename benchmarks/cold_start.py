"""Cold start: a new process that answers W1 on 1,000 events. Timed: the whole process.

The floors are a process that imports what Cepheid stands on, and an empty one. `no compiled
kernels` is the first run after an installation: Numba compiles them and keeps them on disk. So it
is for a count whose numbers leave the range of doubles, of events of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
from pyarrow import csv

from benchmarks import references
from benchmarks.contender import Benchmark, Contender, NotRunnableError
from benchmarks.references import Answer
from benchmarks.run_cepheid import PACKAGES
from benchmarks.w1 import QUERY, RETURNED
from benchmarks.workloads import W1_DENSE

API = """
import sys, cepheid, pyarrow.parquet
events = pyarrow.parquet.ParquetFile(sys.argv[1]).read()
result = cepheid.query(sys.argv[2]).run(events, time="ts", type="etype")
print(result.num_rows)
"""


# Counts beyond 2^1000 leave the range of the kernel that comes first.
COUNT = """
import cepheid, pyarrow
events = pyarrow.table({"ts": range(20_000), "etype": ["F"] * 20_000})
query = "PATTERN F+ f WHERE f[i].ts - f[i-1].ts < 10 RETURN LOG2(COUNT(*)) AS bits"
print(int(cepheid.query(query).run(events, time="ts", type="etype")["bits"][0].as_py()))
"""
COUNTED = 19_971  # 2^19971.57 trends


def _start(*arguments: str, cache: str | None = None) -> str:
    environment = os.environ | ({} if cache is None else {"CEPHEID_CACHE_DIR": cache})
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment
    ).stdout


def _ask(path: Path) -> str:
    return _start("-c", API, str(path), f"{QUERY} {RETURNED}")


def _ask_without_kernels(path: Path) -> str:
    with tempfile.TemporaryDirectory(prefix="cepheid-kernels-") as folder:
        return _start("-c", API, str(path), f"{QUERY} {RETURNED}", cache=folder)


def _count_without_kernels(_: Path) -> str:
    with tempfile.TemporaryDirectory(prefix="cepheid-kernels-") as folder:
        return _start("-c", COUNT, cache=folder)


def _command() -> Path:
    return Path(sys.executable).parent / "cepheid"


def _run_command_on_csv(path: Path) -> str:
    events = path.with_suffix(".header.csv")
    if not events.exists():  # the first of several runs pays for it; the best one counts
        csv.write_csv(pq.read_table(path), events)
    return _run_command(events)


def _run_command(path: Path) -> str:
    query = f"{QUERY} {RETURNED}"
    arguments = ["run", query, str(path), "--time", "ts", "--type", "etype"]
    return _start(str(_command()), *arguments, "--format", "json", "--quiet")


def _require_command() -> None:
    if not _command().exists():
        raise NotRunnableError("not installed (make, or pip install -e .)")


def _lines(output: str) -> Answer:
    return (len(output.splitlines()),)


def _answer(output: str) -> Answer:
    return (int(output.rsplit(maxsplit=1)[-1]),)


def _process(
    name: str,
    run: Callable[[Path], str],
    answer: Callable[[str], Answer] | None = None,
    ready: Callable[[], None] = lambda: None,
    reference: Callable[[Path], Answer] | None = None,
) -> Contender:
    return Contender(
        name, run, answer, ready, packages=PACKAGES, own_process=True, reference=reference
    )


def _reference(path: Path) -> Answer:
    return references.w1(path)[:1]


COLD_START = Benchmark(
    name="cold-start",
    question="W1 on a small file in a new process",
    workload=W1_DENSE,
    events=1_000,
    reference=_reference,
    contenders=(
        _process("cepheid run", _run_command, _lines, ready=_require_command),
        _process("cepheid run, CSV", _run_command_on_csv, _lines, ready=_require_command),
        _process("Cepheid, API", _ask, _answer),
        _process("Cepheid, API, no compiled kernels", _ask_without_kernels, _answer),
        _process(
            "count of 20,000 close events, no compiled kernels",
            _count_without_kernels,
            _answer,
            reference=lambda _: (COUNTED,),
        ),
        _process("import pyarrow, numba", lambda _: _start("-c", "import pyarrow, numba")),
        _process("empty process", lambda _: _start("-c", "")),
    ),
    baseline="import pyarrow, numba",
)
