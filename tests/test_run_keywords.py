"""Options as objects and as keywords: the same runs, and no way to give both."""

import inspect
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid import run_keywords
from cepheid.events import RoleKeywords
from cepheid.run_keywords import read_run

TABLE = pa.table({"ts": [1, 2, 3], "kind": ["A", "A", "B"]})
EVENTS = cepheid.events(TABLE, time="ts", type="kind")
QUERY = cepheid.query("PATTERN SEQ(A a, B b)")
TOGETHER = cepheid.workload([QUERY])


@pytest.mark.parametrize(
    "given", [{}, {"limit": 1}, {"max_matches": None, "live_limit": 5}, {"packed": True}]
)
def test_keywords_make_the_same_objects(given: dict[str, Any]) -> None:
    _, from_keywords = read_run(EVENTS, None, given, method="run")
    _, as_object = read_run(EVENTS, cepheid.Batch(**given), {}, method="run")
    assert from_keywords == as_object == cepheid.Batch(**given)
    table, _ = read_run(TABLE, None, given | {"time": "ts", "type": "kind"}, method="run")
    assert table.roles == EVENTS.roles


def test_every_way_to_say_it() -> None:
    one = cepheid.Batch(limit=1)
    assert QUERY.run(EVENTS, one).num_rows == 1
    assert QUERY.run(EVENTS, limit=1).num_rows == 1
    assert QUERY.run(TABLE, one, time="ts", type="kind").num_rows == 1
    assert QUERY.run(TABLE, time="ts", type="kind", limit=1).num_rows == 1
    assert QUERY.batches(EVENTS, one).read_all().num_rows == 1
    assert TOGETHER.run(EVENTS, one)["q1"].num_rows == 1
    assert TOGETHER.run(EVENTS, one, sharing="never")["q1"].num_rows == 1
    assert TOGETHER.analyze(EVENTS, one).results["q1"].num_rows == 1


def test_both_at_once() -> None:
    for run in (QUERY.run, QUERY.batches, TOGETHER.run, TOGETHER.analyze):
        with pytest.raises(
            cepheid.ConfigError, match=r"options are given twice.*Batch.*, and limit="
        ):
            run(EVENTS, cepheid.Batch(), limit=1)  # type: ignore[operator]


def test_options_of_streams_on_a_table() -> None:
    streaming = cepheid.Streaming(watermark="10 minutes")
    for run in (QUERY.run, QUERY.batches, TOGETHER.run, TOGETHER.analyze):
        with pytest.raises(cepheid.ConfigError, match=r"Streaming options.* are a pyarrow table"):
            run(EVENTS, streaming)  # type: ignore[operator]
        with pytest.raises(cepheid.ConfigError, match=r"watermark is for streams.*pyarrow table"):
            run(EVENTS, watermark="10 minutes")  # type: ignore[operator]


def test_streams_need_a_stream() -> None:
    with pytest.raises(cepheid.ConfigError, match="the events are a pyarrow table, which has an"):
        TOGETHER.stream(EVENTS, watermark="10 minutes")


@pytest.mark.parametrize("wrong", [{"limit": 3}, 5, "10 minutes", cepheid.Batch])
def test_what_is_no_option(wrong: Any) -> None:
    with pytest.raises(cepheid.ConfigError, match=r"(?s)the options are .*cepheid.Batch\("):
        QUERY.run(EVENTS, wrong)


def test_unknown_options() -> None:
    with pytest.raises(cepheid.ConfigError, match=r"(?s)no option 'max_match'.*mean 'max_matches'"):
        QUERY.run(EVENTS, max_match=3)  # type: ignore[call-overload]
    with pytest.raises(cepheid.ConfigError, match="run has no option 'grouped'"):
        TOGETHER.run(EVENTS, grouped=True)
    with pytest.raises(cepheid.ConfigError, match="run has no option 'grouped'"):
        TOGETHER.run(EVENTS, cepheid.Batch(grouped=True))
    with pytest.raises(cepheid.ConfigError, match="batches has no option 'packed'"):
        QUERY.batches(EVENTS, cepheid.Batch(packed=True))


@pytest.mark.parametrize(
    ("kind", "wrong", "words"),
    [
        (cepheid.Batch, {"limit": 0}, "limit is 0, but must be at least 1"),
        (cepheid.Batch, {"live_limit": 2.5}, "live_limit is 2.5, but must be a whole number"),
        (cepheid.Batch, {"max_matches": True}, "max_matches is True, but must be a whole number"),
        (cepheid.Batch, {"packed": "no"}, "packed is 'no'"),
        (cepheid.Batch, {"parallel_in_time": 1}, "parallel_in_time is 1"),
        (cepheid.Batch, {"grouped": True, "parallel_in_time": True}, "exclude each other"),
        (cepheid.Streaming, {"buckets": 0}, "buckets is 0, but must be at least 1"),
        (cepheid.Streaming, {"state_limit": "1 GB"}, "state_limit is '1 GB', but must be a whole"),
        (cepheid.Streaming, {"late": "keep"}, "late='keep' is unknown"),
        (cepheid.Streaming, {"idle": "1 minute"}, "idle needs watermark="),
        (cepheid.Streaming, {"idle": 60, "watermark": 5}, "idle is 60"),
        (cepheid.Streaming, {"watermark": 1.5}, "watermark is 1.5"),
        (cepheid.Streaming, {"ordered": 1}, "ordered is 1"),
        (cepheid.Streaming, {"end": 1}, "end is 1"),
        (cepheid.Streaming, {"max_matches": -1}, "max_matches is -1"),
    ],
)
def test_values_are_checked_at_once(kind: Any, wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(cepheid.ConfigError) as caught:
        kind(**wrong)
    assert words in str(caught.value)


def test_options_are_frozen_and_keywords_only() -> None:
    with pytest.raises(FrozenInstanceError):
        cepheid.Batch().limit = 3  # type: ignore[misc]
    with pytest.raises(TypeError):
        cepheid.Streaming(True)  # type: ignore[misc]


def test_the_keywords_are_the_options() -> None:
    """What a type checker reads of keywords says the same as the classes."""
    for keywords, options in (
        (run_keywords.BatchKeywords, cepheid.Batch),
        (run_keywords.StreamingKeywords, cepheid.Streaming),
    ):
        by_name = {each.name: str(each.type) for each in fields(options)}
        assert {name: said(each) for name, each in keywords.__annotations__.items()} == by_name
    roles = RoleKeywords.__annotations__
    assert run_keywords.RunKeywords.__annotations__.keys() == roles.keys() | {
        *(each.name for each in fields(cepheid.Batch)),
        *(each.name for each in fields(cepheid.Streaming)),
    }
    streams = run_keywords.StreamKeywords.__annotations__
    assert {name: said(streams[name]) for name in roles} == {
        name: said(each).removeprefix("Required[").removesuffix("]")
        if name == "time"
        else said(each)
        for name, each in roles.items()
    }


def said(hint: Any) -> str:
    return str(getattr(hint, "__forward_arg__", hint))


def test_every_option_is_explained() -> None:
    from cepheid.plan.run_options import RunOptions

    for options in (cepheid.Batch, cepheid.Streaming):
        text = f"{inspect.getdoc(RunOptions)} {inspect.getdoc(options)}"
        assert [each.name for each in fields(options) if f"\n    {each.name}: " not in text] == []
