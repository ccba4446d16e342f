"""In a notebook a long run says below its cell how far it is; elsewhere nothing is said."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pyarrow as pa

from cepheid.program.run_record import RunRecord
from cepheid.tables.stored_columns import StoredEvents


def say_progress(
    queries: int, events: pa.Table | StoredEvents, record: RunRecord
) -> AbstractContextManager[None]:
    """Return what to run queries in, on events of this process."""
    if not _is_notebook():
        return nullcontext()
    from cepheid.notebook.progress import progress

    what = "the query" if queries == 1 else f"{queries:,} queries"
    rows = events.num_rows if isinstance(events, pa.Table) else events.row_count
    return progress(lambda: f"Running {what} on {rows:,} events{_stage(record)}")


def say_tasks(session: Any) -> None:
    """Say how far Spark is whenever a result is read."""
    if _is_notebook():
        from cepheid.notebook.progress import watch_spark

        watch_spark(session)


def _is_notebook() -> bool:
    return "ipykernel" in sys.modules


def _stage(record: RunRecord) -> str:
    return f" ({record.now})" if record.now else ""
