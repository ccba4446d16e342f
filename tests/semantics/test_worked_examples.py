"""Every worked example of the semantics page on every runner."""

import pytest

from tests.semantics.examples import EXAMPLES, Example
from tests.semantics.runners import Local, Runner, SparkBatch


@pytest.fixture(scope="module", params=["local", pytest.param("spark", marks=pytest.mark.spark)])
def runner(request: pytest.FixtureRequest) -> Runner:
    return Local() if request.param == "local" else SparkBatch(EXAMPLES)


def test_titles_are_distinct() -> None:
    titles = [example.title for example in EXAMPLES]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_worked_example(runner: Runner, example: Example) -> None:
    assert example.read(runner.rows(example)) == example.expected
