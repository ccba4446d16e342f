"""WITHIN alone with `on_expiry`: which rows there are when an event leaves, and what they know."""

import pyarrow as pa
import pytest

import cepheid
from cepheid.testing import events
from tests.oracle import bind, evaluate, schema_of


@pytest.mark.parametrize(
    ("query", "stream", "expected"),
    [
        pytest.param(
            "SEQ(A a, !D) WITHIN 8 RETURN COUNT(*) AS n",
            "a3 a6 d11",
            [(3, 1), (6, 2), (11, 0)],
            id="a negative event at the time of an expiry blocks",
        ),
        pytest.param(
            "SEQ(A a, !D d) WHERE d.x = a.x WITHIN 8 RETURN COUNT(*) AS n",
            "a3(x=1) a4(x=2) a6(x=2) d11(x=2)",
            [(3, 1), (4, 2), (6, 3), (11, 0)],
            id="a negative event at the time of an expiry, with a condition",
        ),
        pytest.param(
            "A a WITHIN 3 RETURN SUM(a.x) AS n",
            "a1(x=NULL) a6(x=1)",
            [(1, None), (6, 1), (9, None)],
            id="SUM stays NULL",
        ),
        pytest.param(
            "A a WITHIN 3 RETURN MAX(a.x) AS n",
            "a1(x=1) a2(x=7) a3(x=7)",
            [(1, 1), (2, 7), (3, 7), (6, None)],
            id="a maximum that others have",
        ),
        pytest.param(
            "A a WITHIN 3 RETURN COUNT(*) AS n",
            "a1 a2 a3",
            [(1, 1), (2, 2), (3, 3), (4, 2), (5, 1), (6, 0)],
            id="one tick after the other",
        ),
    ],
)
def test_rows(query: str, stream: str, expected: list[tuple[int, int | None]]) -> None:
    text, listed = f"PATTERN {query}", events(stream)
    asked = evaluate(bind(text, schema_of(listed)), listed, on_expiry=True)
    assert [tuple(row.values()) for row in asked] == expected
    table = pa.Table.from_pylist(listed)
    found = cepheid.query(text).run(table, time="time", type="type", on_expiry=True)
    assert [tuple(row.values()) for row in found.to_pylist()] == expected
