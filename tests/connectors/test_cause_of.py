"""Errors of ours, rebuilt from the text that Spark makes of them."""

import traceback

import pytest

import cepheid
from cepheid.connectors.cause_of import from_text
from cepheid.connectors.collect_spark import essence
from cepheid.engine.process.name_errors import errors_of
from cepheid.errors import Diagnostic

OURS = [
    cepheid.DataError("a NULL in row 1", hint="drop it"),
    cepheid.DataError("a NULL in row 1", query="q"),
    cepheid.ConfigError("idle needs watermark=", hint="give it"),
    cepheid.StateError("other columns:\na: int64\ninstead of\nb: int64", hint="begin anew"),
    cepheid.StateLimitError("q", 5_000, 100),
    cepheid.LiveStateError("q", "(k = 1)", 20, 10),
    cepheid.InternalError("a surprise"),
    cepheid.UnsupportedQueryError([Diagnostic("stream-without-window", "no end", hint="WITHIN")]),
]


def as_spark_says(error: BaseException) -> str:
    """The text of a stream's failure, as Spark puts it together."""
    said = "".join(traceback.format_exception(error))
    stack = "\n\tat org.apache.spark.api.python.BasePythonRunner.handle(PythonRunner.scala:5)" * 40
    return (
        "[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: Job aborted due to "
        f"stage failure: Task 0 in stage 5.0 failed 1 times: {said} SQLSTATE: 38000{stack}\n\n"
        f"Driver stacktrace: SQLSTATE: XXKST\n=== Streaming Query ===\nIdentifier: q {{}}\n\n"
        f"JVM stacktrace:\norg.apache.spark.SparkException: {said}\n{stack}\n"
        f"Caused by: org.apache.spark.api.python.PythonException: {said} SQLSTATE: 38000\n"
        "=== Streaming Query ===\nCurrent Committed Offsets: {FileStreamSource[file:/in]: 1}"
    )


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:
        return caught


@pytest.mark.parametrize("error", OURS, ids=lambda each: type(each).__name__)
def test_class_message_and_hint_come_back(error: cepheid.CepheidError) -> None:
    text = as_spark_says(raised(error))
    found = from_text(text)
    assert type(found) is type(error)
    assert str(found) == str(error) == essence(text)
    for name in ("hint", "query"):
        if hasattr(error, name):
            assert getattr(found, name) == getattr(error, name)


def test_the_name_that_was_added_to_an_error() -> None:
    with pytest.raises(cepheid.DataError) as caught, errors_of("logins"):
        raise cepheid.DataError("a count exceeds BIGINT", hint="use EXACT")
    found = from_text(as_spark_says(caught.value))
    assert isinstance(found, cepheid.DataError)
    assert (found.query, found.message) == ("logins", "a count exceeds BIGINT")
    assert found.hint == "use EXACT"


def test_causes_are_followed() -> None:
    assert cepheid.cause_of(None) is None
    assert cepheid.cause_of(ValueError("something else")) is None
    outer = RuntimeError(as_spark_says(raised(OURS[0])))
    assert str(cepheid.cause_of(outer)) == str(OURS[0])
    chained = RuntimeError("a job failed")
    chained.__cause__ = OURS[2]
    assert cepheid.cause_of(chained) is OURS[2]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("ModuleNotFoundError: No module named 'cepheid'", "No module named 'cepheid'"),
        ("ModuleNotFoundError: No module named 'numba.core'", "No module named 'numba.core'"),
        (
            "pyspark.errors.exceptions.base.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] Python "
            "in worker has different version: 3.9 than that in driver: 3.11, PySpark cannot run "
            "with different minor versions.\nPlease check environment variables PYSPARK_PYTHON",
            "Python in worker has different version: 3.9 than that in driver: 3.11, PySpark cannot "
            "run with different minor versions",
        ),
    ],
)
def test_workers_with_another_python(said: str, message: str) -> None:
    stack = "\n\tat org.apache.spark.api.python.BasePythonRunner.handle(PythonRunner.scala:5)"
    found = from_text(f"Job aborted: Traceback (most recent call last):\n{said} SQLSTATE: 1{stack}")
    assert isinstance(found, cepheid.ConfigError)
    first, _, hint = str(found).partition("\n  hint: ")
    assert first == f"Spark's workers run another Python: {message}"
    assert "PYSPARK_PYTHON" in hint
    assert from_text("ModuleNotFoundError: No module named 'requests'") is None


def test_an_error_of_a_class_that_this_release_does_not_have() -> None:
    found = from_text("cepheid.errors.NewError: a new thing\n  hint: upgrade\n\n\tat x.Y")
    assert type(found) is cepheid.CepheidError
    assert str(found) == "a new thing\n  hint: upgrade"


def test_changed_bytes_of_the_state_are_a_damaged_checkpoint():
    said = "block checksum mismatch: stored = 2509067563, computed = 2495196337, type = 4  in "
    file = "/tmp/spark-1/StateStoreId(opId=0,partId=0,name=default)-2/workingDir-3/000008.sst"
    raised = RuntimeError(f"Error checking value state exists: {said}{file} offset 0 size 1427\n")
    found = from_text(as_spark_says(raised))
    assert type(found) is cepheid.StateError
    assert str(found).startswith(f"the checkpoint cannot be read: {said}{file}")
    assert "A damaged checkpoint" in found.hint
