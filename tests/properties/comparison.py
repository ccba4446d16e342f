"""Compare result rows as multisets, whatever their order."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from tests.oracle import bind, evaluate, schema_of
from tests.properties.queries import Case

SCHEMA = pa.schema(
    [
        ("type", pa.string()),
        ("time", pa.int64()),
        ("seq", pa.int64()),
        ("k", pa.int64()),
        ("x", pa.int64()),
    ]
)


def table_of(case: Case) -> pa.Table:
    return pa.Table.from_pylist(list(case.events), schema=SCHEMA)


def as_multiset(rows: Iterable[Mapping[str, Any]]) -> Counter[tuple[Any, ...]]:
    """Return rows as hashable tuples; floats to 9 digits."""
    return Counter(
        tuple((name, _plain(value)) for name, value in sorted(row.items())) for row in rows
    )


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(_plain(each) for each in value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else round(value, 9)
    return value


def expected(case: Case) -> Counter[tuple[Any, ...]]:
    """What the oracle says."""
    blank = [{"type": "D", "time": 0, "seq": 0, "k": 0, "x": 0}]
    schema = schema_of([*blank, *case.events], order=case.order)
    return as_multiset(evaluate(bind(case.text, schema), case.events))
