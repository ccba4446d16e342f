"""For random queries and streams, the engine gives what the definitions say."""

from hypothesis import given, settings

import cepheid
from tests.properties.comparison import as_multiset, expected, table_of
from tests.properties.queries import Case, cases


def run_local(case: Case) -> list[dict[str, object]]:
    query = cepheid.query(case.text)
    result = query.run(table_of(case), time="time", type="type", order=case.order)
    rows: list[dict[str, object]] = result.to_pylist()
    return rows


@settings(max_examples=8000)
@given(cases())
def test_local_engine_equals_oracle(case: Case) -> None:
    assert as_multiset(run_local(case)) == expected(case)
