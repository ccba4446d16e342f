"""Steps of a funnel as queries: one for every level, each with a step more."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import StrEnum
from typing import Any

from cepheid.analysis.fill_parameters import ParameterValue, fill_parameters, parameter_names
from cepheid.analysis.problems import Problems
from cepheid.errors import ConfigError, suggest
from cepheid.language import ast
from cepheid.language.parser import parse
from cepheid.language.printer import print_expression, print_query
from cepheid.language.source import Source

LEVEL, TIME = "level", "time"  # names of columns begin with these
OWN_COLUMN = re.compile(rf"{LEVEL}|{TIME}_[0-9]+")
NOT_IN_A_STEP = ("semantics", "window", "neighbour_windows", "group_by", "returns", "having",
                 "output", "into")  # fmt: skip


class FunnelMode(StrEnum):
    """What may lie between two steps of a run.

    `ORDERED`: anything. `NO_REPEATS`: no event that fits a step that the run has reached.
    `CONTIGUOUS`: nothing of the same key.
    """

    ORDERED = "ordered"
    NO_REPEATS = "no-repeats"
    CONTIGUOUS = "contiguous"


@dataclass(frozen=True, slots=True)
class Step:
    """One event of some types, with a condition; `name` is what tables call it."""

    name: str
    types: tuple[str, ...]
    condition: ast.Expression | None
    variable: str | None

    def said_of(self, variable: str) -> ast.Expression | None:
        """Return the condition on an event that a query calls so."""
        known = {self.variable, *self.types}
        return None if self.condition is None else _said_of(self.condition, variable, known)


def read_steps(
    given: Mapping[str, str] | Iterable[str],
    parameters: Mapping[str, ParameterValue] | None = None,
) -> tuple[Step, ...]:
    """Return the steps of a funnel, which are texts, by name or called as they are written.

    `parameters` are the values of `:name` in all of them.

    >>> [each.name for each in read_steps(["Visit", "View WHERE page = 'cart'"])]
    ['Visit', "View WHERE page = 'cart'"]
    """
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ConfigError(
            f"the steps of a funnel are {given!r}",
            hint="""give a list, such as ["Visit", "View WHERE page = 'cart'"]""",
        )
    named = given.items() if isinstance(given, Mapping) else [(each, each) for each in given]
    values, used = parameters or {}, set[str]()
    steps = tuple(_read_step(name, text, values, used) for name, text in named)
    unused = [each for each in values if each not in used]
    if unused:
        raise ConfigError(f"no step of the funnel has a parameter ':{unused[0]}'")
    if not steps:
        raise ConfigError("the funnel has no steps", hint="give the first step at least")
    return steps


def _read_step(
    name: object, text: object, values: Mapping[str, ParameterValue], used: set[str]
) -> Step:
    if not isinstance(name, str) or not isinstance(text, str):
        raise ConfigError(
            f"a step of the funnel is {text!r}",
            hint="give a text: an event type, and if you like WHERE with a condition on it",
        )
    said = " ".join(name.split())
    whole, title = f"PATTERN {text}", f"step '{said}'"
    tree = parse(whole, name=title)
    wanted = parameter_names(tree)
    used |= wanted
    problems = Problems(Source(whole, title))
    own = {each: value for each, value in values.items() if each in wanted}
    tree = fill_parameters(tree, own, problems)
    problems.raise_if_any()
    pattern = tree.pattern
    if not isinstance(pattern, ast.EventPattern) or any(
        getattr(tree, each) for each in NOT_IN_A_STEP
    ):
        raise ConfigError(
            f"the step '{said}' is more than one event with a condition",
            hint="write an event type or ANY(A, B), then WHERE and a condition if there is one; "
            "within= and by= of the funnel say the rest",
        )
    if pattern.variable is not None and not _is_read(pattern.variable, tree.where):
        raise ConfigError(
            f"the step '{said}' gives a {pattern.types[0]} a name that it does not use",
            hint="a type of several words needs backticks: "
            f"`{pattern.types[0]} {pattern.variable}`",
        )
    return Step(_without_backticks(said), pattern.types, tree.where, pattern.variable)


def _is_read(variable: str, condition: ast.Expression | None) -> bool:
    said = "" if condition is None else print_expression(condition)
    return re.search(rf"\b{re.escape(variable)}\b", said) is not None


def _without_backticks(name: str) -> str:
    """Return what a step is called that is a type in backticks."""
    return name.strip("`") if re.fullmatch(r"`[^`]+`", name) else name


def read_within(given: str | int | datetime.timedelta | None) -> str | int | None:
    """Return what stands after WITHIN."""
    if not isinstance(given, datetime.timedelta):
        return given
    length = given // datetime.timedelta(microseconds=1)
    return f"{length // 10**6} seconds" if length % 10**6 == 0 else f"{length} us"


def read_mode(given: str) -> FunnelMode:
    """Return the mode of that name."""
    try:
        return FunnelMode(given)
    except ValueError:
        hint = suggest(str(given), [each.value for each in FunnelMode], owner="a funnel")
        raise ConfigError(f"there is no mode {given!r} of funnels", hint=hint) from None


def read_keys(by: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of the key's columns."""
    keys = (by,) if isinstance(by, str) else tuple(by)
    if not keys or not all(isinstance(each, str) for each in keys):
        raise ConfigError(
            f"by is {by!r}", hint="give a column, such as by='user', or a list of columns"
        )
    taken = next((each for each in keys if OWN_COLUMN.fullmatch(each)), None)
    if taken is not None:
        raise ConfigError(
            f"the key '{taken}' has the name of a column of the result", hint="rename that column"
        )
    return keys


