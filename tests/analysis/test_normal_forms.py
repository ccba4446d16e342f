"""Conjunctive and disjunctive normal form mean the same as the condition."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    AttributeReference,
    Compare,
    Constant,
    Role,
    Truth,
)
from cepheid.analysis.normal_forms import (
    MAXIMUM_CLAUSES,
    TooManyClausesError,
    all_of,
    any_of,
    conjuncts,
    disjuncts,
)

ATOMS = [
    Compare(
        "=",
        AttributeReference("a", Role.EACH, name, AttributeType.INTEGER),
        Constant(1, AttributeType.INTEGER),
    )
    for name in "pqrs"
]
P, Q, R, S = ATOMS


def conditions():
    leaves = st.sampled_from(ATOMS) | st.builds(Truth, st.booleans())

    def over(inner):
        operands = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return st.builds(AllOf, operands) | st.builds(AnyOf, operands)

    return st.recursive(leaves, over, max_leaves=8)


def holds(condition, true_atoms):
    match condition:
        case Truth(value=value):
            return value
        case AllOf(operands=operands):
            return all(holds(each, true_atoms) for each in operands)
        case AnyOf(operands=operands):
            return any(holds(each, true_atoms) for each in operands)
        case _:
            return condition in true_atoms


def truth_table(evaluate):
    rows = product((False, True), repeat=len(ATOMS))
    return [evaluate([a for a, on in zip(ATOMS, row, strict=True) if on]) for row in rows]


def is_clause(condition):
    """Whether it is a disjunction of atoms, one atom, or FALSE."""
    if isinstance(condition, AnyOf):
        return all(isinstance(each, Compare) for each in condition.operands)
    return isinstance(condition, Compare) or condition == Truth(False)


@given(conditions())
@settings(max_examples=200, deadline=None)
def test_conjunctive_form(condition):
    clauses = conjuncts(condition)
    assert all(is_clause(each) for each in clauses)
    wanted = truth_table(lambda atoms: holds(condition, atoms))
    assert truth_table(lambda atoms: all(holds(each, atoms) for each in clauses)) == wanted


@given(conditions())
@settings(max_examples=200, deadline=None)
def test_disjunctive_form(condition):
    choices = disjuncts(condition)
    assert all(isinstance(atom, Compare) for atoms in choices for atom in atoms)
    assert all(len(set(atoms)) == len(atoms) for atoms in choices)
    wanted = truth_table(lambda atoms: holds(condition, atoms))
    found = truth_table(
        lambda atoms: any(all(holds(each, atoms) for each in choice) for choice in choices)
    )
    assert found == wanted


def test_examples():
    assert conjuncts(AnyOf((AllOf((P, Q)), R))) == [AnyOf((P, R)), AnyOf((Q, R))]
    assert disjuncts(AllOf((AnyOf((P, Q)), R))) == [[P, R], [Q, R]]
    assert conjuncts(AllOf((P, AllOf((Q, R))))) == [P, Q, R]
    assert conjuncts(Truth(True)) == []
    assert conjuncts(Truth(False)) == [Truth(False)]
    assert disjuncts(Truth(True)) == [[]]
    assert disjuncts(Truth(False)) == []


def test_joining():
    assert all_of([]) == Truth(True)
    assert any_of([]) == Truth(False)
    assert all_of([P]) == any_of([P]) == P
    assert all_of([P, Q]) == AllOf((P, Q))
    assert any_of([P, Q]) == AnyOf((P, Q))


@pytest.mark.parametrize(
    ("form", "outer", "inner"), [(conjuncts, AnyOf, AllOf), (disjuncts, AllOf, AnyOf)]
)
def test_forms_that_grow_too_large_are_refused(form, outer, inner):
    pairs = [
        inner((Compare("=", P.left, Constant(n, AttributeType.INTEGER)),
               Compare("=", Q.left, Constant(n, AttributeType.INTEGER))))
        for n in range(MAXIMUM_CLAUSES.bit_length())
    ]  # fmt: skip
    assert len(form(outer(tuple(pairs[:-1])))) == MAXIMUM_CLAUSES
    with pytest.raises(TooManyClausesError):
        form(outer(tuple(pairs)))
