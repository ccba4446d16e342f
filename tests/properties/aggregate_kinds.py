"""What an aggregate query has in it, to see that random ones have everything."""

import re
from collections.abc import Iterator

from cepheid.analysis.automaton import FREE
from cepheid.analysis.bound import BoundQuery
from cepheid.language import ast
from tests.properties.aggregate_streams import bound
from tests.properties.queries import Case

KINDS = {
    *("COUNT(*)", "EXACT", "LOG2", "COUNT of events", "COUNT", "SUM", "AVG", "MIN", "MAX"),
    *("of a type", "of a variable", "of integer", "of float", "of string", "of timestamp"),
    *("HAVING", "GROUP BY", "partition", "order", "ties", "NULL", "several aggregates"),
    *("no window", "WITHIN time", "WITHIN events", "SLIDE time", "SLIDE events", "BETWEEN"),
    *("skip-till-any-match", "skip-till-next-match", "contiguous", "strict contiguity"),
    "skip-till-next-match, leaving a repetition is optional",
    *("local", "adjacent", "equivalence", "first-bound", "running", "last-bound", "general"),
    *("negation at start", "negation in the middle", "negation at end", "negated ANY"),
    *("negated sub-pattern", "negation in a negation", "negated condition", "branches"),
    *("AND", "OR", "ANY", "P+", "P*", "P?", "P{n}", "P{n,}", "P{n,m}", "nested Kleene"),
    *("NEXT", "[i-1]", "NOT", "arithmetic", "text compared"),
}


def kinds(case: Case) -> set[str]:
    """Return what is in a query and in its stream."""
    query = bound(case)
    return {*_outputs(query), *_clauses(query), *_negations(query), *_parts(query.tree.pattern),
            *_text(case.text), *_stream(case)}  # fmt: skip


def _outputs(query: BoundQuery) -> Iterator[str]:
    for column in query.aggregates or ():
        each = column.aggregate
        if each.variable is None:
            yield "EXACT" if each.exact else "LOG2" if each.log2 else "COUNT(*)"
            continue
        yield "COUNT of events" if each.attribute is None else each.function
        yield "of a variable" if each.variable.startswith("v") else "of a type"
        yield f"of {each.attribute_type.value}"
    if len(query.aggregates or ()) > 1:
        yield "several aggregates"
    if query.having is not None:
        yield "HAVING"
    if query.group_by:
        yield "GROUP BY"


def _clauses(query: BoundQuery) -> Iterator[str]:
    yield query.strategy.value
    yield from (clause.predicate_class.value for each in query.patterns for clause in each.clauses)
    if query.partition_by:
        yield "partition"
    if query.neighbour_bounds:
        yield "BETWEEN"
    if query.window is None:
        yield "no window"
    else:
        yield f"{'WITHIN' if query.window.slide is None else 'SLIDE'} {query.window.unit.value}"


def _negations(query: BoundQuery) -> Iterator[str]:
    for pattern in query.patterns:
        automaton = pattern.automaton
        if any(border.blocked_by != FREE for border in automaton.first):
            yield "negation at start"
        if any(edge.blocked_by != FREE for edge in automaton.edges):
            yield "negation in the middle"
        if any(border.blocked_by != FREE for border in automaton.last):
            yield "negation at end"
        if len(pattern.branches) > 1:
            yield "branches"
        for part in automaton.negated_parts:
            if len(part.automaton.positions) > 1:
                yield "negated sub-pattern"
            if part.automaton.negated_parts:
                yield "negation in a negation"
            if any(len(position.types) > 1 for position in part.automaton.positions):
                yield "negated ANY"
            if any(branch.negative.get(part.index) for branch in pattern.branches):
                yield "negated condition"


def _parts(pattern: ast.Pattern, *, in_repeat: bool = False) -> Iterator[str]:
    match pattern:
        case ast.EventPattern():
            if len(pattern.types) > 1:
                yield "ANY"
        case ast.Negation():
            return
        case ast.Repeat():
            yield {(1, None): "P+", (0, None): "P*", (0, 1): "P?"}.get(
                (pattern.minimum, pattern.maximum)
            ) or ("P{n,}" if pattern.maximum is None else
                  "P{n}" if pattern.minimum == pattern.maximum else "P{n,m}")  # fmt: skip
            if in_repeat and pattern.maximum != 1:
                yield "nested Kleene"
            yield from _parts(pattern.pattern, in_repeat=pattern.maximum != 1)
        case _:
            if isinstance(pattern, ast.Alternation):
                yield "OR"
            if isinstance(pattern, ast.Conjunction):
                yield "AND"
            for part in pattern.parts:
                yield from _parts(part, in_repeat=in_repeat)


def _text(text: str) -> Iterator[str]:
    where = next((line for line in text.splitlines() if line.startswith("WHERE")), "")
    forms = {
        "NEXT": r"NEXT\(",
        "[i-1]": r"\w\[i-1\]",
        "NOT": r"NOT",
        "arithmetic": r" [-+*%] ",
        "text compared": r"\.s .*\.s\b",
    }
    yield from (name for name, form in forms.items() if re.search(form, where))


def _stream(case: Case) -> Iterator[str]:
    if case.order:
        yield "order"
    keys = [(event["time"], *(event[each] for each in case.order)) for event in case.events]
    if len(set(keys)) < len(keys):
        yield "ties"
    if any(event["x"] is None for event in case.events):
        yield "NULL"
