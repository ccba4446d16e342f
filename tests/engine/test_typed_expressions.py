"""Expressions over every type, of one event and of several: the same in WHERE and in RETURN."""

import datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from tests.oracle import bind, evaluate

NOON = datetime.datetime(2024, 2, 29, 12)
MINUTE = datetime.timedelta(minutes=1)
EVENTS = pa.table(
    {
        "id": [1, 2, 3, 4],
        "kind": ["A", "A", "B", "B"],
        "n": pa.array([1, 2, 3, None], pa.int64()),
        "d": pa.array([Decimal("0.10"), Decimal("0.20"), Decimal("9.00"), None],
                      pa.decimal128(10, 2)),
        "c": pa.array([Decimal("9.99"), Decimal("-9.99"), Decimal("0.05"), None],
                      pa.decimal128(3, 2)),
        "t": pa.array([NOON, NOON + 2 * MINUTE, NOON + 3 * MINUTE, None], pa.timestamp("us")),
        "s": ["x", "x", "y", None],
        "b": [True, False, True, None],
    }
)  # fmt: skip


def decimals(*texts: str | None) -> list[Decimal | None]:
    return [None if each is None else Decimal(each) for each in texts]


def of_each(expression: str) -> list[Any]:
    query = f"PATTERN ANY(A, B) x RETURN x.id, {expression} AS value"
    rows = cepheid.query(query).run(EVENTS, time="id", type="kind").to_pylist()
    return [row["value"] for row in sorted(rows, key=lambda row: row["x_id"])]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("coalesce(x.d, 0)", decimals("0.10", "0.20", "9.00", "0.00")),
        ("greatest(x.d, 1)", decimals("1.00", "1.00", "9.00", "1.00")),
        ("CASE WHEN x.n = 1 THEN x.d ELSE 0 END", decimals("0.10", "0.00", "0.00", "0.00")),
        ("coalesce(x.d, x.n)", decimals("0.10", "0.20", "9.00", None)),
        ("coalesce(x.d, x.c)", decimals("0.10", "0.20", "9.00", None)),
        ("least(x.d, x.c, 5)", decimals("0.10", "-9.99", "0.05", "5.00")),
    ],
)
def test_one_of_decimals_and_integers(expression: str, expected: list[Decimal | None]) -> None:
    assert of_each(expression) == expected


def test_one_of_decimals_in_aggregates() -> None:
    text = "PATTERN ANY(A, B) x RETURN SUM(coalesce(x.d, 0)) AS s, SUM(x.d) AS t HAVING s > 9"
    rows = cepheid.query(text).run(EVENTS, time="id", type="kind").to_pylist()
    assert rows == [{"s": Decimal("9.30"), "t": Decimal("9.30")}]


PAIR = "SEQ(A a, B b)"  # rows: a2 b3, a1 b3, a2 b4, a1 b4
BLOCK = "SEQ(A+ a, B b)"


def of_matches(pattern: str, expression: str) -> dict[tuple[Any, ...], Any]:
    text = f"PATTERN {pattern} RETURN a.id AS a, b.id AS b, {expression} AS value"
    rows = cepheid.query(text).run(EVENTS, time="id", type="kind").to_pylist()
    return {_ids(row): row["value"] for row in rows}


def kept(pattern: str, condition: str) -> set[tuple[Any, ...]]:
    text = f"PATTERN {pattern} WHERE {condition} RETURN a.id AS a, b.id AS b"
    rows = cepheid.query(text).run(EVENTS, time="id", type="kind").to_pylist()
    return {_ids(row) for row in rows}


def _ids(row: dict[str, Any]) -> tuple[Any, ...]:
    ids = row["a"] if isinstance(row["a"], list) else [row["a"]]
    return (*ids, row["b"])


