"""Rules of the language that concern the query as a whole."""

from __future__ import annotations

from cepheid.analysis.automaton import FREE, Automaton
from cepheid.analysis.bound import BoundQuery
from cepheid.analysis.names import event_patterns
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


def _check_types(query: BoundQuery, problems: Problems) -> None:
    schema = query.schema
    events = event_patterns(query.tree.pattern)
    if schema.type_names is not None:
        for event in events:
            for name in event.types:
                if name not in schema.type_names and name != ast.EVERY_TYPE:
                    problems.add(
                        "unknown-type",
                        f"there is no event type '{name}'",
                        problems.source.narrow(event.span, name),
                        suggest(name, schema.type_names, owner="the stream", in_query=True),
                    )
        return
    names = dict.fromkeys(name for event in events for name in event.types)
    names.pop(ast.EVERY_TYPE, None)
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
    for pattern, tree in zip(query.patterns, _sides(query.tree.pattern), strict=False):
        negations = _negations(tree)
        for kind, index in _border_parts(pattern.automaton):
            text = pattern.automaton.negated_parts[index].text
            problems.add(
                f"{kind}-negation-without-window",
                f"a negation at the {kind} of the pattern (!{text}) needs WITHIN",
                negations[index].span,
                "add WITHIN: it says how far the negation reaches",
            )


def _sides(pattern: ast.Pattern) -> tuple[ast.Pattern, ...]:
    return pattern.parts if isinstance(pattern, ast.Conjunction) else (pattern,)


def _negations(pattern: ast.Pattern) -> list[ast.Negation]:
    """Return the outermost negations in the order in which the automaton numbers them."""
    match pattern:
        case ast.Negation():
            return [pattern]
        case ast.EventPattern():
            return []
        case ast.Repeat():
            return _negations(pattern.pattern)
        case _:
            return [each for part in pattern.parts for each in _negations(part)]


def _border_parts(automaton: Automaton) -> list[tuple[str, int]]:
    found = []
    for kind, borders in (("start", automaton.first), ("end", automaton.last)):
        parts = {
            index
            for border in borders
            if border.blocked_by != FREE
            for choice in border.blocked_by
            for index in choice
        }
        found += [(kind, index) for index in sorted(parts)]
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
            tree.output_span,
            "add WITHIN",
        )
    _check_skip(query, problems)


def _check_skip(query: BoundQuery, problems: Problems) -> None:
    """SKIP TO names a variable of the pattern whose events matches have."""
    skip = query.tree.skip
    if skip is None or skip.variable is None:
        return
    names = query.pattern.positive_variables
    if skip.variable not in names:
        problems.add(
            "unknown-variable",
            f"there is no variable '{skip.variable}' in the pattern to skip to",
            problems.source.narrow(skip.span, skip.variable),
            suggest(skip.variable, names, owner="the pattern"),
        )


def _check_aggregate_query(query: BoundQuery, problems: Problems) -> None:
    if query.tree.output not in (None, ast.OutputMode.ALL):
        problems.add(
            "output-in-aggregate",
            f"OUTPUT {query.output.value} belongs to match queries",
            query.tree.output_span,
            "drop OUTPUT, or return matches instead of aggregates",
        )
