"""Which positions an event fits."""

from dataclasses import replace

import pyarrow as pa
import pytest

from cepheid.program.position_masks import position_masks
from tests.program.programs import SCHEMA, program_of


def masks(pattern, schema=SCHEMA, **columns):
    length = len(next(iter(columns.values())))
    arrays = {name: pa.chunked_array([pa.array(values)]) for name, values in columns.items()}
    return position_masks(program_of(pattern, schema), arrays, length)[0].tolist()


def test_types():
    kinds = ["A", "B", "C", None, "A"]
    assert masks("SEQ(A, B)", kind=kinds) == [0b01, 0b10, 0, 0, 0b01]
    assert masks("SEQ(A, ANY(A, C), B)", kind=kinds) == [0b011, 0b100, 0b010, 0, 0b011]


def test_predicates():
    columns = {"kind": ["A", "A", "A", "B"], "x": [1, 2, None, 1]}
    assert masks("SEQ(A a, A b, B c) WHERE a.x = 1 AND b.x > 0", **columns) == [
        0b011,
        0b010,
        0,
        0b100,
    ]


def test_without_a_type_column_every_event_is_of_every_type():
    schema = replace(SCHEMA, type_column=None)
    assert masks("SEQ(S a, S b) WHERE a.x = 1", schema, x=[1, 2]) == [0b11, 0b10]


def test_an_attribute_that_the_type_lacks():
    schema = replace(SCHEMA, attributes_by_type={"A": frozenset({"x"}), "B": frozenset()})
    found = masks("ANY(A, B) v WHERE v.x > 1", schema, kind=["A", "A", "B"], x=[1, 2, None])
    assert found == [0, 1, 1]


@pytest.mark.parametrize("values", [["A", "B", None], ["B"], []], ids=str)
def test_dictionaries(values):
    encoded = pa.array(values, pa.string()).dictionary_encode()
    column = pa.chunked_array([encoded, pa.array(["B", "A"]).dictionary_encode()])
    found = position_masks(program_of("SEQ(A, B)"), {"kind": column}, len(column))[0].tolist()
    by_type = {"A": 0b01, "B": 0b10, None: 0}
    assert found == [by_type[each] for each in [*values, "B", "A"]]


def test_negated_parts_have_masks_of_their_own():
    program = program_of("SEQ(A a, !SEQ(C c, D), B b) WHERE c.x = 1")
    kinds = ["A", "B", "C", "C", "D"]
    columns = {"kind": pa.chunked_array([kinds]), "x": pa.chunked_array([[1, 1, 1, 2, 1]])}
    positive, negative = position_masks(program, columns, len(kinds))
    assert positive.tolist() == [0b01, 0b10, 0, 0, 0]
    assert negative.tolist() == [0, 0, 0b01, 0, 0b10]


def test_the_64th_position():
    assert masks("SEQ(A{63}, B)", kind=["B", "A"]) == [1 << 63, (1 << 63) - 1]
