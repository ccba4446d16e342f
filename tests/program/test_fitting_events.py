"""Which events can fit some position."""

from dataclasses import replace

from cepheid.analysis.describe import describe
from cepheid.program.fitting_events import fitting_events
from tests.program.programs import SCHEMA, program_of


def found(text, schema=SCHEMA):
    return [
        (each.types, sorted(map(describe, each.conditions)))
        for each in fitting_events(program_of(text, schema))
    ]


def test_types_with_the_same_conditions_are_one_group():
    assert found("SEQ(A a, B b) WHERE a.x > 1 AND b.x > 1") == [(("A", "B"), [".x > 1"])]
    assert found("SEQ(A a, B b) WHERE a.x > 1") == [(("A",), [".x > 1"]), (("B",), ["TRUE"])]


def test_a_type_at_several_positions_has_all_their_conditions():
    assert found("SEQ(A{3} a, A b) WHERE a.x > 1 AND b.x < 0") == [(("A",), [".x < 0", ".x > 1"])]
    assert found("SEQ(A a, A b) WHERE a.x > 1") == [(("A",), ["TRUE"])]


def test_negated_parts_count():
    assert found("SEQ(A a, !C c, B) WHERE c.x > 1") == [
        (("A", "B"), ["TRUE"]),
        (("C",), [".x > 1"]),
    ]


def test_a_lacking_attribute_always_satisfies():
    declared = {"A": frozenset({"x", "y"}), "B": frozenset({"y"})}
    schema = replace(SCHEMA, attributes_by_type=declared)
    text = "ANY(A, B) v WHERE v.x > 1 AND v.y < 2 AND (v.x = 3 OR v.y = 4)"
    assert found(text, schema) == [
        (("A",), [".x > 1 AND .y < 2 AND (.x = 3 OR .y = 4)"]),
        (("B",), ["TRUE AND .y < 2 AND TRUE"]),
    ]
    assert found(text, replace(schema, type_column=None)) == [((), ["TRUE AND .y < 2 AND TRUE"])]
