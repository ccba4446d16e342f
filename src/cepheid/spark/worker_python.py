"""The Python of Spark's workers: it must have this package, or every task fails in the JVM."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass

from pyspark.sql import SparkSession

from cepheid.errors import ConfigError

ASK = """
import importlib.util, json, sys
print(json.dumps([sys.executable, list(sys.version_info[:2]),
                  [each for each in ("cepheid", "pyarrow", "numba", "pandas")
                   if importlib.util.find_spec(each) is None]]))
"""
BY_SETTING = "spark.sql.execution.pyspark.python"  # for all but RDDs it goes before PYSPARK_PYTHON
LONGEST_ANSWER = 30.0  # seconds for a Python to say what it has


@dataclass(frozen=True, slots=True)
class WorkerPython:
    """A Python: where it is, its version, and which packages that workers need it lacks."""

    path: str
    version: tuple[int, int]
    missing: tuple[str, ...]

    @property
    def problem(self) -> str | None:
        """What keeps it from running tasks of this process; None if nothing does."""
        ours = sys.version_info[:2]
        if self.version != ours:
            told = ".".join(map(str, self.version))
            return f"it is version {told}, and this process runs {'.'.join(map(str, ours))}"
        if self.missing:
            return f"it has no package {', '.join(repr(each) for each in self.missing)}"
        return None


def chosen_python(setting: str | None) -> str:
    """Return what a new session starts workers with, where BY_SETTING is this, or is not set."""
    return setting or os.environ.get("PYSPARK_PYTHON") or "python3"


def check_worker_python(session: SparkSession) -> None:
    """Raise a ConfigError if workers of this machine have a Python that cannot run our tasks.

    Those of a cluster are elsewhere, and packages may be sent to them: they are not asked.
    """
    if type(session).__module__.startswith("pyspark.sql.connect"):
        return
    context = session.sparkContext
    sent = context.getConf().get("spark.submit.pyFiles") or context.getConf().get("spark.archives")
    if not str(context.master).startswith("local") or sent or context._python_includes:
        return
    setting = session.conf.get(BY_SETTING, None)
    name = setting or context.pythonExec
    found = ask_python(name)
    problem = "it cannot be started" if found is None else found.problem
    if problem is not None:
        path = name if found is None else found.path
        hint = f"{advice(setting)}; `cepheid doctor` shows more"
        raise ConfigError(f"Spark's workers run {path}: {problem}", hint=hint)


def advice(setting: str | None) -> str:
    """Return what to do about a wrong Python, which BY_SETTING names if it is set."""
    if setting:
        return f"set {BY_SETTING}={sys.executable}, or leave it out and set PYSPARK_PYTHON"
    return (
        f"set PYSPARK_PYTHON={sys.executable} before the session starts "
        "(os.environ will do), or activate the environment"
    )


@functools.cache
def ask_python(name: str) -> WorkerPython | None:
    """Return what a Python has; None if it does not start."""
    path = shutil.which(name)
    if path is None:
        return None
    if os.path.abspath(path) == os.path.abspath(sys.executable):
        return WorkerPython(path, sys.version_info[:2], ())
    try:
        done = subprocess.run(
            [path, "-c", ASK], capture_output=True, text=True, timeout=LONGEST_ANSWER, check=True
        )
        executable, version, missing = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return WorkerPython(executable, (version[0], version[1]), tuple(missing))
