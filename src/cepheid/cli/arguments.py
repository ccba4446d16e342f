"""Arguments and options that several commands share, and what they mean."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cepheid import Query, query
from cepheid.errors import ConfigError
from cepheid.language.numbers import to_number

if TYPE_CHECKING:
    from cepheid.analysis.fill_parameters import OneValue, ParameterValue

QUERY_SUFFIX = ".cep"
WHOLE_NUMBER = re.compile(r"[+-]?\d+")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
TYPED_PATH = re.compile(r"(?P<type>[^\W\d][\w-]*)=(?P<path>.+)")


class Engine(StrEnum):
    """Where a query runs."""

    LOCAL = "local"
    SPARK = "spark"


QueryArgument = Annotated[
    str, typer.Argument(help="A query file (.cep), or the text of a query.", show_default=False)
]
WithOption = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="QUERY",
        help="A further query, file or text, that may read the results of others (INTO); "
        "repeatable.",
    ),
]
ParameterOption = Annotated[
    list[str] | None,
    typer.Option(
        "--param", "-p", metavar="NAME=VALUE", help="A value for :NAME in the query; repeatable."
    ),
]
SchemaOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="YAML or JSON file with the attributes of each event type, "
        "such as [cyan]Trade: \\[symbol, price][/cyan].",
    ),
]
TimeOption = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="The time column. Default: the one called time, ts or timestamp."
    ),
]
TypeOption = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column with the event type. Default: the one called type, kind, event_type or "
        "etype. An empty name: all events are of the pattern's one type.",
    ),
]
TimeUnitOption = Annotated[
    str,
    typer.Option(
        metavar="UNIT", help="The unit of an integer time column: ns, us, ms, s, min, h or d."
    ),
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress, notes or warnings; errors only.")
]


def load_query(argument: str, parameters: Sequence[str] | None = None) -> Query:
    """Return the query in a file, or the query that the argument itself is.

    Raises:
        ConfigError: there is no such file, or a parameter is not NAME=VALUE.
        QuerySyntaxError: the query does not parse.
    """
    values = parse_values(parameters or (), option="--param")
    path = Path(argument)
    if not _names_a_file(argument):
        return query(argument, parameters=values)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read the query '{argument}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"the query '{argument}' is not UTF-8 text") from None
    return query(text, name=argument, parameters=values)


def _names_a_file(argument: str) -> bool:
    """A query has a space or a parenthesis; what has neither is a file, even a missing one."""
    return argument.endswith(QUERY_SUFFIX) or not re.search(r"[\s(]", argument) or _exists(argument)


def _exists(argument: str) -> bool:
    try:
        return Path(argument).is_file()
    except (OSError, ValueError):  # a long query is no name for a file
        return False


def parse_values(pairs: Sequence[str], *, option: str) -> dict[str, ParameterValue]:
    """Return `NAME=VALUE` arguments as a mapping.

    >>> parse_values(["a=1", "b=2.5", "c=true", "d=10 min", "e='7'"], option="--param")
    {'a': 1, 'b': 2.5, 'c': True, 'd': '10 min', 'e': '7'}
    >>> parse_values(['l=[1, "x", null]'], option="--param")
    {'l': [1, 'x', None]}
    """
    values: dict[str, ParameterValue] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.strip():
            raise ConfigError(f"{option} '{pair}' is not NAME=VALUE")
        is_list = text.strip().startswith("[")
        values[name.strip()] = _list(text, option) if is_list else _value(text)
    return values


def _list(text: str, option: str) -> list[OneValue]:
    """Return a list for IN, written as JSON."""
    try:
        found = json.loads(text, parse_float=lambda each: to_number(Decimal(each)))
    except ValueError as error:
        raise ConfigError(
            f"{option} '{text}' is not a list in JSON: {error}",
            hint="""write '[1, 2]' or '["a", "b"]', in quotes for the shell; a text that begins """
            "with [ has quotes of its own",
        ) from None
    values: list[OneValue] = []
    for each in found:
        if isinstance(each, list | dict):
            raise ConfigError(f"{option} '{text}': a list has numbers, strings, true, false, null")
        values.append(each)
    return values


def _value(text: str) -> ParameterValue:
    if WHOLE_NUMBER.fullmatch(text):
        return int(text)
    if NUMBER.fullmatch(text):
        return to_number(Decimal(text))
    if text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if is_quoted else text


def parse_event_paths(arguments: Sequence[str]) -> list[str] | dict[str, list[str]]:
    """Return the paths, by event type if they are given as TYPE=path.

    >>> parse_event_paths(["A=a.csv", "B=b1.csv", "B=b2.csv"])
    {'A': ['a.csv'], 'B': ['b1.csv', 'b2.csv']}
    """
    by_type: dict[str, list[str]] = {}
    plain: list[str] = []
    for argument in arguments:
        found = None if Path(argument).exists() else TYPED_PATH.fullmatch(argument)
        if found is None:
            plain.append(argument)
        else:
            by_type.setdefault(found["type"], []).append(found["path"])
    if plain and by_type:
        raise ConfigError(
            f"'{plain[0]}' has no event type, but other files have",
            hint="give every file as TYPE=path, or none",
        )
    return by_type or plain
