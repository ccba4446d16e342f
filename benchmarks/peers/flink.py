"""Flink's CEP library, in a JVM of its own.

It needs the jars of a Flink distribution, for example those in the Python package
apache-flink-libraries (folder pyflink/lib), and a JDK. The time is that of the job, from its
submission to its end: starting the JVM and compiling are not counted, reading the CSV file is.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.contender import Contender, NotRunnableError, Timed
from benchmarks.references import Answer
from benchmarks.workloads import csv_of

JARS = "CEPHEID_BENCHMARK_FLINK_JARS"
SOURCE = Path(__file__).parent / "FlinkCep.java"


def flink(question: str, *, most_events: int | None = None) -> Contender:
    """Return the contender for w1 or w4."""
    return Contender(
        "Flink CEP library",
        lambda path: _run(question, path),
        _answer,
        ready,
        most_events,
        own_process=True,
    )


def ready() -> None:
    """Raise NotRunnableError without jars or a JDK."""
    if not os.environ.get(JARS):
        raise NotRunnableError("no jars (--flink-jars DIR)")
    if find_java("javac") is None or find_java("java") is None:
        raise NotRunnableError("no JDK (JAVA_HOME)")


def find_java(program: str) -> str | None:
    """Return the path of a program of the JDK."""
    home = os.environ.get("JAVA_HOME")
    inside = Path(home or "/") / "bin" / program
    return str(inside) if home and inside.exists() else shutil.which(program)


def jar_names() -> list[str]:
    """Return the names of the jars of Flink's own, which have its version."""
    if not os.environ.get(JARS):
        return []
    return sorted(each.name for each in Path(os.environ[JARS]).glob("flink-*.jar"))


def _classpath() -> str:
    return os.pathsep.join(map(str, sorted(Path(os.environ[JARS]).glob("*.jar"))))


@functools.cache
def _classes(source: Path) -> str:
    """Compile once per process; the folder goes when the process ends."""
    folder = tempfile.mkdtemp(prefix="cepheid-flink-")
    atexit.register(shutil.rmtree, folder)
    command = [
        str(find_java("javac")),
        "-nowarn",
        "-cp",
        _classpath(),
        "-d",
        folder,
        str(source),
    ]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def java_command(source: Path, arguments: Sequence[str]) -> list[str]:
    """Return how the class of a Java file is run."""
    classpath = os.pathsep.join([_classes(source), _classpath()])
    # Flink reaches into java.base by reflection.
    opened = [f"--add-opens=java.base/java.{each}=ALL-UNNAMED" for each in ("util", "lang", "time")]
    java = str(find_java("java"))
    return [java, "-Xmx4g", *opened, "-cp", classpath, source.stem, *arguments]


def run_java(source: Path, arguments: Sequence[str]) -> Any:
    """Run the class of a Java file and return what it prints last, as JSON."""
    command = java_command(source, arguments)
    finished = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(finished.stdout.splitlines()[-1])


def _run(question: str, path: Path) -> Timed:
    parallelism = str(os.cpu_count() or 1)
    result = run_java(SOURCE, [question, str(csv_of(path)), parallelism])
    return Timed(tuple(result["answer"]), result["seconds"])


def _answer(result: Answer) -> Answer:
    return result