@pytest.mark.parametrize(
    ("condition", "with_two", "alone"),  # of a1 a2 b3, and of a2 b3
    [
        ("count(a[].d) = 1", False, True),
        ("count(a[].d) = 2", True, False),
        ("count(a[].d) > 1", True, False),
        ("count(DISTINCT a[].d) = 2", True, False),
        ("1 < count(DISTINCT a[].d)", True, False),
        ("a[2].t - a[1].t > 1 minute", True, None),
        ("b.t - a[2].t = 1 minute", True, None),
        ("max(a[].t) - min(a[].t) = 2 minutes", True, False),
        ("max(a[].d) - min(a[].d) = 0.10", True, False),
        ("(max(a[].d) - min(a[].d) = 0.10) = TRUE", True, False),
        ("b.d - a[2].d = 8.80", True, None),
        ("a[2].d * 2 = 0.4", True, None),
        ("a[2].d = 0.20", True, None),
        ("abs(b.d - a[1].d) > 8.85", True, False),
        ("sign(max(a[].d) - 9) = -1", True, True),
        ("coalesce(nth(a[].d, 2), 0.5) = 0.5", False, True),
        ("CASE WHEN b.d - a[1].d = 8.90 THEN 1 ELSE 2 END = 1", True, False),
        ("sum(a[].n) IS DISTINCT FROM 3", False, True),
        ("sum(a[].n) IS NOT DISTINCT FROM 3", True, False),
        ("NOT (sum(a[].n) IS DISTINCT FROM 3)", True, False),
        ("a[1].s IS DISTINCT FROM a[2].s", False, True),
    ],
)
def test_of_a_block(condition: str, with_two: bool, alone: bool | None) -> None:
    values = of_matches(BLOCK, condition)
    assert (values[1, 2, 3], values[2, 3]) == (with_two, alone)
    found = kept(BLOCK, condition)
    assert ((1, 2, 3) in found, (2, 3) in found) == (with_two, alone is True)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("CASE WHEN a.n = 1 THEN 3 minutes ELSE 5 minutes END > b.t - a.t", [False, True, None]),
        ("coalesce(b.t - a.t, 9 minutes) < 2 minutes", [False, True, False]),
        ("(a.n = b.n) IS NULL", [False, False, True]),
        ("(a.n = b.n) IS NOT NULL", [True, True, False]),
        ("(a.n < b.n AND a.s = b.s) = FALSE", [True, True, None]),
        ("TRUE IN (a.n < b.n, b.b)", [True, True, None]),
        ("FALSE NOT IN (a.n < b.n, b.b)", [True, True, None]),
        ("nullif(a.n < b.n, b.b) IS NULL", [True, True, True]),
        ("(a.n IS DISTINCT FROM b.n) = (a.s IS NOT DISTINCT FROM b.s)", [False, False, False]),
    ],
)
def test_of_two_events(condition: str, expected: list[bool | None]) -> None:
    pairs = [(1, 3), (2, 3), (2, 4)]
    values = of_matches(PAIR, condition)
    assert [values[each] for each in pairs] == expected
    found = kept(PAIR, condition)
    assert [each in found for each in pairs] == [each is True for each in expected]


def test_neighbours_that_are_distinct() -> None:
    assert (1, 2, 3) not in kept(BLOCK, "a[i].s IS DISTINCT FROM a[i-1].s")
    assert (1, 2, 3) in kept(BLOCK, "a[i].s IS NOT DISTINCT FROM a[i-1].s")


def test_what_reads_two_events_is_no_group() -> None:
    with pytest.raises(cepheid.QueryError, match=r"'a\.n = b\.n' in GROUP BY reads events of"):
        cepheid.query(f"PATTERN {PAIR} RETURN COUNT(*) AS n GROUP BY a.n = b.n").run(
            EVENTS, time="id", type="kind"
        )


@pytest.mark.parametrize(
    "pattern",
    ["a++", "(?>a)", r"\Z", "(?x)", r"\u0031", "a{1001}", "(?=a)", r"(a)\1", "a(", "[b-a]", "*a"],
)
def test_patterns_that_re2_does_not_know(pattern: str) -> None:
    for text in (f"x.s RLIKE '{pattern}'", f"regexp_extract(x.s, '{pattern}') = 'a'"):
        with pytest.raises(cepheid.QueryError, match="RE2"):
            of_each(text)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"\Qx\E", [True, True, False, None]),
        ("(?-i)x", [True, True, False, None]),
        ("(?U)x+", [True, True, False, None]),
        (r"\x{78}", [True, True, False, None]),
        ("(?i)X", [True, True, False, None]),
        ("^(?i)Y$", [False, False, True, None]),
        (r"\pL", [True, True, True, None]),
        (r"[[:alpha:]]\z", [True, True, True, None]),
    ],
)
def test_patterns_that_re2_knows(pattern: str, expected: list[bool | None]) -> None:
    assert of_each(f"x.s RLIKE '{pattern}'") == expected
    found = of_each(f"regexp_extract(x.s, '{pattern}') != ''")
    assert found == expected


def test_quoted_parentheses_are_no_group() -> None:
    assert of_each(r"regexp_extract('f(x)y', '\Q(x)\E(y)', 1)")[0] == "y"


