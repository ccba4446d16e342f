"""What nobody foresaw becomes an InternalError; what is not ours stays what it is."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import last_defence
from cepheid.runtime.name_errors import errors_of

EVENTS = pa.table({"time": [1], "x": [1]})


def test_a_bug_is_named_with_its_cause() -> None:
    with pytest.raises(cepheid.InternalError) as caught, last_defence("query 'q1'"):
        {}["lost"]
    error = caught.value
    assert str(error).startswith("query 'q1' failed with ")
    assert "please report it with the query" in str(error)
    assert error.__cause__ is not None
    assert "KeyError: 'lost'" in str(error)


def test_the_place_is_said() -> None:
    query = cepheid.query("PATTERN A a", name="q1")
    query.tree = None  # type: ignore[assignment]
    with pytest.raises(cepheid.InternalError, match=r"query 'q1' failed .*, at analysis/\S+:\d+"):
        query.bind()
    with pytest.raises(cepheid.InternalError, match="query 'q1' failed"):
        query.run(EVENTS, time="time")
    both = cepheid.workload([cepheid.query("PATTERN A a"), cepheid.query("PATTERN B b", name="q2")])
    both.queries["q2"].tree = None  # type: ignore[assignment]
    with pytest.raises(cepheid.InternalError, match="q2"):
        both.plans()


@pytest.mark.parametrize("kind", [KeyboardInterrupt, MemoryError, pa.ArrowMemoryError, OSError,
                                  ImportError, UserWarning, cepheid.DataError])  # fmt: skip
def test_what_is_not_ours(kind: type[BaseException]) -> None:
    with pytest.raises(kind) as caught, errors_of("q1"):
        raise kind("no")
    assert not isinstance(caught.value, cepheid.InternalError)


def test_errors_of_spark() -> None:
    from pyspark.errors import AnalysisException

    with pytest.raises(AnalysisException), last_defence("query 'q1'"):
        raise AnalysisException("no such column")


@pytest.mark.parametrize("text", [None, 5, b"PATTERN A", Path("query.cep")])
def test_a_text_that_is_none(text: Any) -> None:
    with pytest.raises(cepheid.ConfigError, match="the text of a query is"):
        cepheid.query(text)
