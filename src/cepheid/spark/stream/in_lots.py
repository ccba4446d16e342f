"""Rows of many queries that go to Spark together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

RESULT = "result"
LOT_BYTES = 2**22


def in_lots(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield lists of rows, each as long as its results are small.

    To hand over 500 rows one at a time took as long as to compute them.

    >>> [len(lot) for lot in in_lots({"result": bytes(2**21)} for _ in range(5))]
    [2, 2, 1]
    """
    lot: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        lot.append(row)
        size += len(row[RESULT] or b"")
        if size >= LOT_BYTES:
            yield lot
            lot, size = [], 0
    if lot:
        yield lot