@pytest.mark.parametrize(
    "expression", ["size(NULL)", "CAST(NULL AS DATE)", "CAST(NULL AS TIMESTAMP)", "year(NULL)"]
)
def test_functions_of_null(expression: str) -> None:
    assert of_each(expression) == [None] * 4


FAR = ("coalesce(x.t + 106751000 days, x.t)", "x.t + 9999999 days > x.t", "x.t - 1h 30min")


def test_times_beyond_64_bits_are_null() -> None:
    times = [*EVENTS.column("t").to_pylist()]
    assert of_each(FAR[0]) == times
    assert of_each(FAR[1]) == [True, True, True, None]
    fine = EVENTS.set_column(5, "t", EVENTS.column("t").cast(pa.timestamp("ns")))
    text = "PATTERN ANY(A, B) x WHERE x.t + 100000 days IS NULL AND x.t + 1 day > x.t RETURN x.id"
    rows = cepheid.query(text).run(fine, time="id", type="kind").to_pylist()
    assert rows == [{"x_id": each} for each in (1, 2, 3)]
    days = cepheid.query("PATTERN A x RETURN CAST(x.t AS DATE) + 106751000 days IS NULL AS far")
    assert days.run(EVENTS, time="id", type="kind").to_pylist() == [{"far": True}] * 2


CASTS = [
    ("CAST(x.d AS STRING)", ["0.10", "0.20", "9.00", None]),
    ("CAST(x.d * 0.0000001 AS STRING)", ["0.000000010", "0.000000020", "0.000000900", None]),
    ("CAST(x.n / 4 AS STRING)", ["0.25", "0.5", "0.75", None]),
    ("CAST(x.n * 1e16 AS STRING) || x.s", ["1e+16x", "2e+16x", "3e+16y", None]),
    ("CAST(sqrt(x.n) * CAST('nan' || x.s AS DOUBLE) AS STRING) IS NULL", [True] * 4),
    ("CAST(x.t AS STRING)", [f"2024-02-29 12:0{each}:00" for each in (0, 2, 3)] + [None]),
    ("CAST(x.t + 120 ms AS STRING) LIKE '%.12'", [True, True, True, None]),
    ("CAST(x.n / 2 - 1 AS BOOLEAN)", [True, False, True, None]),
    ("CAST(x.c - 9.99 AS BOOLEAN)", [False, True, True, None]),
    ("CAST(x.t - TIMESTAMP '2024-02-29 12:00:01.5' AS INT)", [-1, 118, 178, None]),
    ("CAST(x.t - TIMESTAMP '2024-02-29 12:00:01.5' AS DOUBLE)", [-1.5, 118.5, 178.5, None]),
    ("CAST(x.n AS STRING) RLIKE '1'", [True, False, False, None]),
]


OF_COLUMNS = [
    ("x.s || 'z' LIKE x.s || '_'", [True, True, True, None]),
    ("x.s ILIKE upper(x.s) || '%'", [True, True, True, None]),
    ("x.s LIKE CAST(x.n AS STRING)", [False, False, False, None]),
    ("x.s RLIKE CASE WHEN x.n = 1 THEN '(' ELSE '^' || x.s END", [None, True, True, None]),
    ("substr('Cepheid', x.n)", ["Cepheid", "epheid", "pheid", None]),
    ("substr('Cepheid', x.n - 2, x.n + 1)", ["d", None, "Ceph", None]),
    ("substr('Cepheid', 1, 1 - x.n)", ["", None, None, None]),
    ("split_part('x-y-z', '-', x.n - 1)", [None, "x", "y", None]),
    ("split_part('axbyc', x.s, 2)", ["byc", "byc", "c", None]),
    ("replace('x-y', x.s, CAST(x.n AS STRING))", ["1-y", "2-y", "x-3", None]),
    ("trim('xxyx', x.s)", ["y", "y", "xxyx", None]),
]


@pytest.mark.parametrize(("expression", "expected"), OF_COLUMNS)
def test_arguments_that_are_columns(expression: str, expected: list[object]) -> None:
    assert of_each(expression) == expected
    text = f"PATTERN ANY(A, B) x RETURN x.id AS id, {expression} AS value"
    bound = bind(text, event_schema(EVENTS.schema, ColumnRoles("id", "kind")))
    told = {row["id"]: row["value"] for row in evaluate(bound, EVENTS.to_pylist())}
    assert told == dict(enumerate(expected, 1))


