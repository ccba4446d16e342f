"""What the events are partitioned by."""

from __future__ import annotations

from cepheid.analysis.bound import BoundQuery, PredicateClass
from cepheid.plan.physical import Choice


def explain_partitioning(query: BoundQuery) -> Choice[tuple[str, ...]]:
    """Return the partition attributes with where they come from."""
    if not query.partition_by:
        return Choice((), _why_none(query))
    groups = {each.attribute for each in query.group_by}
    tests = [each for each in query.partition_by if each not in (*groups, *query.join_keys)]
    parts = []
    if groups:
        parts.append(f"GROUP BY {', '.join(a for a in query.partition_by if a in groups)}")
    if tests:
        parts.append(f"equal {', '.join(tests)} in all events of a match")
    copied = () if query.copies is None else query.copies.names
    if set(query.join_keys) - set(copied):
        parts.append("an event has the key of its type, equal in all events of a match")
    if copied:
        parts.append("an event goes to the key of every variable it can be bound to")
    return Choice(query.partition_by, " and ".join(parts))


def _why_none(query: BoundQuery) -> str:
    """Name an equality that could be taken for a partition."""
    if query.why_no_key:
        return f"{query.why_no_key}, so its equalities are predicates: one partition"
    clauses = [clause for pattern in query.patterns for clause in pattern.clauses]
    for each in clauses:
        if each.predicate_class is PredicateClass.EQUIVALENCE:
            return (
                f"'{each.text}' does not name all events, negated ones included, "
                "so it is a predicate: one partition"
            )
    return "no [attribute], GROUP BY or equality over all events: one partition"
