"""Functions, CASE and CAST of every type of column: a value, or an error with what to write."""

import uuid
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.program.arrow_functions import FUNCTIONS

IDS = [uuid.UUID(int=1), uuid.UUID(int=2), None]
UNION = pa.UnionArray.from_sparse(
    pa.array([0, 1, 0], pa.int8()), [pa.array([1, None, 1]), pa.array(["u", "v", "w"])]
)
EVENTS = pa.table(
    {
        "id": [1, 2, 3],
        "kind": ["A", "A", "B"],
        "nothing": pa.nulls(3),
        "uuid": pa.ExtensionArray.from_storage(
            pa.uuid(), pa.array([None if one is None else one.bytes for one in IDS], pa.binary(16))
        ),
        "union": UNION,
        "view": pa.array([[1, 2], [3], None], pa.list_view(pa.int64())),
        "fixed": pa.array([[1.0, 2.0], None, [3.0, None]], pa.list_(pa.float64(), 2)),
        "list": [[1, 2], None, [3]],
        "bytes": [b"u", b"v", None],
        "day": pa.array([1, 2, None], pa.int32()).cast(pa.date32()),
        "large": pa.array([0, 2**64 - 1, None], pa.uint64()),
        "long": pa.array([Decimal("1.25"), Decimal("-1.25"), None], pa.decimal256(76, 3)),
    }
)


def of_matches(pattern: str, expression: str) -> list[Any]:
    text = f"PATTERN {pattern} RETURN {expression} AS value"
    table = cepheid.query(text).run(EVENTS, time="id", type="kind")
    table.validate(full=True)
    return table["value"].to_pylist()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("coalesce(NULL, x.uuid)", IDS),
        ("CASE WHEN x.id = 1 THEN NULL ELSE x.uuid END", [None, *IDS[1:]]),
        ("CASE WHEN x.id = 1 THEN x.view END", [[1, 2], None, None]),
        ("coalesce(x.view, NULL)", [[1, 2], [3], None]),
        ("coalesce(NULL, x.union)", [1, "v", 1]),
        ("contains(x.view, 1)", [True, False, None]),
        ("contains(x.fixed, 1)", [True, None, None]),
        ("contains(x.list, 1.5)", [False, None, False]),
        ("contains(x.nothing, 1)", [None] * 3),
        ("size(x.fixed)", [2, None, 2]),
        ("CAST(x.large AS BOOLEAN)", [False, True, None]),
        ("round(x.long, 1)", [Decimal("1.3"), Decimal("-1.3"), None]),
        ("floor(x.long)", [Decimal(1), Decimal(-2), None]),
        ("coalesce(x.nothing, x.nothing)", [None] * 3),
    ],
)
def test_of_one_event(expression: str, expected: list[Any]) -> None:
    assert of_matches("ANY(A, B) x", expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("coalesce(a[1].list, a[a.LEN].list)", [[1, 2], [1, 2], None]),
        ("coalesce(a[1].bytes, a[a.LEN].bytes)", [b"u", b"u", b"v"]),
        ("coalesce(a[1].uuid, b.uuid)", [IDS[0], IDS[0], IDS[1]]),
        ("greatest(a[1].nothing, b.nothing)", [None] * 3),
        ("nullif(a[1].nothing, b.nothing)", [None] * 3),
        ("coalesce(max(a[].nothing), max(a[].nothing))", [None] * 3),
        ("array(a[].nothing)", [[None], [None, None], [None]]),
        ("count(DISTINCT a[].uuid)", [1, 2, 1]),
        ("count(DISTINCT a[].union)", [1, 2, 1]),
    ],
)
def test_of_several_events(expression: str, expected: list[Any]) -> None:
    assert sorted(of_matches("SEQ(A+ a, B b)", expression), key=repr) == sorted(expected, key=repr)


@pytest.mark.parametrize("expression", ["coalesce(NULL, b.day)", "greatest(b.day, NULL)"])
def test_of_an_event_that_is_not_there(expression: str) -> None:
    assert of_matches("SEQ(A a, B? b)", expression) == [None] * 4


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("least(x.id = 1, TRUE)", "least needs a value with an order here, but .* is a boolean"),
        ("greatest(x.list, NULL)", "greatest needs a value with an order here, .* is an array"),
        ("least(x.uuid, x.uuid)", "least needs a value with an order here"),
        ("x.list = x.list", "cannot compare an array with another"),
        ("x.uuid = x.uuid", "cannot compare a value without order or arithmetic with another"),
        ("contains(x.list, 'u')", "an element of 'x.list' is an integer, but ''u'' is a string"),
        ("coalesce(x.id, 9223372036854775808)", "9223372036854775808 does not fit 64 bits"),
    ],
)
def test_what_is_refused(expression: str, message: str) -> None:
    with pytest.raises(cepheid.BindingError, match=message):
        of_matches("ANY(A, B) x", expression)


def test_texts_that_begin_late_in_their_memory() -> None:
    """Arrow's own functions gave parts of other texts."""
    whole = pa.array(["Ab", "2024", "Cd"], pa.string())
    _, offsets, content = whole.buffers()
    part = pa.Array.from_buffers(pa.string(), 2, [None, offsets.slice(4), content])
    assert FUNCTIONS["lower"]([part]).to_pylist() == ["2024", "cd"]
    assert FUNCTIONS["upper"]([pa.chunked_array([part, part])]).to_pylist() == ["2024", "CD"] * 2
    events = pa.table({"id": [1, 2, 3], "s": pa.array(["Ab", "2024", "Cd"], pa.large_string())})
    query = cepheid.query("PATTERN x RETURN lower(x.s) AS s").run(events.slice(1), time="id")
    assert query["s"].to_pylist() == ["2024", "cd"]
