"""Random queries and events whose types tempt an engine to round, or to read times elsewhere."""

from __future__ import annotations

import datetime
import itertools
import math
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
from hypothesis import assume
from hypothesis import strategies as st

from tests.properties.queries import (
    TYPES,
    Case,
    count_positions,
    name_events,
    negated_patterns,
    opening,
    patterns,
)

ZONES = ("UTC", "America/New_York", "Asia/Kolkata")
LARGE = 2**53
INTEGERS = (LARGE - 1, LARGE, LARGE + 1, LARGE + 2, 2, 3, -(2**63), 2**63 - 1)
FRACTIONS = ("9007199254740992.5", "9007199254740993.0", "9007199254740993.5", "2.5", "1e30")
PRICES = ("1234567890123456.10", "1234567890123456.11", "1234567890123456.12", "0.10", "-0.10")
FINE = ("1234567890123456.105", "1234567890123456.1", "0.1", "0.100000000000000001", "3")
UNSIGNED = (LARGE + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1, 0, 3)
FLOATS = (math.nan, 0.0, -0.0, 0.1, 2.0, float(LARGE), math.inf)
WALLS = tuple(
    datetime.datetime.fromisoformat(each)
    for each in (
        "2024-03-10T01:30:00",
        "2024-03-10T02:30:00",  # does not exist in New York
        "2024-03-10T03:30:00",
        "2024-11-03T01:30:00",  # exists there twice
        "2024-11-03T02:30:00",
    )
)
TEXTS = ("Ab/c", "ab", "b/", "", "ü")
TAGS = ([], ["ab"], ["b/", None], ["ab", "Ab/c"])
DEVICES = ({"os": "ab", "v": 1}, {"os": None, "v": 2}, {"os": "ü", "v": None})
LABELS = ([], [("c", 1)], [("c", None), ("d", 2)], [("c", 2)])
FUNCTIONS = st.sampled_from((
    "lower({0}.s) = {1}.s", "length({0}.s) > length({1}.s)", "{0}.s LIKE 'a%'",
    "{0}.s NOT ILIKE '%B%'", "replace({0}.s, 'b', '') != {1}.s", "{0}.s || 'c' > {1}.s",
    "split_part({0}.s, '/', 2) = ''", "substr({0}.s, -2) <= {1}.s", "contains({0}.s, 'b')",
    "hour({0}.at) != 1", "date_trunc('hour', {0}.at) < {1}.at", "{0}.at + 90 minutes > {1}.at",
    "date_trunc('day', {0}.at) = {1}.at", "date_trunc('week', {0}.wall) < {1}.wall",
    "CAST({0}.at AS DATE) = CAST({1}.wall AS DATE)", "{0}.wall - 1 hour <= {1}.wall",
    "day_of_year({0}.wall) > 90", "epoch({0}.at) < epoch({1}.at)", "{1}.at - {0}.at < 1 hour",
    "size({0}.tags) > 0", "contains({0}.tags, 'ab')", "contains({0}.tags, {0}.s)",
    "{0}.device.os = {1}.s", "{0}.device.v < {1}.k", "{0}.labels['c'] = {1}.k",
    "coalesce({0}.labels['d'], size({0}.tags)) = 2", "{0}.device.os IS NULL",
    "CAST({0}.x AS DECIMAL(20, 1)) = {1}.f", "CAST({0}.f AS DECIMAL(18, 2)) >= {1}.p",
    "CAST({0}.y AS DECIMAL(3, 2)) < {1}.y", "CAST('0' || {0}.s AS DECIMAL(3, 1)) IS NULL",
    "CAST({0}.y AS STRING) > {1}.s", "CAST({0}.p AS STRING) LIKE '%.10'", "CAST({0}.y AS BOOLEAN)",
    "CAST({0}.at AS STRING) = CAST({1}.wall AS STRING)", "CAST({0}.at AS TIMESTAMP) < {1}.wall",
    "CAST({1}.at - {0}.at AS INT) > 3600", "NOT CAST({0}.p AS BOOLEAN)",
    "CAST({1}.wall - {0}.wall AS DOUBLE) / 60 > 30",
    "{0}.type || {0}.s LIKE '%' || {0}.s", "{0}.s ILIKE substr({0}.s, {0}.k) || '%'",
    "{0}.device.os || 'x' RLIKE {0}.s", "substr({0}.s, {0}.device.v, {0}.k) = {1}.s",
    "split_part({0}.s, substr({0}.s, 2, 1), {0}.k) < {1}.s", "trim({0}.s, {0}.type || 'A') != ''",
    "replace({0}.s, {0}.device.os, {0}.type) > {1}.s",
))  # fmt: skip
OF_TWO = st.sampled_from((
    "{}.p + {}.f", "{}.p * {}.p", "{}.u - {}.u", "greatest({}.at, {}.at)", "{}.u + {}.x",
    "CAST({}.k + {}.k AS STRING)", "coalesce({}.p, {}.x)", "least({}.wall, {}.wall)",
    "abs({}.p - {}.p)", "round({}.p - {}.f, 1)",
    "CASE WHEN {0}.p < {1}.p THEN {0}.p ELSE {1}.f END",
    "length(CAST({}.x AS STRING) || CAST({}.u AS STRING))",
    "CAST({}.p + {}.f AS STRING)", "-({}.p + {}.p) % 0.3",
))  # fmt: skip
DECIMALS = (*PRICES, "{0}.p", "{1}.f", "{0}.u", "{1}.y", "least({0}.p, {1}.f)")
TIMES = ("{0}.wall", "{1}.wall", "'2024-03-10 02:30:00'", "coalesce({1}.wall, {0}.wall)")
INSTANTS = ("{0}.at", "{1}.at", "'2024-11-03 01:30:00-05:00'", "greatest({0}.at, {1}.at)")
CHOSEN = st.sampled_from((
    ("coalesce({}.p, {}.p)", DECIMALS), ("greatest({}.p, {}.f)", DECIMALS),
    ("least({}.u, {}.u)", DECIMALS), ("coalesce({}.u, {}.x, 3)", DECIMALS),
    ("CASE WHEN {0}.x < {1}.x THEN {0}.p ELSE {1}.f END", DECIMALS),
    ("-coalesce({}.p, {}.f)", DECIMALS), ("nullif({}.p, {}.f)", DECIMALS),
    ("greatest({}.wall, {}.wall)", TIMES), ("coalesce({}.wall, {}.wall)", TIMES),
    ("coalesce({}.at, {}.at)", INSTANTS), ("nullif({}.at, {}.at)", INSTANTS),
    ("CASE WHEN {0}.k = 1 THEN {0}.at ELSE {1}.at END", INSTANTS),
))  # fmt: skip
NUMBERS = {
    "x": FRACTIONS, "u": ("9223372036854775807.5", "9223372036854775808", "18446744073709551616"),
    "p": (*PRICES, "1234567890123456.105"), "f": (*FINE, "0.15"), "y": FINE,
}  # fmt: skip