@dataclass(frozen=True, slots=True)
class FunnelDefinition:
    """A funnel without its events: `time` is their time column, `within` as after WITHIN."""

    steps: tuple[Step, ...]
    keys: tuple[str, ...]
    within: str | int | None
    mode: FunnelMode
    time: str

    def texts(self) -> dict[str, str]:
        """Return the text of a query for every level, by name; each finds the runs that get so far.

        They do not overlap, so the first one of a key is the one that gets there first and, among
        those, took every step as early as it could, from the first one on.
        """
        window = None
        if self.within is not None:
            window = parse(f"PATTERN A WITHIN {self.within}", name="within").window
        return {
            f"{LEVEL}_{count}": print_query(self._query(count, window))
            for count in range(1, len(self.steps) + 1)
        }

    def _query(self, count: int, window: ast.Window | None) -> ast.Query:
        parts: list[ast.Pattern] = []
        clauses: list[ast.Expression | None] = [ast.Equivalence(self.keys)]
        for place, step in enumerate(self.steps[:count], 1):
            if self.mode is FunnelMode.NO_REPEATS:
                for number, reached in enumerate(self.steps[: place - 1], 1):
                    variable = f"again{number}_before{place}"
                    parts.append(ast.Negation(ast.EventPattern(reached.types, variable)))
                    clauses.append(reached.said_of(variable))
            parts.append(ast.EventPattern(step.types, f"step{place}"))
            clauses.append(step.said_of(f"step{place}"))
        said = tuple(each for each in clauses if each is not None)
        is_contiguous = self.mode is FunnelMode.CONTIGUOUS
        return ast.Query(
            pattern=ast.Sequence(tuple(parts)) if len(parts) > 1 else parts[0],
            semantics=ast.Semantics(ast.StrategyName.CONTIGUOUS) if is_contiguous else None,
            where=ast.And(said) if len(said) > 1 else said[0],
            window=window,
            returns=tuple(self._returned(count)),
            output=ast.OutputMode.NON_OVERLAPPING,
        )

    def _returned(self, count: int) -> Iterator[ast.ReturnItem]:
        for each in self.keys:
            yield ast.ReturnItem(ast.Attribute("step1", each), each)
        for place in range(1, count + 1):
            yield ast.ReturnItem(ast.Attribute(f"step{place}", self.time), f"{TIME}_{place}")


def _said_of(node: Any, variable: str, known: set[str | None]) -> Any:
    """Return a condition on one event with that event's name at every attribute."""
    match node:
        case ast.Name():
            return ast.Attribute(variable, node.text, span=node.span)
        case ast.Attribute() if node.variable in known:
            return replace(node, variable=variable)
        case tuple():
            return tuple(_said_of(each, variable, known) for each in node)
    if not is_dataclass(node) or isinstance(node, type):
        return node
    changed = {
        each.name: _said_of(getattr(node, each.name), variable, known)
        for each in fields(node)
        if each.name != "span"
    }
    return replace(node, **changed)
