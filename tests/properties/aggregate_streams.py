"""Short streams with attributes of every kind, and what the oracle says of a case."""

import datetime
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


@st.composite
def aggregate_streams(
    draw: st.DrawFn, *, shortest: int = 4, longest: int = 8, latest: int = 6
) -> list[dict[str, Any]]:
    """Events in any order, many of them concurrent; sums of the numbers have no rounding error."""
    event = st.fixed_dictionaries(
        {
            "type": st.sampled_from((*TYPES, *TYPES, "D")),
            "time": st.integers(-2, latest),
            "seq": st.integers(0, 2),
            "k": st.sampled_from((1, 1, 1, 2, None)),
            "x": st.sampled_from((1, 2, 0, 3, -1, -2, None)),
            "f": st.sampled_from((0.5, 2.0, -1.25, 0.0, None)),
            "s": st.sampled_from(("a", "b", "ä", "", None)),
            "at": st.sampled_from((*MOMENTS, None)),
        }
    )
    size = draw(st.integers(shortest, longest) | st.integers(0, longest))
    return draw(st.lists(event, min_size=size, max_size=size))


def bound(case: Case) -> BoundQuery:
    """Check the query against the columns of these streams."""
    return bind(case.text, schema_of([BLANK], order=case.order))


def table_of(case: Case) -> pa.Table:
    """Return the events with all columns, whatever they hold."""
    return pa.Table.from_pylist(list(case.events), schema=SCHEMA)


def expected_rows(case: Case) -> list[dict[str, Any]]:
    """What the oracle says."""
    return evaluate(bound(case), case.events)
