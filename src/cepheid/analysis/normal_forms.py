"""Conjunctive and disjunctive normal form of conditions that have no NOT."""

from __future__ import annotations

from cepheid.analysis.expressions import AllOf, AnyOf, Condition, Truth

MAXIMUM_CLAUSES = 512


class TooManyClausesError(Exception):
    """The normal form would be larger than `MAXIMUM_CLAUSES`."""


def conjuncts(condition: Condition) -> list[Condition]:
    """Return clauses whose conjunction is the condition; each a disjunction of atoms.

    TRUE clauses are dropped and repeated atoms merged.
    """
    return [_joined(atoms, AnyOf) for atoms in _distribute(condition, AllOf, absorbing=True)]


def disjuncts(condition: Condition) -> list[list[Condition]]:
    """Return conjunctions of atoms whose disjunction is the condition."""
    return _distribute(condition, AnyOf, absorbing=False)


def any_of(conditions: list[Condition]) -> Condition:
    """Return one condition for a disjunction."""
    return _joined(conditions, AnyOf)


def all_of(conditions: list[Condition]) -> Condition:
    """Return one condition for a conjunction."""
    return _joined(conditions, AllOf)


def _joined(conditions: list[Condition], kind: type[AllOf] | type[AnyOf]) -> Condition:
    if not conditions:
        return Truth(kind is AllOf)
    return conditions[0] if len(conditions) == 1 else kind(tuple(conditions))


def _distribute(
    condition: Condition, outer: type[AllOf] | type[AnyOf], *, absorbing: bool
) -> list[list[Condition]]:
    """Return the outer list of inner lists; `absorbing` is the truth that empties an inner list."""
    match condition:
        case Truth(value=value):
            return [] if value is absorbing else [[]]
        case AllOf() | AnyOf():
            lists = [_distribute(each, outer, absorbing=absorbing) for each in condition.operands]
            if isinstance(condition, outer):
                return [each for inner in lists for each in inner]
            product: list[list[Condition]] = [[]]
            for choices in lists:
                product = [[*one, *(a for a in other if a not in one)]
                           for one in product for other in choices]  # fmt: skip
                if len(product) > MAXIMUM_CLAUSES:
                    raise TooManyClausesError
            return product
        case _:
            return [[condition]]
