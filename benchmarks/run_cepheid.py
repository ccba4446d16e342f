"""Cepheid in this process: from a Parquet file and the text of a query to an Arrow table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.contender import Contender, NotRunnableError
from benchmarks.references import Answer

PACKAGES = ("cepheid", "numba", "pyarrow")


def cepheid_local(
    text: str,
    columns: Sequence[str],
    answer: Callable[[Any], Answer],
    *,
    type: str | None = "etype",
    name: str = "Cepheid",
) -> Contender:
    """Return a contender that reads the columns and runs one query."""

    def run(path: Path) -> Any:
        import cepheid

        events = pq.read_table(path, columns=list(columns))
        return cepheid.query(text).run(events, time="ts", type=type)

    return Contender(name, run, answer, lambda: require_executable(text), packages=PACKAGES)


def require_executable(text: str) -> None:
    """Raise NotRunnableError with what the engine says about a query that it refuses."""
    import cepheid

    refused = cepheid.query(text).plan().unsupported
    if refused:
        raise NotRunnableError("not executable yet: " + "; ".join(each.message for each in refused))
