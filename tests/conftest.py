"""Settings shared by all tests."""

import os

import pytest
from hypothesis import HealthCheck, settings

# Kernels compile or load at their first call, and the machine may be busy: no deadlines. A check of
# a change must give the same answer twice, so CI always draws the same examples; elsewhere, and in
# the long profile, they differ from run to run.
settings.register_profile(
    "quick",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile(
    "long", settings.get_profile("quick"), max_examples=20_000, derandomize=False
)
settings.load_profile(os.environ.get("CEPHEID_TEST_PROFILE", "quick"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests on Spark come first, all in one process: they take longest and share a session."""
    on_spark = [each for each in items if each.get_closest_marker("spark")]
    for each in on_spark:
        each.add_marker(pytest.mark.xdist_group("spark"))
    items[:] = on_spark + [each for each in items if not each.get_closest_marker("spark")]
