"""Settings shared by all tests."""

import os

from hypothesis import HealthCheck, settings

# Kernels compile or load at their first call, and the machine may be busy: no deadlines.
settings.register_profile(
    "quick", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.register_profile("long", settings.get_profile("quick"), max_examples=20_000)
settings.load_profile(os.environ.get("CEPHEID_TEST_PROFILE", "quick"))
