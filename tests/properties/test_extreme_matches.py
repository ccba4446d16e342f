"""Match queries over extreme integers, floats and times, and over a column that is NULL throughout.

Either the result is that of the definitions, digit by digit, or an integer leaves 64 bits and the
error says so.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import cepheid
from tests.oracle import evaluate
from tests.properties.extreme_matches import LIMIT, SCHEMA, bound, extreme_matches, table_of
from tests.properties.queries import Case
from tests.properties.stream_steps import drive, program_of, rows_of, splits

SLOW = settings.get_profile("quick").suppress_health_check
BEYOND = ("leaves the range of 64-bit integers", "cannot be computed: overflow")


def as_multiset(rows: Iterable[Mapping[str, Any]]) -> Counter[tuple[Any, ...]]:
    """Rows as hashable tuples, every digit of them."""
    return Counter(tuple((name, _plain(value)) for name, value in row.items()) for row in rows)


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_plain(each) for each in value)
    return "NaN" if isinstance(value, float) and math.isnan(value) else value


def assume_binds(case: Case) -> None:
    """Reject the few random queries that the language refuses."""
    try:
        bound(case)
    except cepheid.BindingError:
        assume(False)


def check(case: Case, run: Any) -> None:
    try:
        rows = run()
    except cepheid.DataError as error:
        has_extremes = any(abs(each["x"] or 0) >= LIMIT // 16 for each in case.events)
        if not any(each in str(error) for each in BEYOND) or not (
            has_extremes or str(LIMIT) in case.text
        ):
            raise
        return
    assert as_multiset(rows) == as_multiset(evaluate(bound(case), case.events))


@settings(max_examples=400)
@given(extreme_matches())
def test_matches(case: Case) -> None:
    assume_binds(case)
    query = cepheid.query(case.text)
    check(case, lambda: query.run(table_of(case), time="time", type="type").to_pylist())


@settings(max_examples=100, suppress_health_check=[*SLOW, HealthCheck.large_base_example])
@given(extreme_matches(bases=(0,)), st.data())
def test_streams(case: Case, data: st.DataObject) -> None:
    assume_binds(case)
    program = program_of(case, SCHEMA)
    batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
    check(case, lambda: rows_of(program, drive(program, batches, schema=SCHEMA), SCHEMA))
