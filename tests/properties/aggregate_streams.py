"""Short streams with attributes of every kind, and what the oracle says of a case."""

import datetime
import random
from functools import lru_cache
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from cepheid.analysis.bound import BoundQuery
from tests.oracle import bind, evaluate, schema_of
from tests.properties.queries import TYPES, Case

NEW_YEAR = datetime.datetime(2024, 1, 1)
MOMENTS = tuple(NEW_YEAR + datetime.timedelta(seconds=each) for each in range(4))
SCHEMA = pa.schema(
    [
        ("type", pa.string()),
        ("time", pa.int64()),
        ("seq", pa.int64()),
        ("k", pa.int64()),
        ("x", pa.int64()),
        ("f", pa.float64()),
        ("s", pa.string()),
        ("at", pa.timestamp("us")),
    ]
)
BLANK = {
    "type": "D",
    "time": 0,
    "seq": 0,
    "k": 0,
    "x": 0,
    "f": 0.5,
    "s": "a",
    "at": NEW_YEAR,
}


def _attributes() -> list[dict[str, Any]]:
    """Values that go together; drawing each by itself takes most of the time of a test.

    Sums of the numbers have no rounding error.
    """
    chooser = random.Random(4)
    values = {
        "k": (1, 1, 1, 2, None),
        "x": (1, 2, 0, 3, -1, -2, None),
        "f": (0.5, 2.0, -1.25, 0.0, None),
        "s": ("a", "b", "ä", "", None),
        "at": (*MOMENTS, None),
    }
    plain = {name: each[0] for name, each in values.items()}
    some = [{name: chooser.choice(each) for name, each in values.items()} for _ in range(79)]
    return [plain, *some]


types = st.sampled_from((*TYPES, *TYPES, "D"))
attributes = st.sampled_from(_attributes())


@st.composite
def aggregate_streams(
    draw: st.DrawFn, *, shortest: int = 4, longest: int = 8, latest: int = 6
) -> list[dict[str, Any]]:
    """Events in any order, many of them concurrent."""
    size = draw(st.integers(shortest, longest) | st.integers(0, longest))
    return [
        {
            "type": draw(types),
            "time": draw(st.integers(-2, latest)),
            "seq": draw(st.integers(0, 2)),
            **draw(attributes),
        }
        for _ in range(size)
    ]


def bound(case: Case) -> BoundQuery:
    """Check the query against the columns of these streams."""
    return _bound(case.text, case.order)


@lru_cache(maxsize=1000)
def _bound(text: str, order: tuple[str, ...]) -> BoundQuery:
    return bind(text, schema_of([BLANK], order=order))


def table_of(case: Case) -> pa.Table:
    """Return the events with all columns, whatever they hold."""
    return pa.Table.from_pylist(list(case.events), schema=SCHEMA)


def expected_rows(case: Case, *, on_expiry: bool = False) -> list[dict[str, Any]]:
    """What the oracle says."""
    return evaluate(bound(case), case.events, on_expiry=on_expiry)