@pytest.mark.parametrize(("expression", "expected"), CASTS)
def test_casts(expression: str, expected: list[object]) -> None:
    assert of_each(expression) == expected


def test_casts_of_times_with_a_zone() -> None:
    """As clocks in the zone of the column show them."""
    noon = pa.array([NOON], pa.timestamp("ms", "Asia/Kolkata"))
    text = "PATTERN A a RETURN CAST(a.t AS STRING) AS s, CAST(a.t AS TIMESTAMP) AS t"
    (row,) = cepheid.query(text).run(pa.table({"id": [1], "t": noon}), time="id").to_pylist()
    assert row == {"s": "2024-02-29 17:30:00", "t": NOON + 330 * MINUTE}


def test_a_sum_that_is_stored_as_a_float_is_spelled() -> None:
    text = ("PATTERN SEQ(A+ a, B b) RETURN CAST(SUM(a.d) AS STRING) AS s, "
            "CAST(COUNT(*) AS STRING) AS n, CAST(AVG(a.n) AS STRING) AS mean")  # fmt: skip
    (row,) = cepheid.query(text).run(EVENTS, time="id", type="kind").to_pylist()
    assert row == {"s": "1.2", "n": "6", "mean": "1.5"}


@pytest.mark.parametrize("clause", ["RETURN {} AS n", "WHERE {} = 1"])
def test_arrays_are_not_told_apart(clause: str) -> None:
    events = EVENTS.append_column("l", pa.array([[1], [2], None, None], pa.list_(pa.int64())))
    text = f"PATTERN {BLOCK} {clause.format('count(DISTINCT a[].l)')}"
    with pytest.raises(cepheid.QueryError, match=r"does not take 'a\[].l', which is an array"):
        cepheid.query(text).run(events, time="id", type="kind")


@pytest.mark.parametrize(
    ("expression", "expected", "kind"),  # the type is Spark's
    [
        ("ceil(x.c)", ["10", "-9", "1", None], (2, 0)),
        ("floor(x.c)", ["9", "-10", "0", None], (2, 0)),
        ("round(x.c)", ["10", "-10", "0", None], (2, 0)),
        ("round(x.c, 1)", ["10.0", "-10.0", "0.1", None], (3, 1)),
        ("round(x.c, 7)", ["9.99", "-9.99", "0.05", None], (4, 2)),
        ("ceil(x.d)", ["1", "1", "9", None], (9, 0)),
        ("round(x.d, 1)", ["0.1", "0.2", "9.0", None], (10, 1)),
        ("floor(x.d * 10)", ["1", "2", "90", None], (38, 0)),
        ("round(-x.d, 0)", ["0", "0", "-9", None], (38, 0)),
        ("ceil(x.huge)", [None, "1", None, None], (38, 0)),
    ],
)
def test_rounded_decimals(
    expression: str, expected: list[str | None], kind: tuple[int, int]
) -> None:
    huge = pa.array(decimals("9" * 37 + ".9", "0.1", None, None), pa.decimal128(38, 1))
    events = EVENTS.append_column("huge", huge)
    query = f"PATTERN ANY(A, B) x RETURN x.id, {expression} AS value"
    table = cepheid.query(query).run(events, time="id", type="kind").sort_by("x_id")
    assert table.schema.field("value").type == pa.decimal128(*kind)
    if "huge" in expression:
        expected[0] = "1" + "0" * 37
    assert table.column("value").to_pylist() == decimals(*expected)


EITHER = "SEQ(A a, (B b OR A c))"
OF_UNBOUND = [  # of a1 b3, of a1 b4 whose b is NULL everywhere, and of a1 c2
    ("coalesce(b.n, c.n)", [3, None, 2]),
    ("c.n IS NULL", [True, True, False]),
    ("b.n IS NULL", [False, True, True]),
    ("CASE WHEN c.n IS NULL THEN 'none' ELSE c.s END", ["none", "none", "x"]),
    ("coalesce(c.s, b.s, '?')", ["y", "?", "x"]),
    ("coalesce(c.d, 0)", decimals("0.00", "0.00", "0.20")),
    ("a.n + coalesce(c.n, 10)", [11, 11, 3]),
    ("c.n + 1", [None, None, 3]),
    ("c.n - a.n", [None, None, 1]),
    ("CASE WHEN c.n IS NULL THEN a.s ELSE b.s END", ["x", "x", None]),
    ("(c.n IS NULL) = (b.n IS NULL)", [False, True, False]),
    ("c.n < a.n OR b.n > 2", [True, None, None]),
    ("c.t - a.t", [None, None, 120_000_000]),
    ("coalesce(c.t - a.t, 1 minute)", [60_000_000, 60_000_000, 120_000_000]),
    ("coalesce(upper(c.s), a.s)", ["x", "x", "X"]),
    ("coalesce(c.s, 'q') < a.s", [True, True, False]),
    ("coalesce(c.t, TIMESTAMP '2024-02-29 12:00')", [NOON, NOON, NOON + 2 * MINUTE]),
    ("c.n IS DISTINCT FROM b.n", [True, False, True]),
]


