"""Whole numbers of one event that leave 64 bits inside aggregates, functions and CASE: an error.

It is one if the event fits a position whose name reads the number, and else none.
"""

from typing import Any

import pytest

import cepheid
from cepheid.stream.stream_state import StreamState
from tests.semantics.runners import ROLES
from tests.stream.script import program_of, step_alone, table_of

LARGE, SMALLEST = 2**62, -(2**63)
STREAM = f"A1(x={LARGE}) A2(x=1) A3(x=2) B4(x={SMALLEST})"
BEYOND = [
    "A a RETURN SUM(a.x * 2) AS n",
    "A{3} a RETURN sum(a[].x * 2) AS n",
    "A{3} a RETURN stddev(a[].x * 2) AS n",
    "B b RETURN SUM(-b.x) AS n",
    "B b RETURN abs(b.x) AS n",
    "B b RETURN MAX(abs(b.x)) AS n",
    "SEQ(A a, B b) RETURN coalesce(b.x - 1, 0) AS n",
    "SEQ(A a, B b) RETURN greatest(abs(b.x), length(b.type || a.type)) AS n",
    "SEQ(A a, B b) WHERE coalesce(a.x * 2, 0) > 5 RETURN COUNT(*) AS n",
    "SEQ(A a, B b) WHERE a.x > 5 AND CASE WHEN a.x > 0 THEN a.x * 2 END IS NULL RETURN b.x",
    "A+ a WHERE coalesce(a[i].x * 2, 0) < a[i-1].x RETURN COUNT(*) AS n",
    "SEQ(A a, !(B b), A c) WHERE abs(b.x) < a.x RETURN COUNT(*) AS n",
    "A a RETURN COUNT(*) AS n GROUP BY a.x * 2",
    "SEQ(A a, B b) WHERE abs(a.x * 2) = abs(b.x) RETURN COUNT(*) AS n",
]
FINE: list[tuple[str, list[Any]]] = [
    ("SEQ(A a, B b) WHERE a.x < 5 RETURN SUM(a.x * 2) AS n", [6]),
    ("SEQ(A a, B b) WHERE a.x < 5 RETURN coalesce(a.x * 2, 0) AS n", [2, 4]),
    ("A a RETURN SUM(CASE WHEN a.x < 100 THEN a.x * 2 END) AS n", [6]),
    ("A a RETURN SUM(coalesce(a.x, a.x * 2)) AS n", [LARGE + 3]),
    ("A a RETURN SUM(CAST(a.x AS DOUBLE) * 2) AS n", [2.0**63 + 6]),
    ("B b RETURN AVG(length(b.type) + 1) AS n", [2.0]),
]


@pytest.mark.parametrize("text", BEYOND)
def test_an_error(text: str) -> None:
    with pytest.raises(cepheid.DataError, match=r"leaves 64 bits|cannot be computed: overflow"):
        cepheid.query(f"PATTERN {text}").run(table_of(STREAM), **ROLES)


@pytest.mark.parametrize(("text", "expected"), FINE)
def test_no_error(text: str, expected: list[Any]) -> None:
    found = cepheid.query(f"PATTERN {text}").run(table_of(STREAM), **ROLES)
    assert sorted(found["n"].to_pylist()) == expected


def test_in_workloads() -> None:
    fine, beyond = FINE[0][0], BEYOND[0]
    queries = [cepheid.query(f"PATTERN {each}", name=f"q{n}")
               for n, each in enumerate((fine, fine, beyond))]  # fmt: skip
    found = cepheid.workload(queries[:2]).run(table_of(STREAM), **ROLES, sharing="always")
    assert [each["n"].to_pylist() for each in found.values()] == [[6], [6]]
    found = cepheid.workload(queries).run(table_of(STREAM), **ROLES, sharing="always")
    assert found["q0"]["n"].to_pylist() == [6]
    with pytest.raises(cepheid.DataError, match=r"leaves 64 bits"):
        found["q2"]


@pytest.mark.parametrize("text", [each for each in BEYOND if "COUNT" not in each])
def test_in_streams(text: str) -> None:
    program = program_of(text.replace(" RETURN", " WITHIN 9 RETURN"))
    with pytest.raises(cepheid.DataError, match=r"64 bits|overflow"):
        step_alone(program, StreamState(), table_of(STREAM), 100)
