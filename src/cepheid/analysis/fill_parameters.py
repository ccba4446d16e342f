"""Replace `:name` by values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from functools import cache
from typing import TypeVar

from cepheid.analysis.problems import Problems
from cepheid.errors import ConfigError, nearest
from cepheid.language import ast
from cepheid.language.numbers import to_number
from cepheid.language.source import Source

ParameterValue = int | float | Decimal | str | bool
Node = TypeVar("Node")
DURATION = re.compile(r"\s*(\d{1,300}(?:\.\d{1,300})?)\s*([A-Za-z]+)?\s*")


def fill_parameters(
    query: ast.Query, parameters: Mapping[str, ParameterValue], problems: Problems
) -> ast.Query:
    """Return the query with every parameter filled; missing ones are problems.

    A parameter of the query that is not used is a ConfigError, since it is likely misspelt.
    """
    filler = _Filler(parameters, problems)
    filled = filler.fill(query)
    unused = [name for name in parameters if name not in filler.used]
    if unused:
        near = nearest(unused[0], filler.wanted)
        raise ConfigError(
            f"the query has no parameter ':{unused[0]}'",
            hint=None if near is None else f"did you mean ':{near}'?",
        )
    return filled


def parameter_names(query: ast.Query) -> frozenset[str]:
    """Return the names of the parameters that a query has."""
    filler = _Filler({}, Problems(Source("")))
    filler.fill(query)
    return frozenset(filler.wanted)


@cache
def _attributes(kind: type) -> tuple[str, ...]:
    """Return what a class of nodes may have parameters in; other classes have none."""
    if not is_dataclass(kind):
        return ()
    return tuple(each.name for each in fields(kind) if each.name != "span")


class _Filler:
    def __init__(self, parameters: Mapping[str, ParameterValue], problems: Problems) -> None:
        self.parameters = parameters
        self.problems = problems
        self.used: set[str] = set()
        self.wanted: set[str] = set()

    def fill(self, node: Node) -> Node:
        if isinstance(node, ast.Parameter):
            value = self._lookup(node)
            return node if value is None else ast.Literal(value, span=node.span)  # type: ignore[return-value]
        if isinstance(node, ast.Duration):
            return self._duration(node)  # type: ignore[return-value]
        if isinstance(node, tuple):
            filled = tuple(self.fill(each) for each in node)
            same = all(one is other for one, other in zip(filled, node, strict=True))
            return node if same else filled  # type: ignore[return-value]
        changed = {}
        for name in _attributes(type(node)):  # type: ignore[arg-type]
            value = getattr(node, name)
            filled_value = self.fill(value)
            if filled_value is not value:
                changed[name] = filled_value
        return replace(node, **changed) if changed else node  # type: ignore[type-var]

    def _lookup(self, node: ast.Parameter) -> ParameterValue | None:
        self.wanted.add(node.name)
        if node.name in self.parameters:
            self.used.add(node.name)
            return self._checked(node)
        self.problems.add(
            "missing-parameter",
            f"parameter ':{node.name}' has no value",
            node.span,
            f"pass parameters={{'{node.name}': …}} or --param {node.name}=…",
        )
        return None

    def _checked(self, node: ast.Parameter) -> ParameterValue | None:
        value: object = self.parameters[node.name]
        if isinstance(value, float | Decimal) and math.isfinite(value):
            return to_number(Decimal(value)) if value == int(value) else value
        if isinstance(value, bool | int | str):
            return value
        self.problems.add(
            "bad-parameter",
            f"parameter ':{node.name}' = {value!r} is not a value",
            node.span,
            "give a finite number, a string or a boolean",
        )
        return None

    def _duration(self, node: ast.Duration) -> ast.Duration:
        if not isinstance(node.amount, ast.Parameter):
            return node
        value = self._lookup(node.amount)
        if value is None:
            return node
        if isinstance(value, str):
            found = DURATION.fullmatch(value)
            if found is not None:
                number = found[1]
                unit = node.unit or (found[2].lower() if found[2] else None)
                amount = float(number) if "." in number else int(number)
                return replace(node, amount=amount, unit=unit)
        if isinstance(value, Decimal):
            value = float(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.problems.add(
                "bad-parameter",
                f"parameter ':{node.amount.name}' = {value!r} is not a duration",
                node.span,
                "give a number, or text such as '10 minutes'",
            )
            return node
        return replace(node, amount=value)
