import pytest

from tests.tools.machine import Machine, make_machine


@pytest.fixture
def machine(tmp_path) -> Machine:
    return make_machine(tmp_path)
