"""What is refused before any event is read, and where the message points.

When a feature lands, its row goes; tests/semantics has the examples that can then run.
"""

import pytest

import cepheid
from cepheid.plan.rules.find_unsupported import find_unsupported
from tests.explain.plans import plan_of

EXECUTABLE = (
    "SEQ(A+ a, B? b, C{1,3} c) WHERE [k] AND a.x > 1 WITHIN 1 hour",
    "A OR (SEQ(B, C))+",
    "SEQ(A a, B b) WHERE a.x < b.x RETURN a.x, b.y",
    "SEQ(A, B) WITHIN 9 SLIDE 3 RETURN COUNT(*), LOG2(COUNT(*)) GROUP BY k",
    "SEQ(A, B) WITHIN 9 RETURN COUNT(*)",
    "SEQ(A, B) SEMANTICS contiguous WITHIN 9 EVENTS",
    "A RETURN A.x INTO Alarm",
    "SEQ(A a, B b) AND C+ c WHERE a.x < b.x OUTPUT NON OVERLAPPING",
    "SEQ(A, !SEQ(B, !SEQ(C, !D, C), B), A)",
    "(SEQ(A a, B b))+ WITHIN 3 BETWEEN a, b",
    "A AND B RETURN COUNT(*)",
    "SEQ(A, !C, B) RETURN EXACT COUNT(*)",
    "A+ a WHERE a.x < NEXT(a).x RETURN SUM(a.x), MIN(a.x) HAVING COUNT(*) > 1",
    "SEQ(A a, B b) WITHIN 9 WITHIN 3 BETWEEN a, b RETURN COUNT(*)",
)
REFUSED = (
    ("A AND B WITHIN 9 OUTPUT PARTIAL", "OUTPUT partial with AND of two patterns", "A AND B"),
    ("A{65}", "a pattern of more than 64 events", "A{65}"),
    ("SEQ(A, !B{65}, C)", "pattern of more than 64 events", "SEQ(A, !B{65}, C)"),
    (
        "A WITHIN 2000000 SLIDE 1 RETURN COUNT(*)",
        "more than 1,000,000 slides",
        "WITHIN 2000000",
    ),
)


@pytest.mark.parametrize("query", EXECUTABLE)
def test_executable(query):
    plan = plan_of(f"PATTERN {query}")
    assert plan.unsupported == ()
    plan.require_executable()


@pytest.mark.parametrize(("query", "feature", "place"), REFUSED, ids=[each[1] for each in REFUSED])
def test_refused(query, feature, place):
    plan = plan_of(f"PATTERN {query}")
    with pytest.raises(cepheid.UnsupportedQueryError) as caught:
        plan.require_executable()
    assert caught.value.diagnostics == plan.unsupported == find_unsupported(plan.query)
    found = next(each for each in plan.unsupported if feature.lower() in each.message.lower())
    assert found.code == "unsupported"
    assert found.message.endswith("cannot be executed yet")
    assert found.hint
    where = found.location
    assert where is not None
    marked = where.line_text[where.column - 1 : where.column - 1 + where.length]
    assert marked == (place or f"PATTERN {query}")


def test_everything_is_reported_at_once():
    plan = plan_of("PATTERN A{65} AND B{65} WITHIN 9 OUTPUT PARTIAL")
    assert len(plan.unsupported) == 3


def test_a_refused_query_is_still_explained():
    assert "OUTPUT" in cepheid.query("PATTERN A WITHIN 9 OUTPUT PARTIAL").explain().upper()