@pytest.mark.parametrize(("expression", "expected"), OF_UNBOUND)
def test_an_unbound_variable_is_null(expression: str, expected: list[Any]) -> None:
    text = f"PATTERN {EITHER} RETURN a.id AS a, b.id AS b, c.id AS c, {expression} AS value"
    rows = cepheid.query(text).run(EVENTS, time="id", type="kind").to_pylist()
    values = {(row["a"], row["b"], row["c"]): row["value"] for row in rows}
    assert [values[1, 3, None], values[1, 4, None], values[1, None, 2]] == expected
    bound = bind(text, event_schema(EVENTS.schema, ColumnRoles("id", "kind")))
    told = {(row["a"], row["b"], row["c"]): row["value"]
            for row in evaluate(bound, EVENTS.to_pylist())}  # fmt: skip
    assert told == values


@pytest.mark.parametrize(
    ("expression", "expected"),
    [("sum(b[].n)", None), ("count(b[]) + 1", 1), ("coalesce(sum(b[].n), a.n)", 1),
     ("sum(b[].n) IS NULL", True), ("coalesce(b[1].n, a.n)", 1), ("b[1].n + a.n", None)],
)  # fmt: skip
def test_an_unbound_array_is_empty(expression: str, expected: object) -> None:
    text = f"PATTERN SEQ(A a, B* b, A c) RETURN {expression} AS value"
    rows = cepheid.query(text).run(EVENTS, time="id", type="kind").to_pylist()
    assert rows == [{"value": expected}]


LONG = (
    " OR ".join(f"a.n + {number} = b.n - {number}" for number in range(100)),
    "a.n + (" * 90 + "b.n" + ")" * 90 + " > 100",
    "CASE " + " ".join(f"WHEN a.n * 7 + {n} = b.n THEN {n}" for n in range(80)) + " END IS NULL",
)


@pytest.mark.parametrize("condition", LONG)
def test_long_conditions_have_room(condition: str) -> None:
    """Of more than 64 references, and with more than 64 values on the stack."""
    values = of_matches(PAIR, condition)
    assert {ids for ids, value in values.items() if value is True} == kept(PAIR, condition)
    count = cepheid.query(f"PATTERN {PAIR} WHERE {condition} RETURN COUNT(*) AS n")
    (row,) = count.run(EVENTS, time="id", type="kind").to_pylist()
    assert row["n"] == sum(value is True for value in values.values())


def test_unbound_variables_in_other_outputs() -> None:
    partial = cepheid.query(
        "PATTERN SEQ(A a, B b) WITHIN 10 RETURN a.id AS a, coalesce(b.n, a.n) AS n, "
        "b.n IS NULL AS i OUTPUT PARTIAL"
    ).run(EVENTS, time="id", type="kind")
    assert partial.to_pylist() == [{"a": 1, "n": 1, "i": True}, {"a": 2, "n": 2, "i": True}]
    graph = cepheid.query(f"PATTERN {EITHER} RETURN a.id AS a, coalesce(b.n, c.n) AS n "
                          "OUTPUT COMPRESSED").run(EVENTS, time="id", type="kind")  # fmt: skip
    found = {tuple(row.values()) for row in graph.expand().to_pylist()}
    assert found == {(1, 2), (1, 3), (2, 3), (1, None), (2, None)}


def test_the_later_of_two_times_with_a_zone() -> None:
    def times(unit: str, *texts: str | None) -> pa.Array:
        plain = pa.array(
            [None if each is None else datetime.datetime.fromisoformat(each) for each in texts]
        )
        return plain.cast(pa.timestamp(unit, "Europe/Berlin"))

    events = pa.table(
        {
            "ts": [1, 2],
            "kind": ["A", "B"],
            "y": times("us", "2024-01-01T00:00", "2024-01-02T00:00"),
            "z": times("ms", "2024-01-01T05:00", None),
        }
    )
    query = cepheid.query(
        "PATTERN SEQ(A a, B b) WHERE greatest(a.y, a.z) = a.z AND least(a.y, a.z) = a.y "
        "RETURN greatest(b.y, b.z) = b.y AS is_known"
    )
    assert query.run(events, time="ts", type="kind").to_pylist() == [{"is_known": True}]


