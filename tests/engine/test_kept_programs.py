"""A query that is run again is not analysed again; whatever changes its program does that."""

from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import CepheidError, ConfigError, QuerySyntaxError
from cepheid.language.parser import parse

EVENTS = pa.table({"ts": [1, 2, 3], "kind": ["A", "A", "B"], "x": [1, 2, 3]})


def rows(text: str, events: pa.Table = EVENTS, **options: Any) -> list[dict[str, Any]]:
    query = cepheid.query(text, parameters=options.pop("parameters", None))
    result: pa.Table = query.run(events, time="ts", type="kind", **options)
    return result.to_pylist()


def test_a_text_is_parsed_once() -> None:
    assert parse("PATTERN SEQ(A, B, C)") is parse("PATTERN SEQ(A, B, C)")


def test_mistakes_are_named_each_time() -> None:
    for name in ("one", "other"):
        with pytest.raises(QuerySyntaxError, match=name):
            cepheid.query("PATTERN SEQ(", name=name)


def test_parameters_that_are_equal_but_of_other_types() -> None:
    text = "PATTERN A a WHERE a.x = :p RETURN a.x"
    assert rows(text, parameters={"p": 1}) == [{"a_x": 1}]
    with pytest.raises(CepheidError):
        rows(text, parameters={"p": True})
    assert rows(text, parameters={"p": 2}) == [{"a_x": 2}]


def test_columns_of_another_type() -> None:
    text = "PATTERN A a RETURN a.x"
    texts = EVENTS.set_column(2, "x", [["p", "q", "r"]])
    assert rows(text) == [{"a_x": 1}, {"a_x": 2}]
    assert rows(text, texts) == [{"a_x": "p"}, {"a_x": "q"}]
    assert rows(text) == [{"a_x": 1}, {"a_x": 2}]


def test_roles_and_options() -> None:
    text = "PATTERN SEQ(A a, A b) WITHIN 1500 ms RETURN a.x"
    apart = EVENTS.set_column(0, "ts", [[1, 3, 9]])
    assert rows(text, apart, time_unit="ms") == [{"a_x": 1}]
    assert rows(text, apart, time_unit="s") == []
    with pytest.raises(ConfigError, match="live_limit"):
        rows(text, apart, live_limit=0)
    with pytest.raises(ConfigError, match="on_expiry"):
        rows(text, apart, on_expiry=True)
