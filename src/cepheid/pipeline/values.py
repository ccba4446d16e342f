"""The kinds of values that a pipeline's keys take."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from cepheid.analysis.infer_window import NANOSECONDS
from cepheid.connectors.parse_columns import parse_columns
from cepheid.connectors.secret_names import names_a_secret
from cepheid.errors import ConfigError, nearest
from cepheid.pipeline.secrets import has_password, is_only_a_variable
from cepheid.plan.read_duration import AMOUNT, milliseconds

BYTES = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
SECRET_PATTERN = r"^\$\{[A-Za-z_][A-Za-z0-9_]*\}$"
AVAILABLE_NOW = "available now"
JDBC = "jdbc:"
POSTGRESQL = ("postgresql://", "postgres://")
EVERY = re.compile(r"every\s+(?P<interval>.+)")


def bad_value(message: str, hint: str) -> PydanticCustomError:
    """Return an error that says what is wrong and what to write."""
    # Braces would be taken for places of the context.
    return PydanticCustomError("bad-value", "{what}", {"what": message, "hint": hint})


def _duration(text: str) -> str:
    try:
        milliseconds(text)
    except ArithmeticError:
        hint = "Spark counts in milliseconds: write 1 ms or more"
        raise bad_value(f"'{text}' is no whole number of milliseconds", hint) from None
    except ValueError:
        found = AMOUNT.fullmatch(text)
        near = None if found is None else nearest(found["unit"], NANOSECONDS)
        guess = "" if near is None else f"did you mean '{near}'? "
        hint = f"{guess}write a number and a unit, such as 10 minutes"
        raise bad_value(f"'{text}' is not a duration", hint) from None
    return text


def _watermark(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | str):
        hint = "write a duration such as 10 minutes; a whole number if the time is one"
        raise bad_value("a watermark is a duration", hint)
    if isinstance(value, int) and value < 0:
        raise bad_value("a watermark is not negative", "write 0 or more")
    return _duration(value) if isinstance(value, str) else value


def _trigger(text: str) -> str:
    found = EVERY.fullmatch(text)
    if found is not None:
        _duration(found["interval"])
    elif text != AVAILABLE_NOW:
        hint = f"write '{AVAILABLE_NOW}', or every 10 seconds"
        raise bad_value(f"'{text}' is not a trigger", hint)
    return text


def _size(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    found = AMOUNT.fullmatch(value) if isinstance(value, str) else None
    if found is None or found["unit"].casefold() not in BYTES:
        hint = f"write a number and a unit, such as 256 MB; units: {', '.join(BYTES)}"
        raise bad_value(f"'{value}' is not a size", hint)
    size = int(found["number"]) * BYTES[found["unit"].casefold()]
    if not size:
        raise bad_value("a limit of 0 bytes has room for nothing", "leave it out for no limit")
    return size


def _columns(text: str) -> str:
    try:
        parse_columns(text)
    except ConfigError as error:
        message = str(error).partition("\n")[0]
        raise bad_value(message, error.hint or "write name TYPE, name TYPE, …") from None
    return text


def _secret(text: str) -> str:
    if not is_only_a_variable(text):
        raise PydanticCustomError(
            "plain-secret",
            "a secret must not stand in the file",
            {"hint": "write ${NAME} and set the environment variable NAME"},
        )
    return text


def _settings(values: dict[str, Any]) -> dict[str, Any]:
    for key, value in values.items():
        has_variable = isinstance(value, str) and "${" in value
        is_plain = names_a_secret(key) and not has_variable
        if is_plain or has_password(str(value)):
            hint = "write ${NAME} and set the environment variable NAME"
            message = "the value of '{key}' is a secret and must not stand in the file"
            raise PydanticCustomError("plain-secret", message, {"key": key, "hint": hint})
    return values


def _address(text: str) -> str:
    if has_password(text):
        raise PydanticCustomError(
            "plain-secret",
            "the address holds a password, which must not stand in the file",
            {"hint": "leave it out, and write user: and password: ${NAME}"},
        )
    if not text.startswith("${") and not text.removeprefix(JDBC).startswith(POSTGRESQL):
        hint = "write jdbc:postgresql://host:port/database"
        raise bad_value("this is no address of PostgreSQL", hint)
    return text


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Text = Annotated[str, Field(min_length=1)]
Texts = Annotated[
    list[Text],
    Field(min_length=1),
    BeforeValidator(_listed, json_schema_input_type=str | list[str]),
]
Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]
Count = Annotated[int, Field(ge=1)]
Duration = Annotated[Text, AfterValidator(_duration)]
Watermark = Annotated[int | str, BeforeValidator(_watermark, json_schema_input_type=int | str)]
Trigger = Annotated[Text, AfterValidator(_trigger)]
Size = Annotated[int, BeforeValidator(_size, json_schema_input_type=int | str)]
Columns = Annotated[Text, AfterValidator(_columns)]
Secret = Annotated[
    Text, AfterValidator(_secret), WithJsonSchema({"type": "string", "pattern": SECRET_PATTERN})
]
Address = Annotated[Text, AfterValidator(_address)]
Setting = str | int | float | bool
Settings = Annotated[dict[Text, Setting], AfterValidator(_settings)]
