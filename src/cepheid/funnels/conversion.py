"""What the levels of all keys come to, as a table and as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from cepheid.explain.duration import long_duration
from cepheid.funnels.reached_levels import Reached

FLUSH_LEFT = 2  # columns of the text: step and name


def conversion_table(names: Sequence[str], reached: Sequence[Reached]) -> pa.Table:
    """Return a row for each step.

    `keys` reached it, `of_first` and `of_previous` are shares of those of other steps; `dropped`
    went no further.
    """
    counts = [each.keys for each in reached]
    before, after = [None, *counts[:-1]], [*counts[1:], None]
    return pa.table(
        {
            "step": pa.array(range(1, len(counts) + 1), pa.int32()),
            "name": pa.array(names, pa.string()),
            "keys": pa.array(counts, pa.int64()),
            "of_first": pa.array([_share(each, counts[0]) for each in counts], pa.float64()),
            "of_previous": pa.array(map(_share, counts, before), pa.float64()),
            "dropped": pa.array(
                [
                    None if more is None else count - more
                    for count, more in zip(counts, after, strict=True)
                ],
                pa.int64(),
            ),
            "median_seconds": pa.array([each.seconds for each in reached], pa.float64()),
        }
    )


def _share(count: int, whole: int | None) -> float | None:
    return count / whole if whole else None


def conversion_text(table: pa.Table) -> str:
    """Return the table as lines to read."""
    head = ["step", "name", "keys", "of first", "of previous", "dropped", "median time"]
    lines = [head, *(list(_cells(row)) for row in table.to_pylist())]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place < FLUSH_LEFT else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    dropped, seconds = row["dropped"], row["median_seconds"]
    return (
        str(row["step"]),
        row["name"],
        f"{row['keys']:,}",
        percent(row["of_first"]),
        percent(row["of_previous"]),
        "" if dropped is None else f"{dropped:,}",
        "" if seconds is None else long_duration(seconds),
    )


def percent(share: float | None) -> str:
    """Return a share of a hundred.

    >>> percent(0.333), percent(None)
    ('33.3 %', '')
    """
    return "" if share is None else f"{share * 100:.1f} %"
