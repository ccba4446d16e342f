"""Where and when something was measured."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.contender import NotRunnableError

RESULTS = Path(__file__).parent / "results"
DIRTY = "-dirty"


def surroundings(packages: Iterable[str]) -> dict[str, Any]:
    """Return what a result file says about the machine, the time and the versions."""
    return {
        "commit": _commit(),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "load_average": [round(each, 2) for each in os.getloadavg()],
        "machine": platform.machine(),
        "system": platform.system(),
        "versions": {"python": platform.python_version(), **_versions(packages)},
    }


def sentence(facts: dict[str, Any]) -> str:
    """Return the same as one line of text."""
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    return (
        f"{facts['cores']} cores, load {facts['load_average'][0]}, "
        f"{facts['system']} {facts['machine']}; {versions}."
    )


def require_clean(folder: Path) -> None:
    """Let nothing be written among the results of this repository that no commit can repeat.

    Raises:
        NotRunnableError: it is such a folder, and the work tree has changed since the commit.
    """
    commit = _commit()
    if folder.resolve().is_relative_to(RESULTS) and (commit is None or commit.endswith(DIRTY)):
        raise NotRunnableError(
            "not written: results are kept only from a clean commit, and the work tree has changed "
            "since; commit first, or write elsewhere with --output DIR"
        )


def written(write: Callable[[Path], Path], folder: Path) -> str:
    """Write a result, and return where it is, or why it was not written."""
    try:
        return f"written: {write(folder)}"
    except NotRunnableError as error:
        return str(error)


def is_clean(facts: dict[str, Any]) -> bool:
    """Say whether a result comes from a commit that can be had again."""
    commit = facts.get("commit")
    return commit is not None and not str(commit).endswith(DIRTY)


def _commit() -> str | None:
    """Return the commit of the sources, `-dirty` if they have changed since; None without git."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _versions(packages: Iterable[str]) -> dict[str, str]:
    found = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
