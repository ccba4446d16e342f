"""Compare result rows as multisets, whatever their order."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
from hypothesis import assume

import cepheid
from cepheid.analysis.bound import BoundQuery
from cepheid.analysis.schema import EventSchema
from tests.oracle import bind, compose, evaluate, schema_of
from tests.oracle.composition import TooManyEvents
from tests.properties.compositions import Composition
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


def table_of(case: Case | Composition) -> pa.Table:
    return pa.Table.from_pylist(list(case.events), schema=SCHEMA)


def as_multiset(rows: Iterable[Mapping[str, Any]]) -> Counter[tuple[Any, ...]]:
    """Return rows as hashable tuples; floats to 9 digits."""
    return Counter(
        tuple((name, _plain(value)) for name, value in sorted(row.items())) for row in rows
    )


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(_plain(each) for each in value)
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, float):
        return int(value) if value.is_integer() else round(value, 9)
    return value


def expected_of_all(case: Composition) -> dict[str, Counter[tuple[Any, ...]]]:
    """What the oracle says of every query; cases that it refuses or that grow are dropped."""
    try:
        rows = compose(case.texts, case.events, _schema(case), most_events=9)
    except (cepheid.BindingError, TooManyEvents):
        assume(False)
    return {name: as_multiset(each) for name, each in rows.items()}


def binds(case: Case) -> bool:
    """Whether the language accepts a query over events with these schemas."""
    try:
        bind(case.text, _schema(case))
    except cepheid.BindingError:
        return False
    return True


def expected(case: Case) -> Counter[tuple[Any, ...]]:
    """What the oracle says."""
    return as_multiset(expected_rows(case))


def expected_rows(case: Case) -> list[dict[str, Any]]:
    """What the oracle says, as rows."""
    return evaluate(bound(case), case.events)


def bound(case: Case) -> BoundQuery:
    """Return the query over the events of the case."""
    return bind(case.text, _schema(case))


def _schema(case: Case | Composition) -> EventSchema:
    blank = [{"type": "D", "time": 0, "seq": 0, "k": 0, "x": 0}]
    declared = case.schemas if isinstance(case, Case) else None
    return schema_of([*blank, *case.events], order=case.order, declared=declared)
