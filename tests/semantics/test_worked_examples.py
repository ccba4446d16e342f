"""Every worked example of the semantics page, by the oracle and on every runner."""

import pytest

from cepheid.testing import events
from tests.oracle import bind, evaluate, schema_of
from tests.semantics.aggregate_examples import AGGREGATE_EXAMPLES
from tests.semantics.examples import EXAMPLES, Example
from tests.semantics.function_examples import FUNCTION_EXAMPLES
from tests.semantics.name_examples import NAME_EXAMPLES
from tests.semantics.runners import Local, Runner, SparkBatch

EVERYTHING = [*EXAMPLES, *AGGREGATE_EXAMPLES, *NAME_EXAMPLES, *FUNCTION_EXAMPLES]
every_example = pytest.mark.parametrize("example", EVERYTHING, ids=lambda example: example.title)


@pytest.fixture(scope="module", params=["local", pytest.param("spark", marks=pytest.mark.spark)])
def runner(request: pytest.FixtureRequest) -> Runner:
    return Local() if request.param == "local" else SparkBatch(EVERYTHING)


def test_titles_are_distinct() -> None:
    titles = [example.title for example in EVERYTHING]
    assert len(set(titles)) == len(titles)


@every_example
def test_worked_example(runner: Runner, example: Example) -> None:
    assert example.read(runner.rows(example)) == example.expected


@every_example
def test_the_oracle(example: Example) -> None:
    stream = events(example.stream)
    bound = bind(example.query, schema_of(stream, declared=example.schemas))
    assert example.read(evaluate(bound, stream)) == example.expected
