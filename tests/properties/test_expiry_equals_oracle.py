"""WITHIN alone, on request: a row also when only expiry changes a result."""

from dataclasses import replace

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from cepheid.analysis.bound import WindowUnit
from cepheid.plan.planner import make_plan
from cepheid.program.lower import lower
from tests.engine.run_one import run_one
from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.aggregate_streams import bound, expected_rows, table_of
from tests.properties.aggregates import METHODS, combined_cases
from tests.properties.queries import Case
from tests.properties.test_engine_equals_oracle import quiet  # noqa: F401


def has_expiry(case: Case) -> bool:
    """Whether results expire by the clock; events leave a count only when others arrive."""
    window = bound(case).window
    return window is not None and window.slide is None and window.unit is WindowUnit.TIME


expiring = st.one_of(
    METHODS["recent"],
    METHODS["recent"],
    METHODS["adjacent"],
    METHODS["pairs"],
    combined_cases(is_recent=True),
)


@settings(max_examples=100)
@given(expiring.filter(has_expiry))
def test_expiry(case: Case) -> None:
    plan = replace(make_plan(bound(case)), shows_expiry=True)
    found = run_one(lower(plan), table_of(case))
    assert isinstance(found, pa.Table)
    assert_same_rows(bound(case), found.to_pylist(), expected_rows(case, on_expiry=True))
