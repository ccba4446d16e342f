"""What nobody foresaw becomes an InternalError; what is not ours stays what it is."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.process.name_errors import errors_of
from cepheid.errors import last_defence
from cepheid.plan.run_options import RunOptions

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
    query.program = None  # type: ignore[assignment, method-assign]
    with pytest.raises(cepheid.InternalError, match="query 'q1' failed with TypeError"):
        query.batches(EVENTS, time="time")
    both = cepheid.workload([cepheid.query("PATTERN A a"), cepheid.query("PATTERN B b", name="q2")])
    both.queries["q2"].tree = None  # type: ignore[assignment]
    with pytest.raises(cepheid.InternalError, match="q2"):
        both.plans()


@pytest.mark.parametrize(
    "kind", [KeyboardInterrupt, OSError, ImportError, UserWarning, cepheid.DataError]
)
def test_what_is_not_ours(kind: type[BaseException]) -> None:
    with pytest.raises(kind) as caught, errors_of("q1"):
        raise kind("no")
    assert not isinstance(caught.value, cepheid.InternalError)


@pytest.mark.parametrize("kind", [MemoryError, pa.ArrowMemoryError])
def test_too_little_memory(kind: type[BaseException]) -> None:
    with (
        pytest.raises(cepheid.OutOfMemoryError, match="query 'q1' needs more memory"),
        errors_of("q1"),
    ):
        raise kind("no")


def test_errors_of_spark() -> None:
    from pyspark.errors import AnalysisException

    with pytest.raises(AnalysisException), last_defence("query 'q1'"):
        raise AnalysisException("no such column")


@pytest.mark.parametrize("text", [None, 5, b"PATTERN A", Path("query.cep")])
def test_a_text_that_is_none(text: Any) -> None:
    with pytest.raises(cepheid.ConfigError, match="the text of a query is"):
        cepheid.query(text)


def test_numbers_of_many_digits() -> None:
    nines = "9" * 5000
    for text in (
        f"PATTERN A{{{nines}}}",
        f"PATTERN A WITHIN {nines}",
        f"PATTERN A WHERE x < {nines}",
    ):
        with pytest.raises(cepheid.QuerySyntaxError, match=r"number-too-large\]: 9{20}… "):
            cepheid.query(text)
    with pytest.raises(cepheid.BindingError, match="more events than can be counted"):
        cepheid.query(f"PATTERN A WITHIN {nines[:400]} EVENTS").bind()
    with pytest.raises(cepheid.BindingError, match="not a duration"):
        cepheid.query("PATTERN A WITHIN :w", parameters={"w": f"{nines} s"}).bind()
    found = cepheid.query(f"PATTERN A+ a WHERE a[1].x * 1.5 < {nines[:400]}").run(
        EVENTS, time="time"
    )
    assert found.num_rows == 1


def test_limits_of_patterns() -> None:
    parts = [f"!(C{number} c{number})" for number in range(64)]
    most, too_many = (", ".join(["A a", *parts[:count], "B b"]) for count in (63, 64))
    events = pa.table({"time": [1, 2], "type": ["A", "B"]})
    roles = {"time": "time", "type": "type"}
    assert cepheid.query(f"PATTERN SEQ({most})").run(events, **roles).num_rows == 1
    for result in ("", "RETURN COUNT(*)"):
        with pytest.raises(cepheid.UnsupportedQueryError, match="more than 63 negated parts"):
            cepheid.query(f"PATTERN SEQ({too_many}) {result}").run(events, **roles)
    assert cepheid.query(f"PATTERN A{'+' * 150} a").run(events, **roles).num_rows == 1
    for text in (f"A{'+' * 5000}", f"{'(' * 5000}A{')' * 5000}", f"A WHERE {'NOT ' * 5000} x = 1"):
        with pytest.raises(cepheid.QuerySyntaxError, match="nested more than 200 levels deep"):
            cepheid.query(f"PATTERN {text}")
    wide = " AND ".join(["A.time < 5"] * 3000)
    assert cepheid.query(f"PATTERN A WHERE {wide}").run(events, **roles).num_rows == 1


def test_a_deep_query_can_be_sent_to_workers() -> None:
    """What Spark pickles is nested as the query is."""
    from pyspark import cloudpickle

    schema = event_schema(EVENTS.schema, ColumnRoles("time"))
    for text in ("1 + " * 190 + "1", "(1 + " * 90 + "1" + ")" * 90, "-(" * 90 + "a.x" + ")" * 90):
        query = cepheid.query(f"PATTERN SEQ(A a, A b) WHERE b.x < {text}")
        cloudpickle.dumps(query.program(RunOptions(), schema))
        query.explain()
