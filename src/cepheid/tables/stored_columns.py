"""Stored events: columns are read side by side, and waited for when they are looked at."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Protocol, Self, TypeGuard, runtime_checkable

import pyarrow as pa

from cepheid.engine.process.threads import start
from cepheid.program.run_record import RunRecord
from cepheid.tables.table_kinds import plain_column, plain_type

LEAST_ROWS = 2**16  # that are worth reading side by side


@runtime_checkable
class StoredEvents(Protocol):
    """Events that are read when it is known which columns a query needs."""

    schema: pa.Schema
    row_count: int

    def read(self, columns: Sequence[str], encoded: Sequence[str]) -> pa.Table:
        """Return some columns; those of `encoded` that are texts may come as dictionaries.

        Several threads may read at a time.
        """


def is_stored(events: object) -> TypeGuard[StoredEvents]:
    """Whether events are read column by column; a DataFrame of Connect has any attribute asked for.

    So it is the class that is asked, first.
    """
    return hasattr(type(events), "read") and isinstance(events, StoredEvents)


class PlainEvents:
    """Stored events in the encodings that runs know, as those of a table in memory are."""

    def __init__(self, stored: StoredEvents) -> None:
        self.stored = stored
        self.row_count = stored.row_count
        plain = [each.with_type(plain_type(each.type)) for each in stored.schema]
        self.schema = pa.schema(plain, stored.schema.metadata)

    def read(self, columns: Sequence[str], encoded: Sequence[str]) -> pa.Table:
        """Return some columns; those of `encoded` that are texts may come as dictionaries."""
        table = self.stored.read(columns, encoded)
        plain = [plain_column(each) for each in table.columns]
        return pa.Table.from_arrays(plain, names=table.column_names)


class ColumnReader(Mapping[str, Any]):
    """Columns by name, read by so many threads in the order of the names, from now on.

    What a query does first needs few columns; the others are read in the meantime. `record` is told
    how long one waits for them.
    """

    def __init__(
        self,
        stored: StoredEvents,
        columns: Sequence[str],
        encoded: Sequence[str],
        threads: int,
        record: RunRecord,
    ) -> None:
        self.record = record
        self.row_count = stored.row_count
        self.columns: dict[str, Future[Any]] = {name: Future() for name in columns}
        self.waiting = deque(columns)
        self.stored, self.encoded = stored, frozenset(encoded)
        self.readers = [start(self._read) for _ in columns[:threads]]

    def _read(self) -> None:
        """Read one column after the other, as long as some are waiting."""
        while True:
            try:
                name = self.waiting.popleft()
            except IndexError:
                return
            try:
                found = self.stored.read([name], [name] if name in self.encoded else [])
                self.columns[name].set_result(found.column(0))
            except BaseException as error:
                self.columns[name].set_exception(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.waiting.clear()
        for each in self.readers:
            each.exception()

    def __getitem__(self, name: str) -> Any:
        with self.record.stage("read"):
            return self.columns[name].result()

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)
