"""Kernels are plain Python too: a part of the property suite without the compiler."""

from tests.kernels.processes import output_of

SCRIPT = """
import logging

from hypothesis import HealthCheck, given, settings

from cepheid.kernels.graph.match_graph import fold_matches
from tests.properties.comparison import as_multiset, expected
from tests.properties.queries import cases
from tests.properties.test_engine_equals_oracle import run_local

logging.disable()
checked = 0

@settings(max_examples=60, deadline=None, database=None, derandomize=True,
          suppress_health_check=list(HealthCheck))
@given(cases())
def check(case):
    global checked
    assert as_multiset(run_local(case)) == expected(case)
    checked += 1

check()
print(checked, hasattr(fold_matches, "py_func"))
"""


def test_engine_equals_oracle_without_the_compiler():
    checked, is_compiled = output_of(SCRIPT, NUMBA_DISABLE_JIT="1").split()
    assert int(checked) >= 60
    assert is_compiled == "False"
