"""Random match queries over values, and at times, at the limits of 64 bits.

Floats are short multiples of powers of two, so that sums of them are exact in any order. Integers
are compared with integers, and floats with floats: rounding then plays no part.
"""

import math
from dataclasses import replace
from typing import Any

import pyarrow as pa
from hypothesis import assume
from hypothesis import strategies as st

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import BoundQuery
from tests.oracle import bind, schema_of
from tests.properties.queries import (
    Case,
    count_positions,
    name_events,
    negated_patterns,
    opening,
    patterns,
)

LIMIT = 2**63
FEW_INTEGERS = (0, 1, 2, None)
INTEGERS = (LIMIT - 1, -LIMIT, 2**62, -(2**62), 2**53, 3, -1, 0, None)
FEW_FLOATS = (0.5, 1.5, -2.0, None)
FLOATS = (math.nan, math.inf, -math.inf, 1.5, -0.25, None)
LARGE_FLOATS = (math.nan, 2.0**1023, 1.5 * 2.0**1023, 2.0**1022, -(2.0**1023), None)
SMALL_FLOATS = (5e-324, -5e-324, 1e-323, 0.0, None)
BASES = (0, LIMIT - 20, -LIMIT + 20)  # the largest and the smallest number are no times
SCHEMA = pa.schema(
    [
        ("type", pa.string()),
        ("time", pa.int64()),
        ("seq", pa.int64()),
        ("k", pa.int64()),
        ("x", pa.int64()),
        ("f", pa.float64()),
        ("n", pa.null()),
    ]
)
BLANK = {"type": "D", "time": 0, "seq": 0, "k": 0, "x": 0, "f": 0.5, "n": None}


def bound(case: Case) -> BoundQuery:
    """Bind the query as the engine does: `n` is known to be NULL throughout."""
    schema = schema_of([BLANK], order=case.order)
    known = {**schema.attributes, "n": AttributeType.NULL}
    return bind(case.text, replace(schema, attributes=known))


def table_of(case: Case) -> pa.Table:
    return pa.Table.from_pylist(list(case.events), schema=SCHEMA)


@st.composite
def extreme_streams(draw: st.DrawFn, *, base: int = 0) -> list[dict[str, Any]]:
    """Events around a time; `seq` tells them apart."""
    integers = draw(st.sampled_from((INTEGERS, INTEGERS, INTEGERS[2:], FEW_INTEGERS)))
    floats = draw(st.sampled_from((FLOATS, LARGE_FLOATS, SMALL_FLOATS, FEW_FLOATS)))
    return [
        {
            "type": draw(st.sampled_from("AAAABBC")),
            "time": base + draw(st.integers(0, 12)),
            "seq": place,
            "k": draw(st.sampled_from((1, 1, 2))),
            "x": draw(st.sampled_from(integers)),
            "f": draw(st.sampled_from(floats)),
            "n": None,
        }
        for place in range(draw(st.integers(2, 6)))
    ]


@st.composite
def values(draw: st.DrawFn, names: dict[str, bool], kind: str, *, single: bool = False) -> str:
    """An integer or a float of an event or a block, or something that is NULL throughout.

    `single` asks for what has one value in a match.
    """
    name = draw(st.sampled_from(list(names)))
    column = {"integer": "x", "float": "f", "null": "n"}[kind]
    forms = [f"{name}.{column}"]
    if names[name]:
        ranges = ("[]",) if single else ("[]", "[..i-1]")
        forms = [f"{name}[1].{column}", f"{name}[{name}.LEN].{column}"]
        forms += [] if single else [f"{name}.{column}", f"{name}[i-1].{column}"]
        for index in ranges:
            functions = {"integer": ("sum", "min", "max"), "null": ("sum", "min", "max")}
            chosen = functions.get(kind, ("sum", "avg", "min", "max"))
            forms += [f"{each}({name}{index}.{column})" for each in chosen]
            forms += [f"avg({name}{index}.x)"] * 2 if kind == "float" else []
            forms += [f"count({name}{index}.n)"] if kind == "integer" else []
    form = draw(st.sampled_from(forms))
    other = draw(st.sampled_from(("2", "-1", "-9223372036854775808"))) if kind == "integer" else "2"
    how = draw(st.sampled_from(("{}", "{}", "{}", "-{}", "{} + {o}", "{} * {o}", "{} - {o}", "%")))
    if kind == "integer" and draw(st.integers(0, 4)) == 0:
        return draw(of_one_event(name, form))
    if how == "%":
        return f"{form} % {other}" if kind == "integer" else form
    return how.replace("{o}", other).replace("{}", form)


@st.composite
def of_one_event(draw: st.DrawFn, name: str, form: str) -> str:
    """A function, CASE or aggregate of arithmetic that may leave 64 bits."""
    if form.startswith(("sum", "min", "max")):
        index = "[..i-1]" if "[..i-1]" in form else "[]"
        inner = draw(st.sampled_from(("{} * 2", "-{}", "abs({})", "coalesce({} - 1, 0)")))
        return f"{form[:3]}({inner.format(f'{name}{index}.x')})"
    functions = ("coalesce({} * 2, 0)", "abs({})", "coalesce({} - 1, {})", "abs({} + 1)",
                 "CASE WHEN {} < 5 THEN {} * 3 ELSE 0 END")  # fmt: skip
    return draw(st.sampled_from(functions)).replace("{}", form)


@st.composite
def conditions(draw: st.DrawFn, names: dict[str, bool]) -> str:
    """A comparison of values of one kind, or with NULL."""
    kind = draw(st.sampled_from(("integer", "float", "null")))
    operator = draw(st.sampled_from(("=", "!=", "<", "<=", ">", ">=")))
    left = draw(values(names, kind))
    if kind == "null":
        others = st.sampled_from(("3", "0.5", "'text'", "TRUE"))
        right = draw(others | values(names, draw(st.sampled_from(("integer", "float", "null")))))
    else:
        numbers = {"integer": ("0", "4611686018427387904"), "float": ("0.5", "8.9e307")}
        right = draw(st.sampled_from(numbers[kind]) | values(names, kind))
    atom = f"{left} {operator} {right}"
    return draw(st.sampled_from((atom, atom, f"NOT {atom}", f"({atom} OR {left} = {right})")))


@st.composite
def extreme_matches(draw: st.DrawFn, *, bases: tuple[int, ...] = BASES) -> Case:
    """A match query that shows which events it found, and what they add up to."""
    names: dict[str, bool] = {}
    negated: dict[str, bool] = {}
    has_negation = draw(st.integers(0, 2)) == 0
    drawn = draw(negated_patterns() if has_negation else patterns(most_events=3))
    pattern = name_events(drawn, names, negated=negated)
    assume(names and count_positions(pattern) <= 8)
    where = [draw(conditions(names)) for _ in range(draw(st.sampled_from((0, 1, 1, 2))))]
    clauses = draw(opening(pattern, where))
    if has_negation or draw(st.booleans()):
        clauses.append(f"WITHIN {draw(st.integers(1, 9))}")
    columns = [f"{name}.seq AS {name}" for name in names]
    columns += [f"{draw(values(names, each, single=True))} AS {each}_value"
                for each in ("integer", "float", "null") if draw(st.booleans())]  # fmt: skip
    clauses.append(f"RETURN {', '.join(columns)}")
    return Case("\n".join(clauses), draw(extreme_streams(base=draw(st.sampled_from(bases)))), ())
