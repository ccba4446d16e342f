"""Types that CAST can give, and of what."""

from __future__ import annotations

from cepheid.analysis.attribute_types import TEMPORAL, AttributeType

BOOLEAN, STRING, DECIMAL = AttributeType.BOOLEAN, AttributeType.STRING, AttributeType.DECIMAL
INTEGER, FLOAT, DURATION = AttributeType.INTEGER, AttributeType.FLOAT, AttributeType.DURATION
DATE, TIMESTAMP = AttributeType.DATE, AttributeType.TIMESTAMP
CAST_TYPES = {
    **dict.fromkeys(("INT", "INTEGER", "BIGINT", "LONG", "SMALLINT", "TINYINT"), INTEGER),
    **dict.fromkeys(("DOUBLE", "FLOAT", "REAL"), FLOAT),
    **dict.fromkeys(("STRING", "VARCHAR", "TEXT", "CHAR"), STRING),
    **dict.fromkeys(("BOOLEAN", "BOOL"), BOOLEAN),
    "DATE": DATE,
    "TIMESTAMP": TIMESTAMP,
    **dict.fromkeys(("DECIMAL", "NUMERIC"), DECIMAL),
}
CASTS = {
    INTEGER: {INTEGER, FLOAT, DECIMAL, BOOLEAN, STRING, DURATION},
    FLOAT: {INTEGER, FLOAT, DECIMAL, BOOLEAN, STRING, DURATION},
    DECIMAL: {INTEGER, FLOAT, DECIMAL, STRING},
    BOOLEAN: {BOOLEAN, INTEGER, FLOAT, DECIMAL, STRING},
    STRING: {STRING, INTEGER, FLOAT, DECIMAL, BOOLEAN, *TEMPORAL},
    DATE: {DATE, STRING, *TEMPORAL},
    TIMESTAMP: {STRING, *TEMPORAL},
}
OF_FLOATS = "of floats"  # how CAST to STRING spells; whole numbers may be stored as floats, too
MICROSECONDS_A_SECOND = 10**6


def cast_hint(found: AttributeType, wanted: AttributeType) -> str:
    """Say what can be cast to a type."""
    if found is DURATION:
        return "a length of time can be cast to INT and DOUBLE, which are its seconds"
    return f"{wanted.value} can be cast from {', '.join(sorted(CASTS[wanted]))}"
