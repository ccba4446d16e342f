"""Random conditions on one event, and rows on which engines are tempted to disagree."""

import datetime
import decimal
import math
import random
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

ZONE = "America/New_York"
FLOATS = (0.0, -0.0, 1.0, -1.5, 0.1, 2.0**53, math.inf, -math.inf, math.nan, 1e300, 5e-324)
INTEGERS = (0, 1, -1, 2, 2**31 - 1, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63))
TEXTS = ("", "a", "A", "a ", "ab", "é", "\u0000", "\uffff", "😀", "10", "9", "it's")
TIMES = tuple(
    datetime.datetime.fromisoformat(each)
    for each in (
        "1970-01-01",
        "2024-03-10T02:30:00",  # does not exist in New York
        "2024-11-03T01:30:00.000001",  # exists there twice
        "1901-01-01",
        "1899-12-31T23:59:59.999999",
        "1582-10-10",  # does not exist in the Julian calendar
        "0001-01-02",
        "9999-12-30T12:00:00",
    )
)
SMALL = tuple(each for each in INTEGERS if abs(each) < 128)
VALUES: dict[str, tuple[pa.DataType, tuple[Any, ...]]] = {
    "tiny": (pa.int8(), (*SMALL, 127, -128)),
    "short": (pa.int32(), tuple(each for each in INTEGERS if -(2**31) <= each < 2**31)),
    "long": (pa.int64(), INTEGERS),
    "more": (pa.int64(), INTEGERS),
    "single": (pa.float32(), (0.0, -0.0, 0.5, math.inf, math.nan, 3.0)),
    "double": (pa.float64(), FLOATS),
    "other": (pa.float64(), FLOATS),
    "text": (pa.string(), TEXTS),
    "word": (pa.string(), TEXTS),
    "flag": (pa.bool_(), (True, False)),
    "sign": (pa.bool_(), (True, False)),
    "zoned": (pa.timestamp("us", ZONE), TIMES),
    "since": (pa.timestamp("us", ZONE), TIMES),
    "naive": (pa.timestamp("us"), TIMES),
    "day": (pa.date32(), tuple(each.date() for each in TIMES)),
    "exact": (pa.decimal128(9, 2), (decimal.Decimal("0.10"), decimal.Decimal("-1.50"))),
    "large": (
        pa.decimal128(38, 2),
        tuple(decimal.Decimal(f"{2**60}.{each}") for each in (10, 11, 12)),
    ),
}
TYPES = ("A", "B", "C", "D", None)
GROUP = 2


def table_of_rows(count: int) -> pa.Table:
    """Rows in pairs: where a pair is a row group of a file, its statistics say much.

    The second value of a pair is often the first one again, NULL or NaN.
    """
    chosen = random.Random(7)
    columns: dict[str, pa.Array] = {
        "time": pa.array(range(count), pa.int64()),
        "type": pa.array([chosen.choice(TYPES) for _ in range(count)], pa.string()),
    }
    for name, (kind, values) in VALUES.items():
        drawn: list[Any] = []
        while len(drawn) < count:
            value = chosen.choice((*values, None))
            odd = math.nan if isinstance(value, float) else None
            drawn += [value, chosen.choice((value, None, odd, chosen.choice(values)))]
        columns[name] = pa.array(drawn[:count], kind)
    return pa.table(columns)


@dataclass(frozen=True)
class LocalCondition:
    """A condition as text, and whether Spark can test all of it."""

    text: str
    is_exact: bool


NUMBERS = tuple(repr(each) for each in (*INTEGERS, *FLOATS) if math.isfinite(each))
FRACTIONS = (f"{2**53 + 1}.0", f"{2**53}.5", f"-{2**53 + 1}.5", f"{2**60}.11", f"{2**60}.115")
OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
WHOLE, REAL = ("tiny", "short", "long", "more"), ("single", "double", "other")