def schema_in(zone: str) -> pa.Schema:
    """Return the types: integers, decimals of two kinds, floats, times with and without a zone."""
    return pa.schema(
        [
            ("type", pa.string()),
            ("time", pa.int64()),
            ("seq", pa.int64()),
            ("k", pa.int64()),
            ("x", pa.int64()),
            ("u", pa.uint64()),
            ("p", pa.decimal128(18, 2)),
            ("f", pa.decimal128(38, 18)),
            ("y", pa.float64()),
            ("at", pa.timestamp("us", zone)),
            ("wall", pa.timestamp("us")),
            ("s", pa.string()),
            ("tags", pa.list_(pa.string())),
            ("device", pa.struct([("os", pa.string()), ("v", pa.int64())])),
            ("labels", pa.map_(pa.string(), pa.int64())),
        ]
    )


@st.composite
def typed_streams(draw: st.DrawFn, zone: str) -> list[dict[str, Any]]:
    """Events of which many agree in all digits that a float has."""
    local = [each.replace(tzinfo=ZoneInfo(zone), fold=fold) for each in WALLS for fold in (0, 1)]
    instants = [each.astimezone(datetime.UTC) for each in local]  # of what clocks do show
    instants = [each.astimezone(ZoneInfo(zone)) for each in instants]
    event = st.fixed_dictionaries(
        {
            "type": st.sampled_from(TYPES),
            "time": st.integers(0, 5),
            "seq": st.integers(0, 2),
            "k": st.sampled_from((1, 2)),
            "x": st.sampled_from((*INTEGERS, None)),
            "u": st.sampled_from((*UNSIGNED, None)),
            "p": st.sampled_from((*map(Decimal, PRICES), None)),
            "f": st.sampled_from((*map(Decimal, FINE), None)),
            "y": st.sampled_from((*FLOATS, None)),
            "at": st.sampled_from((*instants, None)),
            "wall": st.sampled_from((*WALLS, None)),
            "s": st.sampled_from((*TEXTS, None)),
            "tags": st.sampled_from((*TAGS, None)),
            "device": st.sampled_from((*DEVICES, None)),
            "labels": st.sampled_from((*LABELS, None)),
        }
    )
    return draw(st.lists(event, min_size=2, max_size=6))


