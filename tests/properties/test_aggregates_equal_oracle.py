"""For random aggregate queries and streams, the engine gives what the definitions say."""

from collections import Counter
from functools import cache

import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings

import cepheid
from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import BoundQuery, Strategy, TrendAggregate
from cepheid.language import ast
from cepheid.plan.physical import AggregateMethod
from cepheid.plan.rules.choose_method import Sides, plan_sides
from tests.engine.few_events import few_are
from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.aggregate_kinds import KINDS, kinds
from tests.properties.aggregate_streams import bound, expected_rows, table_of
from tests.properties.aggregates import METHODS
from tests.properties.queries import Case
from tests.properties.test_engine_equals_oracle import quiet  # noqa: F401


def run_local(case: Case) -> pa.Table:
    query = cepheid.query(case.text)
    return query.run(table_of(case), time="time", type="type", order=case.order)


def check(case: Case) -> None:
    found = run_local(case)
    query = bound(case)
    assert_same_rows(query, found.to_pylist(), expected_rows(case))
    with few_are(-1):
        assert_same_rows(query, run_local(case).to_pylist(), expected_rows(case))
    for column in query.aggregates or ():
        if column.output not in query.returned:
            continue  # for HAVING and expressions alone
        kind = found.schema.field(column.output).type
        assert kind == column_type(query, column.aggregate), column.output


def column_type(query: BoundQuery, aggregate: TrendAggregate) -> pa.DataType:
    """The type of a column by the text of the query (semantics, section 8)."""
    if aggregate.function in ("MIN", "MAX"):
        return table_of(Case("", (), ())).schema.field(str(aggregate.attribute)).type
    if aggregate.exact:
        return pa.string()
    is_sum_of_floats = aggregate.function == "SUM" and (
        aggregate.attribute_type is AttributeType.FLOAT
    )
    if aggregate.log2 or aggregate.function == "AVG" or is_sum_of_floats:
        return pa.float64()
    contiguous = query.strategy in (Strategy.CONTIGUOUS, Strategy.STRICT)
    grows = not contiguous and _has_unbounded_part(query.tree.pattern)
    return pa.float64() if grows else pa.int64()


def _has_unbounded_part(pattern: ast.Pattern) -> bool:
    match pattern:
        case ast.EventPattern() | ast.Negation():
            return False
        case ast.Repeat():
            return pattern.maximum is None or _has_unbounded_part(pattern.pattern)
        case _:
            return any(map(_has_unbounded_part, pattern.parts))


@settings(max_examples=150)
@given(METHODS["plain"])
def test_plain(case: Case) -> None:
    check(case)


@settings(max_examples=150)
@given(METHODS["adjacent"])
def test_adjacent(case: Case) -> None:
    check(case)


@settings(max_examples=150)
@given(METHODS["negated"])
def test_negated(case: Case) -> None:
    check(case)


@settings(max_examples=150)
@given(METHODS["recent"])
def test_recent(case: Case) -> None:
    check(case)


@settings(max_examples=150)
@given(METHODS["enumerated"])
def test_enumerated(case: Case) -> None:
    check(case)


@settings(max_examples=120)
@given(METHODS["pairs"])
def test_pairs(case: Case) -> None:
    check(case)


@settings(max_examples=200)
@given(METHODS["combined"])
def test_combined(case: Case) -> None:
    check(case)


@cache
def drawn(method: str) -> list[Case]:
    """Draw cases, the same in every run."""
    result: list[Case] = []

    @settings(max_examples=200, database=None, derandomize=True, phases=[Phase.generate])
    @given(METHODS[method])
    def draw(case: Case) -> None:
        result.append(case)

    draw()
    return result


def test_every_kind_occurs() -> None:
    """A property says nothing of what is never drawn."""
    cases = [case for method in METHODS for case in drawn(method)]
    seen = Counter(kind for case in cases for kind in kinds(case))
    assert {kind: seen[kind] for kind in KINDS if seen[kind] < 4} == {}


def test_sides_of_and_are_added_up_apart() -> None:
    """By every method of a side, with and without trends that both have."""
    sides = [plan_sides(bound(case)) for case in drawn("combined")]
    apart = [each for each in sides if isinstance(each, Sides)]
    assert len(apart) > len(sides) * 2 / 3
    seen = Counter(method.value for each in apart for method in each.methods)
    assert min(seen[AggregateMethod.POSITIONS], seen[AggregateMethod.LAST_EVENTS]) > 5
    assert 10 < sum(each.common is not None for each in apart) < len(apart) - 10


@pytest.mark.parametrize("method", METHODS)
def test_there_are_rows_to_compare(method: str) -> None:
    """Queries that find nothing agree on anything."""
    cases = drawn(method)
    assert sum(bool(expected_rows(case)) for case in cases) > len(cases) / 5
