"""Every function is listed, computed in process, by the oracle and on Spark, and shown to work."""

import re

import pyarrow as pa
import pytest

import cepheid
from cepheid.analysis.functions import ALL, BY_NAME
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.program.arrow_functions import FUNCTIONS
from tests.oracle import bind, evaluate
from tests.oracle.functions import FUNCTIONS as OF_THE_ORACLE

INTERNAL = {"later", "hex"}  # `time + 10 minutes`, and equality of binary values
SUGAR = {"mod", "nullif"}  # written with other words
WITH_NULL = {"coalesce", "least", "greatest"}  # part of the oracle's rules
EXAMPLES = [example for each in ALL for example in each.examples]
EVENT = pa.table(
    {
        "id": [1],
        "tags": pa.array([["new", "red"]], pa.list_(pa.string())),
        "device": pa.array([{"os": "linux"}], pa.struct([("os", pa.string())])),
        "labels": pa.array([[("color", "red")]], pa.map_(pa.string(), pa.string())),
        "key": pa.array([b"\x01\xff"], pa.binary()),
    }
)
NESTED = [
    ("a.device.os", "'linux'"),
    ("a.labels['color']", "'red'"),
    ("a.labels['size']", "NULL"),
    ("upper(a.device.os) || a.labels['color']", "'LINUXred'"),
    ("a.key = a.key", "TRUE"),
    ("contains(a.tags, 'old')", "FALSE"),
]


def asked(examples: list[tuple[str, str]]) -> str:
    tests = [
        f"({one}) IS NOT DISTINCT FROM {other} AS e{n}" for n, (one, other) in enumerate(examples)
    ]
    return f"PATTERN A a RETURN {', '.join(tests)}"


def wrong(row: dict[str, object], examples: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [example for example, right in zip(examples, row.values(), strict=True) if not right]


def test_every_function_is_there() -> None:
    assert FUNCTIONS.keys() - INTERNAL == {each.name for each in ALL} - SUGAR
    assert OF_THE_ORACLE.keys() >= FUNCTIONS.keys() - WITH_NULL
    assert len(BY_NAME) == sum(1 + len(each.other_names) for each in ALL)


@pytest.mark.parametrize("function", ALL, ids=lambda each: each.name)
def test_its_description(function) -> None:
    assert function.examples
    assert function.meaning.endswith(".")
    for name in (function.name, *function.other_names):
        assert re.fullmatch(r"[a-z_0-9]+", name)


def test_examples_in_process() -> None:
    examples = EXAMPLES + NESTED
    (row,) = cepheid.query(asked(examples)).run(EVENT, time="id").to_pylist()
    assert wrong(row, examples) == []


def test_examples_by_the_oracle() -> None:
    examples = EXAMPLES + NESTED
    bound = bind(asked(examples), event_schema(EVENT.schema, ColumnRoles("id")))
    (row,) = evaluate(bound, EVENT.to_pylist())
    assert wrong(row, examples) == []
