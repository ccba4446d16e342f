"""Replace `:name` by values."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from functools import cache
from typing import Any, TypeAlias, TypeVar

from cepheid.analysis.problems import Problems
from cepheid.errors import ConfigError, nearest
from cepheid.language import ast
from cepheid.language.numbers import to_number
from cepheid.language.source import Source

OneValue: TypeAlias = int | float | Decimal | str | bool | datetime.date | datetime.timedelta | None
ParameterValue: TypeAlias = OneValue | Collection[OneValue]
Node = TypeVar("Node")
LARGEST_DECIMAL = 38  # digits
LISTS = (list, tuple, set, frozenset)
MICROSECOND = datetime.timedelta(microseconds=1)
DURATION = re.compile(r"\s*(\d{1,300}(?:\.\d{1,300})?)\s*([A-Za-z]+)?\s*")


def fill_parameters(
    query: ast.Query, parameters: Mapping[str, ParameterValue], problems: Problems
) -> ast.Query:
    """Return the query with every parameter filled; missing ones are problems.

    A parameter of the query that is not used is a ConfigError, since it is likely misspelt.
    """
    filler = _Filler(plain_values(parameters), problems)
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


def plain_values(parameters: Mapping[str, ParameterValue]) -> dict[str, ParameterValue]:
    """Return parameters without values of NumPy or pandas, whose texts leave values out."""
    return {name: _without_numpy(value) for name, value in parameters.items()}


def _without_numpy(value: Any) -> Any:
    """Return a value of NumPy or pandas, or a list of such, as Python has it."""
    if isinstance(value, LISTS):
        return [_without_numpy(each) for each in value]
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind in ("M", "m"):  # finer ones would be whole numbers
        value = value.astype(f"{kind}8[us]")
    return value.tolist() if kind else value


@cache
def _attributes(kind: type) -> tuple[str, ...]:
    """Return what a class of nodes has other nodes in; other classes have none."""
    if not is_dataclass(kind):
        return ()
    return tuple(each.name for each in fields(kind) if each.name != "span")


def with_parts(node: Node, change: Callable[[Any], Any]) -> Node:
    """Return a node with what a change makes of its parts; the node itself if it changes none."""
    if isinstance(node, tuple):
        parts = tuple(change(each) for each in node)
        same = all(one is other for one, other in zip(parts, node, strict=True))
        return node if same else parts  # type: ignore[return-value]
    changed = {}
    for name in _attributes(type(node)):  # type: ignore[arg-type]
        value = getattr(node, name)
        new = change(value)
        if new is not value:
            changed[name] = new
    return replace(node, **changed) if changed else node  # type: ignore[type-var]


class _Filler:
    def __init__(self, parameters: Mapping[str, ParameterValue], problems: Problems) -> None:
        self.parameters = parameters
        self.problems = problems
        self.used: set[str] = set()
        self.wanted: set[str] = set()

    def fill(self, node: Node) -> Node:
        if isinstance(node, ast.Parameter):
            return self._filled(node)  # type: ignore[return-value]
        if isinstance(node, ast.In):
            node = replace(node, values=self._members(node.values))
        if isinstance(node, ast.Duration):
            return self._duration(node)  # type: ignore[return-value]
        return with_parts(node, self.fill)

    def _members(self, nodes: tuple[ast.Expression, ...]) -> tuple[ast.Expression, ...]:
        """Return the values of IN; a list among them stands for its elements."""
        found: list[ast.Expression] = []
        for node in nodes:
            given = self.parameters.get(node.name) if isinstance(node, ast.Parameter) else None
            if isinstance(node, ast.Parameter) and isinstance(given, LISTS):
                self._look_up(node)
                literals = [self._literal(each, node) for each in given]
                found += [each for each in literals if each is not None]
            else:
                found.append(node)
        return tuple(found)

    def _filled(self, node: ast.Parameter) -> ast.Expression:
        if not self._look_up(node):
            return node
        return self._literal(self.parameters[node.name], node) or node

    def _look_up(self, node: ast.Parameter) -> bool:
        """Whether a parameter has a value; if not, that is reported."""
        self.wanted.add(node.name)
        if node.name in self.parameters:
            self.used.add(node.name)
            return True
        self.problems.add(
            "missing-parameter",
            f"parameter ':{node.name}' has no value",
            node.span,
            f"pass parameters={{'{node.name}': …}} or --param {node.name}=…",
        )
        return False

    def _literal(self, value: object, node: ast.Parameter) -> ast.Expression | None:
        """Return what a query would say for a value."""
        span = node.span
        match value:
            case Decimal() if value.is_finite() and _fits_a_column(value):
                return ast.TypedLiteral("DECIMAL", format(value, "f"), span=span)
            case float() | Decimal() if math.isfinite(value):
                number = to_number(Decimal(value)) if value == int(value) else value
                return ast.Literal(number, span=span)
            case bool() | int() | str() | None:
                return ast.Literal(value, span=span)
            case datetime.datetime():
                return ast.TypedLiteral("TIMESTAMP", value.isoformat(" "), span=span)
            case datetime.date():
                return ast.TypedLiteral("DATE", value.isoformat(), span=span)
            case datetime.timedelta():
                return ast.Interval(((value // MICROSECOND, "us"),), span=span)
        is_list = isinstance(value, LISTS)
        self.problems.add(
            "bad-parameter",
            f"parameter ':{node.name}' = {value!r} is {'a list' if is_list else 'not a value'}",
            span,
            f"write x IN :{node.name}"
            if is_list
            else "give a finite number, a string, a boolean, a date, a datetime, a timedelta or "
            "None; a list of such for IN",
        )
        return None

    def _duration(self, node: ast.Duration) -> ast.Duration:
        if not isinstance(node.amount, ast.Parameter):
            return node
        if not self._look_up(node.amount):
            return node
        value: object = self.parameters[node.amount.name]
        if isinstance(value, datetime.timedelta):
            return replace(node, amount=value // MICROSECOND, unit="us")
        if isinstance(value, str):
            found = DURATION.fullmatch(value)
            if found is not None:
                number = found[1]
                unit = node.unit or (found[2].lower() if found[2] else None)
                amount = float(number) if "." in number else int(number)
                return replace(node, amount=amount, unit=unit)
        if isinstance(value, Decimal):
            value = float(value)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value):  # type: ignore[arg-type]
            self.problems.add(
                "bad-parameter",
                f"parameter ':{node.amount.name}' = {value!r} is not a duration",
                node.span,
                "give a number, or text such as '10 minutes'",
            )
            return node
        return replace(node, amount=value)  # type: ignore[arg-type]


def _fits_a_column(value: Decimal) -> bool:
    """Whether a decimal has at most 38 digits on both sides of the point, written without E."""
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    after = max(0, -exponent)
    before = max(0, len(digits) + exponent)
    return before + after <= LARGEST_DECIMAL
