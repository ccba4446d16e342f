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
        "release": _system_release(),
        "processor": _line_of("/proc/cpuinfo", "model name"),
        "memory": _line_of("/proc/meminfo", "MemTotal"),
        "versions": {"python": platform.python_version(), **_versions(packages)},
    }


def sentence(facts: dict[str, Any]) -> str:
    """Return the same as one line of text."""
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    known = [facts.get("processor"), facts.get("release")]
    known += [f"{facts['memory']} of memory"] if facts.get("memory") else []
    machine = "".join(f", {each}" for each in known if each)
    return (
        f"{facts['cores']} cores, load {facts['load_average'][0]}, "
        f"{facts['system']} {facts['machine']}{machine}; {versions}."
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


def _system_release() -> str | None:
    """Return the name of the system with its version, such as `Debian GNU/Linux 12 (bookworm)`."""
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return platform.platform()


def _line_of(file: str, name: str) -> str | None:
    """Return what the first line with a name says in a file of Linux; None elsewhere."""
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    values = [each.partition(":")[2].strip() for each in lines if each.startswith(name)]
    return values[0] if values else None


def _versions(packages: Iterable[str]) -> dict[str, str]:
    found = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
