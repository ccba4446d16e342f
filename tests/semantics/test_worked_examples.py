"""Every worked example of the semantics page on every runner."""

import pytest

import cepheid
from cepheid.testing import events
from tests.oracle import bind, evaluate, schema_of
from tests.semantics.examples import EXAMPLES, NOT_EXECUTABLE_YET, Example
from tests.semantics.runners import Local, Runner, SparkBatch


@pytest.fixture(scope="module", params=["local", pytest.param("spark", marks=pytest.mark.spark)])
def runner(request: pytest.FixtureRequest) -> Runner:
    return Local() if request.param == "local" else SparkBatch(EXAMPLES)


def test_titles_are_distinct() -> None:
    titles = [example.title for example in (*EXAMPLES, *NOT_EXECUTABLE_YET)]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_worked_example(runner: Runner, example: Example) -> None:
    assert example.read(runner.rows(example)) == example.expected


@pytest.mark.parametrize("example", NOT_EXECUTABLE_YET, ids=lambda example: example.title)
def test_not_executable_yet(runner: Runner, example: Example) -> None:
    """If this fails, the feature has landed: move the example to EXAMPLES."""
    with pytest.raises(cepheid.UnsupportedQueryError, match="cannot be executed yet"):
        runner.start(example)


@pytest.mark.parametrize("example", NOT_EXECUTABLE_YET, ids=lambda example: example.title)
def test_expectations_of_the_future_are_those_of_the_oracle(example: Example) -> None:
    stream = events(example.stream)
    bound = bind(example.query, schema_of(stream, declared=example.schemas))
    assert example.read(evaluate(bound, stream)) == example.expected
