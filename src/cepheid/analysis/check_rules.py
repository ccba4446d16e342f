"""Rules of the language that concern the query as a whole."""

from __future__ import annotations

from cepheid.analysis.automaton import FREE, Automaton
from cepheid.analysis.bound import BoundQuery
from cepheid.analysis.problems import Problems
from cepheid.errors import suggest
from cepheid.language import ast


def check_rules(query: BoundQuery, problems: Problems) -> None:
    """Report what no single clause shows."""
    _check_types(query, problems)
    _check_borders(query, problems)
    if query.aggregates is None:
        _check_match_query(query, problems)
    else:
        _check_aggregate_query(query, problems)


def _event_patterns(pattern: ast.Pattern) -> list[ast.EventPattern]:
    match pattern:
        case ast.EventPattern():
            return [pattern]
        case ast.Repeat() | ast.Negation():
            return _event_patterns(pattern.pattern)
        case _:
            return [each for part in pattern.parts for each in _event_patterns(part)]


def _check_types(query: BoundQuery, problems: Problems) -> None:
    schema = query.schema
    events = _event_patterns(query.tree.pattern)
    if schema.type_names is not None:
        for event in events:
            for name in event.types:
                if name not in schema.type_names:
                    problems.add(
                        "unknown-type",
                        f"there is no event type '{name}'",
                        event.span,
                        suggest(name, schema.type_names, owner="the stream"),
                    )
        return
    names = dict.fromkeys(name for event in events for name in event.types)
    if len(names) > 1 and schema.type_column is None and not schema.is_open:
        problems.add(
            "no-type-column",
            f"the pattern has {len(names)} event types, but the events have no type column",
            query.tree.pattern.span,
            "name the column that holds the type: type='…' (--type)",
        )


def _check_borders(query: BoundQuery, problems: Problems) -> None:
    if query.tree.window is not None:
        return
    for pattern in query.patterns:
        for kind, parts in _border_parts(pattern.automaton):
            problems.add(
                f"{kind}-negation-without-window",
                f"a negation at the {kind} of the pattern ({parts}) needs WITHIN",
                query.tree.pattern.span,
                "add WITHIN: it says how far the negation reaches",
            )


def _border_parts(automaton: Automaton) -> list[tuple[str, str]]:
    found = []
    for kind, borders in (("start", automaton.first), ("end", automaton.last)):
        parts = {
            index
            for border in borders
            if border.blocked_by != FREE
            for choice in border.blocked_by
            for index in choice
        }
        if parts:
            names = ", ".join(f"!{automaton.negated_parts[index].text}" for index in sorted(parts))
            found.append((kind, names))
    return found


def _check_match_query(query: BoundQuery, problems: Problems) -> None:
    tree = query.tree
    if tree.window is not None and tree.window.slide is not None:
        problems.add(
            "slide-in-match-query",
            "SLIDE belongs to aggregate queries; a match query reports every match once",
            tree.window.slide.span,
            "drop SLIDE, or RETURN an aggregate such as COUNT(*)",
        )
    if query.output is ast.OutputMode.PARTIAL and tree.window is None:
        problems.add(
            "partial-without-window",
            "OUTPUT PARTIAL reports what was matched when the window closed and needs WITHIN",
            tree.span,
            "add WITHIN",
        )


def _check_aggregate_query(query: BoundQuery, problems: Problems) -> None:
    if query.tree.output not in (None, ast.OutputMode.ALL):
        problems.add(
            "output-in-aggregate",
            f"OUTPUT {query.output.value} belongs to match queries",
            query.tree.span,
            "drop OUTPUT, or return matches instead of aggregates",
        )
