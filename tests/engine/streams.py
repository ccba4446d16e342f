"""Short ways to run a pattern on a stream of this process."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

import cepheid
from cepheid.testing import events


def table_of(stream: str) -> pa.Table:
    """Return the events of a short string; attributes that one does not mention are NULL."""
    listed = events(stream)
    names = dict.fromkeys(name for event in listed for name in event)
    return pa.table({name: [event.get(name) for event in listed] for name in names})


def run(pattern: str, stream: Any, **options: Any) -> Any:
    """Run a query on a short string or a table whose columns `time` and `type` have their roles."""
    table = table_of(stream) if isinstance(stream, str) else stream
    roles = {"time": "time", "type": "type"} | options
    return cepheid.query(f"PATTERN {pattern}").run(table, **roles)


def rows_of(pattern: str, stream: Any, **options: Any) -> list[dict[str, Any]]:
    """Return the rows of an Arrow result."""
    result: list[dict[str, Any]] = run(pattern, stream, **options).to_pylist()
    return result


def in_any_order(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return rows in a form that does not depend on their order."""
    return sorted(repr(sorted(row.items())) for row in rows)
