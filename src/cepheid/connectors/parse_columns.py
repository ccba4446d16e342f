"""Spark's way to declare columns (`ts TIMESTAMP, user STRING`), read without Spark."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pyarrow as pa

from cepheid.errors import ConfigError, suggest

ARROW_TYPES = {
    "boolean": pa.bool_(),
    "tinyint": pa.int8(),
    "byte": pa.int8(),
    "smallint": pa.int16(),
    "short": pa.int16(),
    "int": pa.int32(),
    "integer": pa.int32(),
    "bigint": pa.int64(),
    "long": pa.int64(),
    "float": pa.float32(),
    "real": pa.float32(),
    "double": pa.float64(),
    "decimal": pa.decimal128(10, 0),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ltz": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
# Of types with parts only this much matters: nothing can be compared or added up.
OPAQUE = pa.list_(pa.null())
OPAQUE_TYPES = ("array", "struct", "map", "interval", "variant")

COLUMN = re.compile(
    r"\s*(?P<name>`(?:[^`]|``)+`|\w+)(?:\s*:\s*|\s+)(?P<type>.+?)"
    r"(?:\s+NOT\s+NULL)?(?:\s+COMMENT\s+(?:'.*'|\".*\"))?\s*",
    re.IGNORECASE | re.DOTALL,
)
PARAMETERS = re.compile(r"\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)")


def parse_columns(text: str) -> pa.Schema:
    """Return the columns of a declaration.

    >>> parse_columns("ts TIMESTAMP_NTZ, `the user` STRING NOT NULL, price DECIMAL(8, 2)").names
    ['ts', 'the user', 'price']

    Raises:
        ConfigError: it is not a list of names with types, or has a name twice.
    """
    fields: dict[str, pa.DataType] = {}
    for part in _parts(text):
        found = COLUMN.fullmatch(part)
        if found is None:
            raise ConfigError(
                f"'{part.strip()}' is not a column with its type",
                hint="write name TYPE, name TYPE, … such as ts TIMESTAMP, user STRING",
            )
        name = found["name"].strip("`").replace("``", "`")
        if name.casefold() in {each.casefold() for each in fields}:
            raise ConfigError(f"two columns are called '{name}'", hint="rename one of them")
        fields[name] = _arrow_type(name, found["type"])
    return pa.schema(list(fields.items()))


def _arrow_type(name: str, text: str) -> pa.DataType:
    word = re.split(r"[\s(<]", text, maxsplit=1)[0].casefold()
    if word in OPAQUE_TYPES:
        return OPAQUE
    if word in ("varchar", "char"):
        return pa.string()
    parameters = PARAMETERS.search(text)
    if word in ("decimal", "dec", "numeric") and parameters is not None:
        return pa.decimal128(int(parameters[1]), int(parameters[2] or 0))
    if word not in ARROW_TYPES or text.casefold().strip() != word:
        raise ConfigError(
            f"column '{name}' has the unknown type '{text.strip()}'",
            hint=suggest(text.strip(), [each.upper() for each in ARROW_TYPES], owner="Spark"),
        )
    return ARROW_TYPES[word]


def _parts(text: str) -> Iterator[str]:
    """Yield what stands between commas that are in no brackets and no quotes."""
    depth, quote, start = 0, "", 0
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "`'\"":
            quote = character
        elif character in "<(":
            depth += 1
        elif character in ">)":
            depth -= 1
        elif character == "," and depth == 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]
