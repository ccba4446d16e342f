"""Cepheid in this process: from a Parquet file and the text of a query to an Arrow table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.contender import Contender, NotRunnableError
from benchmarks.references import Answer

PACKAGES = ("cepheid", "numba", "pyarrow")


def cepheid_local(
    text: str,
    answer: Callable[[Any], Answer],
    *,
    type: str | None = "etype",
    name: str = "Cepheid",
) -> Contender:
    """Return a contender that runs one query on the file."""

    def run(path: Path) -> Any:
        import cepheid

        return cepheid.query(text).run(path, time="ts", type=type)

    return Contender(name, run, answer, lambda: require_executable(text), packages=PACKAGES)


def require_executable(text: str) -> None:
    """Raise NotRunnableError with what the engine says about a query that it refuses."""
    import cepheid

    refused = cepheid.query(text).plan().unsupported
    if refused:
        raise NotRunnableError("not executable yet: " + "; ".join(each.message for each in refused))
