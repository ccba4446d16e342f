"""What the stream is partitioned by (semantics, section 1)."""

import pytest

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.schema import OPEN_SCHEMA, EventSchema
from tests.analysis.schemas import bind


@pytest.mark.parametrize(
    ("query", "partition_by"),
    [
        ("PATTERN SEQ(A a, B b)", ()),
        ("PATTERN SEQ(A a, B b) WHERE [id]", ("id",)),
        ("PATTERN SEQ(A a, B b) WHERE [id, k] AND [z]", ("id", "k", "z")),
        ("PATTERN SEQ(A a, B b) WHERE [id] AND [id]", ("id",)),
        ("PATTERN SEQ(A a, B b) WHERE [name = 'John']", ("name",)),
        ("PATTERN SEQ(A a, B b) WHERE contiguous { [id] }", ("id",)),
        ("PATTERN A a GROUP BY id, k RETURN COUNT(*)", ("id", "k")),
        ("PATTERN A a GROUP BY a.id RETURN COUNT(*)", ("id",)),
        ("PATTERN A a WHERE [k] GROUP BY id RETURN COUNT(*)", ("k", "id")),
        ("PATTERN SEQ(A a, B b) WHERE [id] AND a.id = b.id", ("id",)),
    ],
)
def test_equivalence_tests_and_groups(query, partition_by):
    assert bind(query, schema=OPEN_SCHEMA).partition_by == partition_by


@pytest.mark.parametrize(
    ("pattern", "where", "partition_by"),
    [
        ("SEQ(A a, B b)", "a.id = b.id", ("id",)),
        ("SEQ(A a, B b)", "b.id = a.id", ("id",)),
        ("SEQ(A, B, C)", "A.id = B.id = C.id", ("id",)),
        ("SEQ(A a, B b, C c)", "a.id = b.id AND b.id = c.id", ("id",)),
        ("SEQ(A a, B b, C c)", "c.id = b.id AND a.id = c.id", ("id",)),
        ("SEQ(A a, B b, C c, D d)", "a.id = b.id AND c.id = d.id AND b.id = c.id", ("id",)),
        ("SEQ(A+ a, B b)", "a.id = b.id", ("id",)),
        ("SEQ(A a, !N n, B b)", "a.id = b.id AND b.id = n.id", ("id",)),
        ("SEQ(A a, !N n, B b)", "a.id = n.id AND n.id = b.id", ("id",)),
        ("SEQ(A a, B b)", "a.id = b.id AND a.k = b.k", ("id", "k")),
        ("SEQ(A a, B b)", "a.id = b.k", ("A.id = B.k",)),
        ("SEQ(A a, B b, C c)", "a.id = b.k AND c.id = b.k", ("A.id = B.k = C.id",)),
        ("SEQ(A a, B b, C c)", "a.id = b.id AND b.id = c.k", ("A.id = B.id = C.k",)),
        ("SEQ(A a, B b, C c)", "a.x = b.id = c.k AND a.id = b.k", ("A.x = B.id = C.k",)),
        ("SEQ(A a, !N n, B b)", "a.id = b.k AND n.x = a.id", ("A.id = B.k = N.x",)),
        ("SEQ(ANY(A, B) a, C c)", "a.id = c.k", ("A.id = B.id = C.k",)),
        ("SEQ(A a, A b, C c)", "a.id = c.k AND b.id = c.k", ("A.id = C.k",)),
        ("SEQ(A a, B b)", "a.id = b.k AND a.x = b.k", ("A.id = B.k",)),
        ("SEQ(A a, B b)", "a.k = b.k AND a.k = b.x", ("k",)),
        # No chain:
        ("SEQ(A a, B b, C c)", "a.id = b.id", ()),
        ("SEQ(A a, B b, C c, D d)", "a.id = b.id AND c.id = d.id", ()),
        ("SEQ(A a, A b)", "a.id = b.k", ("A.id = A.k",)),
        ("SEQ(A a, B b)", "lower(a.id) = lower(b.k)", ()),
        ("SEQ(A a, !N n, B b)", "a.id = b.k", ()),
        ("SEQ(A a, B b)", "a.id != b.id", ()),
        ("SEQ(A a, B b)", "a.id = b.id OR a.x = 1", ()),
        ("SEQ(A a, B b)", "a.id = b.id + 0", ()),
        ("SEQ(A a, !N n, B b)", "a.id = n.id", ()),
        ("SEQ(A a, !N n, B b)", "a.id = b.id", ()),
        ("SEQ(A a, !N n, B b, !M m, C c)", "a.id = b.id = c.id = n.id", ()),
        ("SEQ(A a, !SEQ(N n, !M, O o), B b)", "a.id = b.id = n.id = o.id", ()),
        ("SEQ(A+ a, !N n, B)", "a.id = n.id", ()),
        ("SEQ(A+ a, B b?, !N)", "a.id = b.id", ()),
        ("SEQ(A+ a, B b)", "a[1].id = b.id", ()),
        ("SEQ(A x, A y)", "A.id = A.id", ()),
        ("A a", "a.id = a.id", ()),
    ],
)
def test_chains_of_equalities_that_name_every_variable(pattern, where, partition_by):
    query = bind(f"PATTERN {pattern} WHERE {where} WITHIN 9", schema=OPEN_SCHEMA)
    assert query.partition_by == partition_by