def test_hours_that_clocks_show_twice() -> None:
    """And days that begin at one o'clock, or with an hour that comes twice."""
    cases = [
        ("America/New_York", "2024-11-03T06:30", "hour", "2024-11-03T06:00"),
        ("America/New_York", "2024-11-03T05:30", "hour", "2024-11-03T05:00"),
        ("America/New_York", "2024-11-03T06:30", "day", "2024-11-03T04:00"),
        ("America/Sao_Paulo", "2018-11-04T08:00", "day", "2018-11-04T03:00"),
        ("America/Havana", "2024-11-03T08:00", "day", "2024-11-03T04:00"),
    ]
    for zone, time, unit, begun in cases:
        instants = [datetime.datetime.fromisoformat(each + "+00:00") for each in (time, begun)]
        events = pa.table({"id": [1], "t": pa.array(instants[:1], pa.timestamp("us", zone))})
        query = cepheid.query(f"PATTERN A a RETURN date_trunc('{unit}', a.t) AS t")
        found = query.run(events, time="id").column("t").cast(pa.timestamp("us", "UTC"))
        assert found.to_pylist() == instants[1:], (zone, time)


def test_a_column_of_nulls_beside_decimals() -> None:
    events = pa.table(
        {"ts": [1, 2], "kind": ["A", "B"], "n": pa.nulls(2), "d": [Decimal("0.1"), Decimal("0.2")]}
    )
    for condition, rows in (("a.n >= b.d", 0), ("a.n IS NULL AND a.d < b.d", 1)):
        query = cepheid.query(f"PATTERN SEQ(A a, B b) WHERE {condition} RETURN b.d")
        assert query.run(events, time="ts", type="kind").num_rows == rows


OF_PAIR = pa.table(
    {
        "id": [1, 2],
        "kind": ["A", "B"],
        "n": pa.array([1, 2], pa.int64()),
        "s": ["x", "y"],
        "d": pa.array([Decimal("0.1"), Decimal("0.2")], pa.decimal128(10, 1)),
        "t": pa.array([NOON, NOON + MINUTE], pa.timestamp("us")),
    }
)
OF_MATCHES = (
    ("starts_with(a.s || b.s, a.s)", True), ("contains(b.s, a.s)", False),
    ("ends_with('xy', b.s)", True), ("contains(c.s, a.s)", None), ("a.s || b.s", "xy"),
    ("concat(b.s, '-', a.s)", "y-x"), ("upper(a.s || b.s)", "XY"),
    ("CAST(a.n + b.n AS STRING)", "3"), ("greatest(a.t, b.t)", NOON + MINUTE),
    ("least(a.t, b.t) + 1 minute", NOON + MINUTE), ("a.d + b.d", Decimal("0.3")),
    ("a.d * b.d", Decimal("0.02")), ("b.d - a.d", Decimal("0.1")), ("c.s || a.s", None),
    ("coalesce(c.s, a.s || b.s)", "xy"), ("CASE WHEN a.s < b.s THEN a.s || b.s END", "xy"),
    ("a.d + b.d + a.n", Decimal("1.3")), ("hour(greatest(a.t, b.t))", 12),
)  # fmt: skip


@pytest.mark.parametrize(("expression", "value"), OF_MATCHES)
def test_functions_of_several_events(expression: str, value: object) -> None:
    query = cepheid.query(f"PATTERN SEQ(A a, B b, C? c) RETURN {expression} AS v")
    assert query.run(OF_PAIR, time="id", type="kind").to_pylist() == [{"v": value}]


@pytest.mark.parametrize(
    ("condition", "count"),
    [("NULL", 0), ("NOT NULL", 0), ("a.n < b.n OR NULL", 1), ("a.n < b.n AND NULL", 0),
     ("(a.n < b.n AND NULL) IS NULL", 1), ("(a.n > b.n AND NULL) IS NULL", 0)],
)  # fmt: skip
def test_null_is_a_condition_that_never_holds(condition: str, count: int) -> None:
    events = pa.table({"t": [1, 2], "kind": ["A", "B"], "n": [1, 2]})
    query = cepheid.query(f"PATTERN SEQ(A a, B b) WHERE {condition} RETURN {condition} AS v")
    assert query.run(events, time="t", type="kind").num_rows == count