@st.composite
def typed_conditions(draw: st.DrawFn, names: dict[str, bool]) -> str:
    """A comparison of events with each other, with a literal, or of what is computed from one."""
    name, other = (draw(st.sampled_from(list(names))) for _ in range(2))
    operator = draw(st.sampled_from(("=", "!=", "<", "<=", ">", ">=")))
    forms = (*["numbers", "literal", "functions"] * 2, "times", "time", "chosen")
    form = draw(st.sampled_from(forms))
    if form == "functions":
        return draw(FUNCTIONS).format(name, other)
    if form == "chosen":
        value, compared = draw(CHOSEN)
        known = [each for each in names if not names[each]] or [name]
        pair = [draw(st.sampled_from(known)) for _ in range(2)]
        return f"{value.format(*pair)} {operator} {draw(st.sampled_from(compared)).format(*pair)}"
    if form == "times":
        column = draw(st.sampled_from(("at", "wall")))
        return f"{name}.{column} {operator} {other}.{column}"
    if form == "time":
        column = draw(st.sampled_from(("at", "wall")))
        moment = draw(st.sampled_from(WALLS)).isoformat(sep=draw(st.sampled_from((" ", "T"))))
        zone = draw(st.sampled_from(("", "", "-05:00"))) if column == "at" else ""
        return f"{name}.{column} {operator} '{moment}{zone}'"
    column = draw(st.sampled_from(tuple(NUMBERS)))
    value = draw(values_of_one(name, column, is_array=names[name]))
    if form == "literal":
        return f"{value} {operator} {draw(st.sampled_from(NUMBERS[column]))}"
    if form == "numbers" and draw(st.integers(0, 3)) == 0:
        sign, literal = (
            draw(st.sampled_from("+-")),
            draw(st.sampled_from(("0.01", "0.02", "0", "1"))),
        )
        first = draw(st.sampled_from("pu"))
        return f"{name}.{first} {sign} {other}.{draw(st.sampled_from('pfxu'))} {operator} {literal}"
    second = draw(st.sampled_from(("x", "p", "f", "u") if column != "y" else ("y", "u")))
    return f"{value} {operator} {draw(values_of_one(other, second, is_array=names[other]))}"


