"""What arguments of functions cannot be, beyond their types."""

from __future__ import annotations

import re

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bind_values import NESTED, comparable
from cepheid.analysis.expressions import Constant, Value
from cepheid.analysis.functions import FREE


def bad_pattern(pattern: str) -> str | None:
    """Say what RE2 does not know of a pattern; None if it is fine.

    >>> bad_pattern("a{2,3}"), bad_pattern("a++")
    (None, 'the pattern is not one of RE2: bad repetition operator: ++')
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if re.search(r"\(\?(=|!|<=|<!)", pattern):
        return "patterns are those of RE2, which does not look ahead or behind"
    if re.search(r"(?<!\\)(\\\\)*\\[1-9]", pattern):
        return "patterns are those of RE2, which has no references back to groups"
    try:
        pc.match_substring_regex(pa.scalar(""), pattern)
    except pa.ArrowInvalid as error:
        return f"the pattern is not one of RE2: {str(error).partition(': ')[2]}"
    return None


def is_element(element: AttributeType, part: AttributeType) -> bool:
    """Whether elements of arrays can equal values of a type."""
    if element is AttributeType.BINARY:
        return part is element or part in FREE
    return element not in NESTED and comparable(element, part)


def too_large(value: Value) -> str | None:
    """Return a whole number that has no column of its kind, as an error shows it.

    >>> too_large(Constant(2**63, AttributeType.INTEGER))
    '9223372036854775808'
    """
    if not isinstance(value, Constant) or value.type is not AttributeType.INTEGER:
        return None
    number = value.value
    if not isinstance(number, int) or -(2**63) <= number < 2**63:
        return None
    digits = str(number)
    return digits if len(digits) <= 40 else f"{digits[:20]}…"