@st.composite
def comparisons(draw: st.DrawFn, variable: str) -> LocalCondition:
    """Compare attributes with constants or with each other."""
    operator = draw(st.sampled_from(OPERATORS))
    forms = (numbers, numbers, decimals, texts, flags, times, columns, columns, weak)
    left, right, is_exact = draw(draw(st.sampled_from(forms))(operator))
    sides = [side.replace("@", f"{variable}.") for side in (left, right)]
    if draw(st.booleans()):
        sides.reverse()
        operator = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(operator, operator)
    negated = draw(st.integers(0, 3)) == 0
    if negated:
        operator = dict(zip(OPERATORS, ("!=", "=", ">=", ">", "<=", "<"), strict=True))[operator]
    text = f"{sides[0]} {operator} {sides[1]}"
    return LocalCondition(f"NOT {text}" if negated else text, is_exact)


Sides = tuple[str, str, bool]


@st.composite
def numbers(draw: st.DrawFn, operator: str) -> Sides:
    name, text = draw(st.sampled_from(WHOLE + REAL)), draw(st.sampled_from(NUMBERS + FRACTIONS))
    fits = abs(decimal.Decimal(text)) < 2**63
    return f"@{name}", text, operator != "!=" if name in REAL else fits


@st.composite
def decimals(draw: st.DrawFn, operator: str) -> Sides:
    name = draw(st.sampled_from(("exact", "large")))
    digits = {"exact": ("0.1", "0.105", "-1.5", "3"), "large": FRACTIONS}[name]
    return f"@{name}", draw(st.sampled_from(digits)), True


@st.composite
def texts(draw: st.DrawFn, operator: str) -> Sides:
    value = draw(st.sampled_from(TEXTS)).replace("'", "''")
    return f"@{draw(st.sampled_from(('text', 'word')))}", f"'{value}'", True


@st.composite
def flags(draw: st.DrawFn, operator: str) -> Sides:
    right = draw(st.sampled_from(("TRUE", "FALSE", "@sign")))
    return "@flag", right, operator in ("=", "!=")


@st.composite
def times(draw: st.DrawFn, operator: str) -> Sides:
    name = draw(st.sampled_from(("zoned", "naive", "day")))
    moment = draw(st.sampled_from(TIMES))
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    is_exact = moment.year >= 1901 and (name != "day" or moment == midnight)
    zone = draw(st.sampled_from(("", "Z", "+00:00")))
    return f"@{name}", f"'{moment.isoformat()}{zone}'", is_exact


@st.composite
def columns(draw: st.DrawFn, operator: str) -> Sides:
    pairs = [(one, other) for one in WHOLE + REAL for other in WHOLE + REAL]
    alike = [("text", "word"), ("zoned", "since"), ("day", "day"), ("naive", "naive")]
    left, right = draw(st.sampled_from(pairs) | st.sampled_from(alike))
    is_float = left in REAL or right in REAL
    return f"@{left}", f"@{right}", not (is_float and operator == "!=")


@st.composite
def weak(draw: st.DrawFn, operator: str) -> Sides:
    """What Spark computes otherwise."""
    left, right = draw(
        st.sampled_from(
            (
                ("@exact", "0.3e9"),
                ("@exact", "@large"),
                ("@tiny + 1", "1"),
                ("@double / @other", "1"),
                ("@long % 2", "1"),
                ("@long % @tiny", "@short"),
                ("-@double", "0"),
                ("@long", "9223372036854775808"),
                ("@double", "NULL"),
            )
        )
    )
    return left, right, False


@st.composite
def local_conditions(draw: st.DrawFn, variable: str, *, is_exact: bool) -> LocalCondition:
    """One to three comparisons with AND, OR and, unless Spark must test all of it, NOT."""
    comparison = comparisons(variable)
    if is_exact:
        comparison = comparison.filter(lambda each: each.is_exact)
    parts = draw(st.lists(comparison, min_size=1, max_size=3))
    text = parts[0].text
    for each in parts[1:]:
        text = f"({text} {draw(st.sampled_from(('AND', 'OR')))} {each.text})"
    if not is_exact and draw(st.booleans()):
        text = f"NOT ({text})"
    return LocalCondition(text, is_exact)