@st.composite
def values_of_one(draw: st.DrawFn, name: str, column: str, *, is_array: bool) -> str:
    """A value that one event has, or the smallest or largest of several."""
    forms = [f"{name}.{column}"] * 3
    if column == "u":
        forms += [f"abs({name}.u)", f"coalesce({name}.u, {name}.k)", f"{name}.u - 1"]
    if column in ("p", "f"):
        forms += [f"{name}.{column} * 1.05", f"{name}.p - {name}.f", f"-{name}.{column}"]
        forms += [f"{name}.{column} + {name}.k", f"{name}.{column} % 0.3"]
    if is_array:
        forms += [f"{name}[1].{column}", f"{name}[i-1].{column}", f"{name}[{name}.LEN].{column}"]
    if is_array and column != "y":
        forms += [f"min({name}[].{column})", f"max({name}[..i-1].{column})"]
    if is_array and column == "p":
        forms += [f"sum({name}[].p)", f"sum({name}[..i-1].p)"]
    return draw(st.sampled_from(forms))


@st.composite
def typed_cases(draw: st.DrawFn, zone: str, *, is_aggregate: bool = False) -> Case:
    """A query with predicates on such types, and perhaps keys that are floats or decimals."""
    names: dict[str, bool] = {}
    negated: dict[str, bool] = {}
    has_negation = draw(st.integers(0, 3)) == 0
    drawn = draw(negated_patterns() if has_negation else patterns(most_events=3))
    pattern = name_events(drawn, names, negated=negated)
    assume(names and count_positions(pattern) <= 8)
    where = [draw(typed_conditions(names)) for _ in range(draw(st.integers(1, 2)))]
    if negated and draw(st.booleans()):
        where.append(draw(typed_conditions({draw(st.sampled_from(list(negated))): False, **names})))
    if draw(st.booleans()):
        where.append(f"[{draw(st.sampled_from(('y', 'p', 'f', 'k', 'u')))}]")
    elif draw(st.booleans()):
        key = draw(st.sampled_from(("y", "p", "f", "at", "u")))
        every = [*names, *negated]
        where += [f"{one}.{key} = {two}.{key}" for one, two in itertools.pairwise(every)]
    clauses = draw(opening(pattern, where))
    length = draw(st.integers(1, 6))
    clauses.append(f"WITHIN {length}")
    if is_aggregate:
        clauses[-1] += f" SLIDE {draw(st.integers(1, length))}"
        group = draw(st.sampled_from(("", "p", "y")))
        listed = f"{group}, " if group else ""
        name = draw(st.sampled_from(list(names)))
        more = f"SUM({name}.p) AS total, AVG({name}.p) AS mean"
        clauses.append(
            f"RETURN {listed}COUNT(*) AS n, MIN({name}.f) AS low, MAX({name}.u) AS high, {more}"
        )
        clauses += [f"GROUP BY {group}"] if group else []
        return Case("\n".join(clauses), draw(typed_streams(zone)), ())
    shown = st.sampled_from(("x", "p", "f", "y", "u"))
    columns = [f"{name}.{draw(shown)} AS c{name}" for name in names]
    some = draw(st.sampled_from(list(names)))
    array_forms = st.sampled_from(
        ("max({}[].p)", "sum({}[].p)", "min({}[].u)", "{}[1].u", "sum({0}[].p) * 2 + {0}[1].f",
         "sum({}[].p % 0.3)")
    )  # fmt: skip
    of_one = st.sampled_from(("{}.p * 1.5", "{}.u * 2", "coalesce({}.u, 0)"))
    form = draw(array_forms) if names[some] else draw(of_one)
    columns.append(f"{form.format(some)} AS computed")
    ones = [name for name in names if not names[name]]
    if len(ones) > 1:
        pair = draw(st.permutations(ones))[:2]
        columns += [f"{draw(OF_TWO).format(*pair)} AS {each}" for each in ("both", "again")]
    clauses.append(f"RETURN {', '.join(columns)}")
    return Case("\n".join(clauses), draw(typed_streams(zone)), ())
