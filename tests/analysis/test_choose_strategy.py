"""Which strategy a query asks for (semantics, section 3)."""

import pytest

from cepheid.analysis.bound import Strategy
from cepheid.analysis.schema import OPEN_SCHEMA
from cepheid.errors import BindingError
from tests.analysis.schemas import bind


def strategy_of(rest, pattern="SEQ(A+ a[], !C c, B b)"):
    return bind(f"PATTERN {pattern} {rest}", schema=OPEN_SCHEMA).strategy


@pytest.mark.parametrize(
    ("name", "in_clause", "in_where"),
    [
        ("skip_till_any_match", Strategy.SKIP_TILL_ANY, Strategy.SKIP_TILL_ANY),
        ("skip-till-next-match", Strategy.SKIP_TILL_NEXT, Strategy.SKIP_TILL_NEXT_KLEENE),
        ("contiguous", Strategy.CONTIGUOUS, Strategy.CONTIGUOUS),
        ("partition_contiguity", Strategy.CONTIGUOUS, Strategy.CONTIGUOUS),
        ("strict_contiguity", Strategy.STRICT, Strategy.STRICT),
    ],
)
def test_where_and_semantics_read_skip_till_next_match_differently(name, in_clause, in_where):
    assert strategy_of(f"SEMANTICS {name}") is in_clause
    assert strategy_of(f"WHERE {name}") is in_where
    assert strategy_of(f"WHERE a.x > 1 AND {name}") is in_where
    assert strategy_of(f"WHERE {name} {{ [id] }}") is in_where
    assert strategy_of(f"WHERE {name}(a[], b) {{ [id] }}") is in_where


def test_without_a_strategy_every_combination_counts():
    assert strategy_of("") is Strategy.SKIP_TILL_ANY


@pytest.mark.parametrize("arguments", ["a[], b", "b, a", "a, c, b", "A, B", "A, C, B", "a, B"])
def test_arguments_name_all_positive_variables_or_their_types(arguments):
    assert strategy_of(f"WHERE contiguous({arguments})") is Strategy.CONTIGUOUS


@pytest.mark.parametrize("arguments", ["a", "b, c", ""])
def test_a_missing_argument_is_refused(arguments):
    with pytest.raises(BindingError, match="incomplete-strategy"):
        strategy_of(f"WHERE contiguous({arguments})")


def test_the_variables_of_both_sides_of_and_are_asked_for():
    pattern = "SEQ(A a, B b) AND SEQ(C c, D d)"
    assert strategy_of("WHERE contiguous(a, b, c, d)", pattern) is Strategy.CONTIGUOUS
    with pytest.raises(BindingError, match="c, d are missing"):
        strategy_of("WHERE contiguous(a, b)", pattern)


def test_the_conditions_of_a_body_belong_to_where():
    query = bind("PATTERN SEQ(A a, B b) WHERE contiguous(a, b) { a.x > 1 } AND b.x > 2",
                 schema=OPEN_SCHEMA)  # fmt: skip
    assert [each.text for each in query.pattern.clauses] == ["a.x > 1", "b.x > 2"]
