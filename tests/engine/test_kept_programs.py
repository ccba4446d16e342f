"""A query that is run again is not analysed again; whatever changes its program does that."""

import itertools
from dataclasses import fields, replace
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.schema import EventSchema, NestedType
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


def test_long_lists_of_numpy() -> None:
    text, one = "PATTERN A a WHERE a.x IN :p RETURN a.x", np.arange(-1000, 2000)
    other = np.where(one == 2, -1, one)  # both are written `array([-1000, -999, -998, ..., 1999])`
    assert rows(text, parameters={"p": one}) == [{"a_x": 1}, {"a_x": 2}]
    assert rows(text, parameters={"p": other}) == [{"a_x": 1}]


CHANGED: dict[str, Any] = {
    "attributes": {"x": AttributeType.INTEGER},
    "time": "ts",
    "type_column": "kind",
    "order": ("seq",),
    "ticks_per_second": 1000,
    "ticks_per_unit": 100,
    "attributes_by_type": {"A": frozenset("x")},
    "is_open": True,
    "derived_types": frozenset("D"),
    "other_attributes": frozenset("y"),
    "nested": {"x": NestedType(AttributeType.ARRAY, {"item": NestedType(AttributeType.STRING)})},
    "scales": {"x": 2},
    "digits": {"x": (36, 2)},
    "unsigned": frozenset("x"),
}


def test_whatever_is_known_of_columns_tells_programs_apart() -> None:
    known = [each.name for each in fields(EventSchema) if each.name not in ("computed", "key")]
    assert list(CHANGED) == known
    keys = [replace(EventSchema(), **{name: CHANGED[name]}).key for name in known]
    assert len({EventSchema().key, *keys}) == len(known) + 1


PRICES = [Decimal("1.25"), Decimal("2.50"), Decimal("3.00")]
X_COLUMNS = {
    "int": pa.array([1, 2, 3]),
    "uint": pa.array([1, 2, 2**63 + 5], pa.uint64()),
    "two digits": pa.array(PRICES, pa.decimal128(9, 2)),
    "wide": pa.array(PRICES, pa.decimal128(38, 2)),
    "whole": pa.array([Decimal(1), Decimal(2), Decimal(3)], pa.decimal128(38, 0)),
    "double": pa.array([1.25, 2.5, 3.0]),
}


@pytest.mark.parametrize(
    "returned", ["b.x + 1 AS s", "SUM(a.x) AS s", "AVG(b.x) AS s", "sum(a[].x) AS s"]
)
def test_columns_of_other_numbers(returned: str) -> None:
    text = f"PATTERN SEQ(A+ a, B b) RETURN {returned}"

    def run(name: str, fresh: int) -> Any:  # a text of its own has a program of its own
        events = EVENTS.set_column(2, "x", X_COLUMNS[name])
        try:
            return rows(text + " " * fresh, events)
        except CepheidError as error:
            return str(error)

    alone = {name: run(name, fresh) for fresh, name in enumerate(X_COLUMNS, start=1)}
    for one, other in itertools.permutations(X_COLUMNS, 2):
        run(one, 0)
        assert run(other, 0) == alone[other], (one, other)


def test_times_of_other_digits() -> None:
    text = "PATTERN SEQ(A a, B b) WITHIN 5 RETURN COUNT(*) AS n"
    for scale, unit in ((0, "ms"), (3, "s"), (0, "s")):
        times = pa.array([Decimal(1), Decimal(1), Decimal(3)], pa.decimal128(38, scale))
        assert rows(text, EVENTS.set_column(0, "ts", times), time_unit=unit)[-1]["n"] == 2
