"""Names of many queries in a few words."""

from __future__ import annotations

import re
from collections.abc import Sequence

NUMBERED = re.compile(r"(.*?)(\d+)")
SHORTEST_RUN, MOST_ITEMS = 4, 6


def name_list(names: Sequence[str]) -> str:
    """Return names with consecutive numbers as a range, and only the first of very many.

    >>> name_list(["q1", "q2", "all"])
    'q1, q2, all'
    >>> name_list([f"q{number}" for number in range(1, 51)])
    'q1 … q50 (50 queries)'
    >>> name_list([f"q{number}" for number in range(1, 51, 2)])
    'q1, q3, q5, q7, … q49 (25 queries)'
    """
    items = [item for run in _runs(names) for item in _items(run)]
    if len(items) > MOST_ITEMS:
        items = [*items[: MOST_ITEMS - 2], f"… {items[-1]}"]
    count = f" ({len(names)} queries)" if len(names) > MOST_ITEMS else ""
    return ", ".join(items) + count


def _runs(names: Sequence[str]) -> list[list[str]]:
    runs: list[list[str]] = []
    for name in names:
        if runs and _successor(runs[-1][-1]) == name:
            runs[-1].append(name)
        else:
            runs.append([name])
    return runs


def _items(run: list[str]) -> list[str]:
    return run if len(run) < SHORTEST_RUN else [f"{run[0]} … {run[-1]}"]


def _successor(name: str) -> str | None:
    found = NUMBERED.fullmatch(name)
    return None if found is None else f"{found[1]}{int(found[2]) + 1}"
