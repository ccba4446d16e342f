"""Plans made before there are events: the types of columns are not known, nor is the time."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import PredicateClass
from cepheid.analysis.expressions import AttributeReference, BlockAggregate
from cepheid.plan.physical import AggregateMethod, PhysicalPlan

TIME = "time"  # the name of the time column while no events are known


def can_be_lowered(plan: PhysicalPlan) -> bool:
    """Whether the types of all that is compared are known, or do not matter."""
    if plan.unsupported:
        return False
    clauses = [each for pattern in plan.query.patterns for each in pattern.clauses]
    across = [e.condition for e in clauses if e.predicate_class is not PredicateClass.LOCAL]
    branches = [branch for pattern in plan.query.patterns for branch in pattern.branches]
    if has_unknown([list(each.negative.values()) for each in branches]):
        return False
    if plan.query.aggregates is None:
        return not has_unknown((across, plan.query.matches))
    of_matches = plan.query.aggregated_of_matches
    return plan.method.value is AggregateMethod.POSITIONS or not has_unknown((across, of_matches))


def has_unknown(node: object) -> bool:
    """Whether something reads attributes whose types are not known."""
    if isinstance(node, AttributeReference):
        return node.type is AttributeType.UNKNOWN
    if isinstance(node, BlockAggregate):
        return node.attribute is not None and node.attribute_type is AttributeType.UNKNOWN
    if isinstance(node, tuple | list):
        return any(map(has_unknown, node))
    if is_dataclass(node):
        return any(has_unknown(getattr(node, each.name)) for each in fields(node))
    return False


def with_numbers(plan: PhysicalPlan) -> PhysicalPlan:
    """Return a plan in which attributes whose types are not known are numbers.

    Only what does not depend on types can be asked of it.
    """
    known: PhysicalPlan = _with_numbers(plan)
    return known


def _with_numbers(node: Any) -> Any:
    if node is AttributeType.UNKNOWN:
        return AttributeType.FLOAT
    if isinstance(node, tuple) and not hasattr(node, "_fields"):
        return tuple(map(_with_numbers, node))
    if isinstance(node, dict):
        return {key: _with_numbers(each) for key, each in node.items()}
    if is_dataclass(node) and not isinstance(node, type):
        before = {each.name: getattr(node, each.name) for each in fields(node) if each.init}
        after = {name: _with_numbers(each) for name, each in before.items()}
        return replace(node, **{name: e for name, e in after.items() if e is not before[name]})
    return node


def with_time(plan: PhysicalPlan) -> PhysicalPlan:
    """Return a plan that can be lowered: without a schema it does not know the time column."""
    query = plan.query
    if query.schema.time is not None:
        return plan
    return replace(plan, query=replace(query, schema=replace(query.schema, time=TIME)))
