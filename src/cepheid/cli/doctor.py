"""`cepheid doctor`: look at what queries need here, and say what to do about what is missing."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import cepheid
from cepheid.cli.console import QUERY_OR_DATA, output_console, working
from cepheid.errors import CepheidError

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

OLDEST_JAVA = 17
SMALL = "PATTERN SEQ(A a, B b) RETURN a.ts AS first, b.ts AS last"
EVENTS = {"ts": [1, 2], "kind": ["A", "B"]}
PACKAGES = ("pyarrow", "numpy", "numba", "pandas", "polars", "pyspark")
NEEDED = PACKAGES[:3]
JAVA_VERSION = re.compile(r'version "(?:1\.)?(\d+)')


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, what is there, and what to do; nothing is to be done if all is well."""

    what: str
    found: str
    advice: str | None = None
    is_needed: bool = True  # advice that queries run without is none

    @property
    def mark(self) -> str:
        """How it is shown."""
        return "ok  " if self.advice is None else "todo" if self.is_needed else "hint"


def doctor(
    spark: Annotated[
        bool, typer.Option(help="Also look at Java and Spark, and run a small query there.")
    ] = True,
) -> None:
    """Look at Python, packages, the folder of kernels, Java, Spark, its workers and settings.

    A small query runs in this process, and one on Spark. The exit code is 1 if something is to be
    done; a hint is about speed only.

    [bold]Examples[/bold]

    cepheid doctor

    cepheid doctor --no-spark
    """
    checks = [python, packages, kernels, in_process]
    if spark:
        checks += [java, workers, settings, on_spark]
    console, problems = output_console(), 0
    for check in checks:
        with working(f"Looking at {check.__name__.replace('_', ' ')}", quiet=False):
            findings = list(_all_of(check))
        for each in findings:
            console.print(f"{each.mark} {each.what}: {each.found}", markup=False, soft_wrap=True)
            if each.advice is not None:
                console.print(f"     {each.advice}", markup=False, soft_wrap=True)
                problems += each.is_needed
    if problems:
        raise typer.Exit(QUERY_OR_DATA)


def _all_of(check: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """Yield findings; what fails in a way that nobody foresaw is one, too."""
    try:
        yield from check()
    except Exception as error:
        said = str(error) if isinstance(error, CepheidError) else f"{type(error).__name__}: {error}"
        yield Finding(check.__name__.replace("_", " "), "failed", said.strip())


def python() -> Iterator[Finding]:
    """Say which Python this is."""
    yield Finding("Python", f"{sys.version.split()[0]}, {sys.executable}")
    yield Finding("Cepheid", f"{cepheid.__version__}, {Path(cepheid.__file__).parent}")


def packages() -> Iterator[Finding]:
    """Compare the packages with what Cepheid asks for."""
    for name in PACKAGES:
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            yield Finding(name, "not installed", f"pip install {name}" if name in NEEDED else None)
            continue
        allowed = _allowed(name)
        is_allowed = allowed is None or allowed.contains(version, prereleases=True)
        yield Finding(name, version, None if is_allowed else f"pip install '{name}{allowed}'")


def _allowed(name: str) -> SpecifierSet | None:
    """Return the versions that Cepheid allows; None without the package that can compare them."""
    try:
        from packaging.requirements import Requirement
    except ImportError:
        return None
    wanted = map(Requirement, importlib.metadata.requires("cepheid") or ())
    return next((each.specifier for each in wanted if each.name == name), None)


def kernels() -> Iterator[Finding]:
    """Say where compiled kernels are kept."""
    from cepheid.kernels.cache import cache_folder

    folder = cache_folder()
    if folder is None:
        yield Finding("compiled kernels", "kept in memory only, so every process compiles again",
                      "let CEPHEID_CACHE_DIR name a folder that only you can write to")  # fmt: skip
        return
    count = sum(1 for _ in folder.rglob("*.nbc"))
    yield Finding("compiled kernels", f"{count} in {folder}")


def in_process() -> Iterator[Finding]:
    """Run a small query here."""
    import pyarrow as pa

    begun = time.perf_counter()
    rows = cepheid.query(SMALL).run(pa.table(EVENTS), time="ts", type="kind").to_pylist()
    yield _ran("a query in this process", rows, time.perf_counter() - begun)


def java() -> Iterator[Finding]:
    """Find the Java that Spark will start."""
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home, "bin", "java")) if home else shutil.which("java")
    advice = f"install Java {OLDEST_JAVA} or newer, and let JAVA_HOME name its folder"
    if program is None:
        yield Finding("Java", "not found", advice)
        return
    try:
        done = subprocess.run(
            [program, "-version"], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        yield Finding("Java", f"{program} does not start", advice)
        return
    found = JAVA_VERSION.search(done.stderr)
    is_new = found is not None and int(found[1]) >= OLDEST_JAVA
    version = found[1] if found is not None else "of unknown version"
    yield Finding("Java", f"{version}, {program}", None if is_new else advice)


def workers() -> Iterator[Finding]:
    """Ask the Python that Spark's workers of this machine will have."""
    from cepheid.spark.session_settings import file_of_defaults, settings_in
    from cepheid.spark.worker_python import BY_SETTING, advice, ask_python, chosen_python

    setting = settings_in(file_of_defaults()).get(BY_SETTING)
    name, what_to_do = chosen_python(setting), advice(setting)
    found = ask_python(name)
    if found is None:
        yield Finding("Python of Spark's workers", f"{name} does not start", what_to_do)
        return
    problem = found.problem
    said = found.path if problem is None else f"{found.path}: {problem}"
    yield Finding("Python of Spark's workers", said, None if problem is None else what_to_do)


def settings() -> Iterator[Finding]:
    """Compare Spark's file of defaults with the settings that matter to queries."""
    from cepheid.spark.session_settings import SETTINGS, file_of_defaults, settings_in

    file = file_of_defaults()
    told = settings_in(file)
    yield Finding("Spark's defaults", str(file) if file.is_file() else f"there is no {file}")
    for each in SETTINGS:
        value = told.get(each.name)
        found = f"{each.default}, unless your session sets it" if value is None else value
        advice = f"set it to {each.best}, there or where the session is made: {each.reason}"
        is_best = (value or each.default) == each.best
        yield Finding(each.name, found, None if is_best else advice, each.is_needed)


def on_spark() -> Iterator[Finding]:
    """Run a small query on Spark."""
    import pyarrow as pa

    from cepheid.connectors.spark_session import spark_session

    with spark_session() as run:
        context = f"Spark {run.session.version}"
        begun = time.perf_counter()
        frame = run.session.createDataFrame(pa.table(EVENTS))
        found = cepheid.query(SMALL).run(frame, time="ts", type="kind").collect()
        rows = [row.asDict() for row in found]
        yield _ran(f"a query on {context}", rows, time.perf_counter() - begun)


def _ran(what: str, rows: list[dict[str, object]], seconds: float) -> Finding:
    if rows == [{"first": 1, "last": 2}]:
        return Finding(what, f"found its match, in {seconds:.1f} s")
    return Finding(what, f"found {rows}", "this is a bug in Cepheid: please report it")
