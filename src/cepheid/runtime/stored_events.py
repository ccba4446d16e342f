"""Stored events: columns are read side by side, and waited for when they are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Protocol, Self

import pyarrow as pa

LEAST_ROWS = 2**16  # that are worth reading side by side


class StoredEvents(Protocol):
    """Events that are read when it is known which columns a query needs."""

    schema: pa.Schema
    row_count: int

    def read(self, columns: Sequence[str], encoded: Sequence[str]) -> pa.Table:
        """Return some columns; those of `encoded` that are texts may come as dictionaries.

        Several threads may read at a time.
        """


class ColumnReader(Mapping[str, Any]):
    """Columns by name. Reading starts at once, in the order of the names.

    What a query does first needs few columns; the others are read in the meantime.
    """

    def __init__(
        self, stored: StoredEvents, columns: Sequence[str], encoded: Sequence[str], threads: int
    ) -> None:
        self.row_count = stored.row_count
        self.pool = ThreadPoolExecutor(threads)
        self.reading = {
            name: self.pool.submit(stored.read, [name], [name for each in encoded if each == name])
            for name in columns
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.pool.shutdown(cancel_futures=True)

    def __getitem__(self, name: str) -> Any:
        return self.reading[name].result().column(0)

    def __iter__(self) -> Iterator[str]:
        return iter(self.reading)

    def __len__(self) -> int:
        return len(self.reading)
