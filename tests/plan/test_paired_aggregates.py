"""AND: whether it matters on which side of a pair a trend of both sides is shown."""

import pytest

from cepheid.analysis.schema import OPEN_SCHEMA
from cepheid.plan.paired_aggregates import find_one_sided_name
from cepheid.plan.rules.choose_method import choose_method
from tests.analysis.schemas import bind


@pytest.mark.parametrize(
    ("pattern", "result", "name"),
    [
        ("A+ a AND B+ b", "SUM(a.x), SUM(b.x)", None),
        ("A+ a AND A+ b", "COUNT(*), SUM(A.x)", None),
        ("A+ a AND A+ b", "SUM(a.x)", "a"),
        ("A+ a AND A+ b", "COUNT(*) HAVING MIN(b.x) > 1", "b"),
        ("A+ a AND SEQ(A b, B c?)", "SUM(A.x), SUM(c.x)", None),
        ("SEQ(A a, A b) AND A w", "SUM(w.x)", None),
        ("SEQ(A a, A b) AND A+ w", "SUM(A.x)", None),
        ("SEQ(A a, A b) AND A+ w", "SUM(b.x)", "b"),
        ("ANY(A, B)+ a AND A+ b", "SUM(A.x)", None),
        ("ANY(A, B)+ a AND A+ b", "SUM(B.x)", "B"),
    ],
)
def test_names_of_one_side(pattern: str, result: str, name: str | None) -> None:
    query = bind(f"PATTERN {pattern} RETURN {result}", schema=OPEN_SCHEMA)
    assert find_one_sided_name(query) == name
    if name is not None:
        assert f"its side decides which of its events are called '{name}'" in (
            choose_method(query).reason
        )
