"""The types of attributes, as far as predicates tell them apart."""

from __future__ import annotations

from enum import StrEnum


class AttributeType(StrEnum):
    """The types that predicates tell apart."""

    INTEGER = "integer"
    FLOAT = "float"
    DECIMAL = "decimal"
    STRING = "string"
    BOOLEAN = "boolean"
    TIMESTAMP = "timestamp"
    ZONED = "timestamp with zone"
    DATE = "date"
    DURATION = "duration"
    STRUCT = "struct"
    MAP = "map"
    ARRAY = "array"
    BINARY = "binary"
    NULL = "null"
    UNKNOWN = "unknown"
    OTHER = "other"

    @property
    def is_numeric(self) -> bool:
        """Whether arithmetic applies."""
        return self in NUMERIC

    @property
    def is_exact(self) -> bool:
        """Whether values are compared digit by digit, with a literal that has all its digits."""
        return self in (AttributeType.INTEGER, AttributeType.DECIMAL)

    @property
    def phrase(self) -> str:
        """The type in a sentence: "an integer"."""
        if self is AttributeType.OTHER:
            return "a value without order or arithmetic"
        return f"an {self.value}" if self.value[0] in "ai" else f"a {self.value}"


NUMERIC = frozenset(
    (
        AttributeType.INTEGER,
        AttributeType.FLOAT,
        AttributeType.DECIMAL,
        AttributeType.UNKNOWN,
    )
)
TEMPORAL = frozenset((AttributeType.TIMESTAMP, AttributeType.ZONED, AttributeType.DATE))


def attribute_type(name: str) -> AttributeType:
    """Return the type for a word such as `int`, `double`, `string`, `timestamp`."""
    words = {
        "int": AttributeType.INTEGER,
        "bigint": AttributeType.INTEGER,
        "double": AttributeType.FLOAT,
        "str": AttributeType.STRING,
        "text": AttributeType.STRING,
        "bool": AttributeType.BOOLEAN,
    }
    return words[name] if name in words else AttributeType(name)
