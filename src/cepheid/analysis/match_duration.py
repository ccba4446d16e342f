"""`duration(match)` is the time of the last event of a match less that of its first."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from cepheid.analysis.fill_parameters import with_parts
from cepheid.analysis.names import event_patterns
from cepheid.analysis.problems import Problems
from cepheid.analysis.schema import EventSchema
from cepheid.language import ast

Node = TypeVar("Node")
NAME, ARGUMENT = "duration", "match"


def write_durations(query: ast.Query, schema: EventSchema, problems: Problems) -> ast.Query:
    """Return the query with a difference of times for every duration of the match."""
    if NAME not in problems.source.text.lower():
        return query
    returns = tuple(
        replace(each, alias=NAME) if is_duration(each.expression) and each.alias is None else each
        for each in query.returns
    )
    writer = _Writer(query.pattern, schema.time or "time", problems)
    if returns != query.returns:
        query = replace(query, returns=returns)
    whole = [is_duration(each.expression) for each in returns]
    if not any(whole) or writer.has_one_name() or isinstance(query.pattern, ast.Conjunction):
        return writer.written(query)
    # Such a column is that of the times of the first and the last event, whatever they are called.
    kept = tuple(
        item if is_whole else writer.written(item)
        for item, is_whole in zip(returns, whole, strict=True)
    )
    return replace(writer.written(replace(query, returns=())), returns=kept)


def is_duration(node: object) -> bool:
    """Whether an expression is the duration of the match."""
    return (
        isinstance(node, ast.Function)
        and node.name == NAME
        and [each.text if isinstance(each, ast.Name) else "" for each in node.arguments]
        == [ARGUMENT]
    )


class _Writer:
    def __init__(self, pattern: ast.Pattern, time: str, problems: Problems) -> None:
        self.pattern, self.time, self.problems = pattern, time, problems

    def has_one_name(self) -> bool:
        """Whether the first event always has one name, and so has the last one."""
        return None not in [self._border(self.pattern, at_end=each) for each in (False, True)]

    def written(self, node: Node) -> Node:
        """Return a node, or one with differences of times in it."""
        if isinstance(node, ast.Call) and is_duration(node.argument) and self._is_of_match():
            return node
        if isinstance(node, ast.Function) and is_duration(node):
            return self._difference(node)  # type: ignore[return-value]
        return with_parts(node, self.written)

    def _is_of_match(self) -> bool:
        """Whether only a match tells its first and its last event; AND has two of each."""
        borders = [self._border(self.pattern, at_end=each) for each in (False, True)]
        is_plain = all(each is not None and each.index is None for each in borders)
        return not is_plain and not isinstance(self.pattern, ast.Conjunction)

    def _difference(self, node: ast.Function) -> ast.Expression:
        first, last = (self._border(self.pattern, at_end=each) for each in (False, True))
        if first is None or last is None:
            where = "begins" if first is None else "ends"
            self.problems.add(
                "no-duration",
                f"the pattern {where} in several ways, or with an event without a name of its own",
                node.span,
                f"subtract the times that are meant: b.{self.time} - a.{self.time}; as a column of "
                "RETURN by itself duration(match) takes every pattern without AND",
            )
            return ast.Literal(None, span=node.span)
        return ast.Arithmetic(
            "-", replace(last, span=node.span), replace(first, span=node.span), span=node.span
        )

    def _border(self, pattern: ast.Pattern, *, at_end: bool) -> ast.Attribute | None:
        """Return the time of the first or the last event, None if that has no one name."""
        match pattern:
            case ast.EventPattern():
                name = self._name(pattern)
                return None if name is None else ast.Attribute(name, self.time)
            case ast.Sequence():
                parts = [each for each in pattern.parts if not isinstance(each, ast.Negation)]
                return self._border(parts[-1 if at_end else 0], at_end=at_end) if parts else None
            case ast.Repeat(minimum=minimum) if minimum > 0:
                if not isinstance(pattern.pattern, ast.EventPattern):
                    return None
                found = self._border(pattern.pattern, at_end=at_end)
                index = ast.IndexKind.LAST if at_end else ast.IndexKind.FIRST
                return None if found is None else replace(found, index=index)
        return None

    def _name(self, event: ast.EventPattern) -> str | None:
        if event.variable is not None:
            return event.variable
        kinds = [kind for each in event_patterns(self.pattern) for kind in each.types]
        (kind, *others) = event.types
        return kind if not others and kinds.count(kind) == 1 else None