def test_equalities_that_partitioning_implies_are_no_clauses():
    query = bind(
        "PATTERN SEQ(A a, !N n, B b) WHERE a.id = n.id AND a.id = b.id AND a.x = b.x + 1",
        schema=OPEN_SCHEMA,
    )
    assert [each.text for each in query.pattern.clauses] == ["a.x = b.x + 1"]
    assert query.pattern.branches[0].negative == {}
    assert [each.text for each in query.pattern.implied] == ["a.id = n.id", "a.id = b.id"]


def test_an_equality_of_what_is_no_key_stays():
    query = bind("PATTERN SEQ(A a, B b) WHERE a.x = b.k AND a.id = b.k", schema=OPEN_SCHEMA)
    assert query.partition_by == ("A.id = B.k",)
    assert [each.text for each in query.pattern.clauses] == ["a.x = b.k"]
    assert [each.text for each in query.pattern.implied] == ["a.id = b.k"]


def test_an_equality_that_is_no_chain_stays():
    query = bind("PATTERN SEQ(A a, B b, C c) WHERE a.id = b.id", schema=OPEN_SCHEMA)
    assert [each.text for each in query.pattern.clauses] == ["a.id = b.id"]


def test_an_equivalence_test_with_a_value_asks_it_of_every_positive_event():
    query = bind(
        "PATTERN SEQ(A a, !N n, B+ b) WHERE [name = 'John'] AND [level = -2]", schema=OPEN_SCHEMA
    )
    assert [each.text for each in query.pattern.clauses] == [
        "a.name = 'John'", "b.name = 'John'", "a.level = -2", "b.level = -2",
    ]  # fmt: skip


@pytest.mark.parametrize("where", ["a.id = b.id", "a.id = b.id AND c.id = d.id"])
def test_no_chain_names_the_events_of_both_sides_of_and(where):
    text = f"PATTERN SEQ(A a, B b) AND SEQ(C c, D d) WHERE {where}"
    query = bind(text, schema=OPEN_SCHEMA)
    assert query.partition_by == ()
    texts = [clause.text for side in query.patterns for clause in side.clauses]
    assert texts == where.split(" AND ")


def test_an_equality_is_true_of_a_type_without_the_attribute_and_is_no_chain():
    schema = EventSchema(
        {"x": AttributeType.INTEGER},
        time="ts",
        type_column="kind",
        attributes_by_type={"A": frozenset("x"), "B": frozenset(), "C": frozenset("x")},
    )
    query = bind("PATTERN SEQ(ANY(A, B) a, C c) WHERE a.x = c.x", schema=schema)
    assert query.partition_by == ()
    assert [each.text for each in query.pattern.clauses] == ["a.x = c.x"]


def test_keys_of_types_that_are_compared_one_by_one():
    kinds = {"i": AttributeType.INTEGER, "f": AttributeType.FLOAT, "d": AttributeType.DECIMAL}
    schema = EventSchema(kinds, time="ts", type_column="kind")
    for where in ("a.i = b.f", "a.i = b.d", "a.i = b.f AND a.i = b.i"):
        query = bind(f"PATTERN SEQ(A a, B b) WHERE {where}", schema=schema)
        assert query.partition_by == (("i",) if "b.i" in where else ())
        assert query.pattern.clauses


def test_group_columns_are_called_by_their_qualified_name():
    query = bind("PATTERN SEQ(R r, T+ t) GROUP BY t.district RETURN COUNT(*)", schema=OPEN_SCHEMA)
    assert [(each.attribute, each.output) for each in query.group_by] == [
        ("district", "t_district")
    ]
