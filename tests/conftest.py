"""Settings shared by all tests."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from tests.services.jars import class_path, why_missing

if TYPE_CHECKING:
    from tests.services.chromium import Chromium
    from tests.services.kafka_broker import KafkaBroker
    from tests.services.postgresql_server import PostgresqlServer

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

# Spark's Kafka connector and the JDBC driver must be on the class path of a JVM from its start, and
# tests share JVMs. Unlike spark.jars, this copies nothing and holds whoever starts the JVM.
if jars := class_path("spark"):
    os.environ["SPARK_DIST_CLASSPATH"] = jars

# Processes share the files, in this order.
ON_SPARK, LONG, QUICK = range(3)


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[KafkaBroker]":
    """A broker on loopback for all tests; skips without its jars."""
    if reason := why_missing("kafka-broker"):
        pytest.skip(reason)
    from tests.services.kafka_broker import kafka_broker

    with kafka_broker(tmp_path_factory.mktemp("kafka")) as broker:
        yield broker


@pytest.fixture(scope="session")
def kafka_connector() -> None:
    """Spark's own Kafka connector, on the class path; skips without its jars."""
    if reason := why_missing("kafka-connector"):
        pytest.skip(reason)


@pytest.fixture(scope="session")
def postgresql() -> "Iterator[PostgresqlServer]":
    """A server on loopback with an empty database; skips without its programs."""
    from tests.services.postgresql_server import postgresql_server, server_programs

    programs = server_programs()
    if isinstance(programs, str):
        pytest.skip(programs)
    with postgresql_server(programs) as server:
        yield server


@pytest.fixture(scope="session")
def postgresql_driver() -> None:
    """The JDBC driver, on the class path of Spark; skips without its jar."""
    if reason := why_missing("postgresql-driver"):
        pytest.skip(reason)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> "Chromium":
    """A browser without a screen; skips where there is none."""
    from tests.services.chromium import Chromium, chromium_program

    program = chromium_program()
    if program is None:
        pytest.skip("no Chromium: run `make services`")
    return Chromium(program, tmp_path_factory.mktemp("chromium"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take longest come first, so that no process is left with one at the end."""
    turn = {each.path: QUICK for each in items}
    for item in items:
        turn[item.path] = min(turn[item.path], _turn(item))
    items.sort(key=lambda each: turn[each.path])


def _turn(item: pytest.Item) -> int:
    if item.get_closest_marker("spark"):
        return ON_SPARK
    is_random = is_hypothesis_test(getattr(item, "obj", None))
    return LONG if is_random or item.get_closest_marker("slow") else QUICK
