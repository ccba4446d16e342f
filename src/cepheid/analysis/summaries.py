"""Functions of the events of a repeated variable in one match: `median(a[].x)`."""

from __future__ import annotations

from dataclasses import dataclass

from cepheid.analysis.attribute_types import AttributeType

FREE = (AttributeType.UNKNOWN, AttributeType.NULL)
NUMBERS = (AttributeType.INTEGER, AttributeType.FLOAT, AttributeType.DECIMAL, *FREE)
TEXTS = (AttributeType.STRING, *FREE)


@dataclass(frozen=True, slots=True)
class Summary:
    """How a function is written, the types that it takes (None: all), and the type that it gives.

    If `result` is None, that is the type of what it reads.
    """

    signature: str
    takes: tuple[AttributeType, ...] | None = None
    result: AttributeType | None = None


SUMMARIES = {
    "count_distinct": Summary("count(DISTINCT a[].x)", result=AttributeType.INTEGER),
    "stddev": Summary("stddev(a[].x)", NUMBERS, AttributeType.FLOAT),
    "median": Summary("median(a[].x)", NUMBERS, AttributeType.FLOAT),
    "string_agg": Summary("string_agg(a[].x, ', ')", TEXTS, AttributeType.STRING),
    "array": Summary("array(a[].x)"),
    "nth": Summary("nth(a[].x, 2)"),
}
WITH_OPTION = {"string_agg": str, "nth": int}
