"""What Spark tests before an event reaches Python."""

from __future__ import annotations

from collections.abc import Iterator

from cepheid.analysis.bound import BoundPattern, BoundQuery, PredicateClass
from cepheid.analysis.describe import describe
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    AttributeReference,
    Compare,
    Condition,
    Constant,
    Minus,
    Value,
    reads_one_event,
)
from cepheid.plan.physical import Choice, ScanMethod


def explain_push_down(query: BoundQuery, scan: ScanMethod) -> Choice[tuple[str, ...]]:
    """Comparisons without arithmetic mean the same to Spark, for columns of most types."""
    local = dict.fromkeys(each for pattern in query.patterns for each in _local(pattern))
    left = [f"'{describe(each)}'" for each in local if not _is_plain(each)]
    has_types = query.schema.is_open or query.schema.type_column is not None
    pushed = ["columns", *(["types"] if has_types else [])]
    pushed += [describe(each) for each in local if _is_plain(each)]
    reason = "Spark drops events that fit no position as it reads them"
    if scan is ScanMethod.BREAK_MARKS:
        reason = "Spark hands over only order and partition of events that fit no position"
    if left:
        verb = "is" if len(left) == 1 else "are"
        reason += f"; {', '.join(left)} {verb} left to the engine: Spark's arithmetic is another"
    return Choice(tuple(pushed), reason)


def _local(pattern: BoundPattern) -> Iterator[Condition]:
    """Yield the conditions that read one event, negated or not."""
    for clause in pattern.clauses:
        if clause.predicate_class is PredicateClass.LOCAL and clause.variables:
            yield clause.condition
    if len(pattern.branches) == 1:
        for conditions in pattern.branches[0].negative.values():
            yield from (each for each in conditions if reads_one_event(each))


def _is_plain(condition: Condition) -> bool:
    match condition:
        case AllOf() | AnyOf():
            return all(map(_is_plain, condition.operands))
        case Compare():
            return _is_simple(condition.left) and _is_simple(condition.right)
    return True


def _is_simple(value: Value) -> bool:
    if isinstance(value, Minus):
        return isinstance(value.operand, Constant)
    return isinstance(value, AttributeReference | Constant)
