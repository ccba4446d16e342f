"""Random conditions on one event, in our words and in those of DuckDB and of Spark SQL.

Where the others mean something else, their text says so: NaN equals NaN there and is the largest
number; DuckDB rounds where a cast of ours cuts off, and has an error where we have NULL. NOT turns
a comparison of ours round, so that NaN satisfies neither `x < 1` nor `NOT x < 1`: no comparison of
floats is drawn under NOT.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

import pyarrow as pa

COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
TEXTS = (
    "",
    "a",
    "Abc",
    "abc",
    " 42 ",
    "-7",
    "1.5e3",
    "a/b/c",
    "100%",
    "x_y",
    "äÖ",
    "true",
    "ab%_c",
)
PATTERNS = ("a%", "%b%", "_b%", "%", "", "100!%", "%!_%", "A_c", "%c")
REGEXES = ("^a", "b$", "[0-9]+", "a|x", "^$", "[a-c]{2}")
CAST_INTEGER = r"\s*[+-]?[0-9]{1,18}\s*"
UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")


class Words(NamedTuple):
    """One expression three times."""

    ours: str
    duckdb: str
    spark: str


def events(seed: int = 0, count: int = 60) -> pa.Table:
    """Return rows with NULL and edge values in every column."""
    draw = random.Random(seed)

    def some(values: list[object], kind: pa.DataType) -> pa.Array:
        return pa.array([draw.choice([None, *values]) for _ in range(count)], kind)

    floats = [0.0, -0.0, 1.0, 2.5, -2.5, 0.1, 1e300, float("inf"), float("-inf"), float("nan")]
    times = [datetime.datetime(2024, 2, 29, 13, 45, 10, 500_000),
             datetime.datetime(1969, 12, 31, 23),
             datetime.datetime(2000, 1, 1), datetime.datetime(2024, 12, 30, 0, 0, 1)]  # fmt: skip
    return pa.table(
        {
            "id": pa.array(range(count), pa.int64()),
            "s": some(list(TEXTS), pa.string()),
            "t": some(list(TEXTS), pa.string()),
            "n": some([0, 1, -1, 7, 42, 2**53 + 1, -(2**53) - 1], pa.int64()),
            "m": some([0, 1, 2, 3, -7, 100], pa.int64()),
            "big": some([-(2**63), 2**63 - 1, 0, 2**53], pa.int64()),
            "f": some(list(floats), pa.float64()),
            "g": some([0.0, 1.5, -1.5, 2.675, 1e10, 3.0], pa.float64()),
            "d": some(
                [Decimal("0.000"), Decimal("12.345"), Decimal("-0.500")], pa.decimal128(9, 3)
            ),
            "b": some([True, False], pa.bool_()),
            "ts": some(list(times), pa.timestamp("us")),
            "day": some([each.date() for each in times], pa.date32()),
        }
    )


class Generator:
    """Draws expressions."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.is_negated = False

    def one_of(self, *makers: Callable[[int], Words]) -> Callable[[int], Words]:
        return self.draw.choice(makers)

    def column(self, *names: str) -> Words:
        name = self.draw.choice(names)
        return Words(f"a.{name}", name, name)

    def same(self, text: str) -> Words:
        return Words(text, text, text)

    def literal(self, values: tuple[str, ...]) -> Words:
        text = self.draw.choice(values).replace("'", "''")
        return self.same(f"'{text}'")

    # --- values -------------------------------------------------------------------------------

    def text(self, depth: int) -> Words:
        if depth <= 0 or self.draw.random() < 0.4:
            return self.column("s", "t")
        inner = self.text(depth - 1)
        digit = self.draw.randint(1, 3)
        call = self.draw.choice(("lower", "upper", "trim", "substr", "replace", "concat", "ltrim",
                                 "split_part", "coalesce", "nullif", "case", "cast"))  # fmt: skip
        match call:
            case "lower" | "upper" | "trim" | "ltrim":
                return Words(*(f"{call}({each})" for each in inner))
            case "substr":
                return Words(*(f"substr({each}, {digit}, 2)" for each in inner))
            case "replace":
                return Words(*(f"replace({each}, 'b', 'bb')" for each in inner))
            case "split_part":
                return Words(*(f"split_part({each}, '/', {digit})" for each in inner))
            case "concat":
                other = self.column("s", "t")
                return Words(*(f"({one} || {two})" for one, two in zip(inner, other, strict=True)))
            case "coalesce":
                return Words(*(f"coalesce({each}, 'none')" for each in inner))
            case "nullif":
                return Words(*(f"nullif({each}, 'abc')" for each in inner))
            case "case":
                test = self.condition(depth - 1)
                return Words(*(f"CASE WHEN {one} THEN {two} ELSE 'other' END"
                               for one, two in zip(test, inner, strict=True)))  # fmt: skip
            case _:
                name = self.draw.choice(("n", "b", "day", "d", "ts"))
                return Words(f"CAST(a.{name} AS STRING)", f"CAST({name} AS VARCHAR)",
                             f"CAST({name} AS STRING)")  # fmt: skip

    def whole(self, depth: int) -> Words:
        if depth <= 0 or self.draw.random() < 0.4:
            return self.column("n", "m")
        call = self.draw.choice(("length", "abs", "sign", "add", "mod", "least", "greatest",
                                 "part", "cast", "truncate", "case"))  # fmt: skip
        inner = self.whole(depth - 1)
        match call:
            case "length":
                return Words(*(f"length({each})" for each in self.text(depth - 1)))
            case "abs":
                return Words(*(f"abs({each})" for each in inner))
            case "sign":
                return Words(*(f"sign({each})" for each in inner))
            case "add":
                number = self.draw.randint(-3, 3)
                return Words(*(f"({each} + ({number}))" for each in inner))
            case "mod":
                other = self.column("m")
                ours = f"({inner[0]} % {other[0]})"
                pairs = zip(inner[1:], other[1:], strict=True)
                return Words(ours, *(f"({one} % nullif({two}, 0))" for one, two in pairs))
            case "least" | "greatest":
                return Words(*(f"{call}({each}, {two}, 3)" for each, two in
                               zip(inner, self.column("m"), strict=True)))  # fmt: skip
            case "part":
                part = self.draw.choice(("year", "quarter", "month", "day", "hour", "minute"))
                column = self.column("ts")
                return Words(*(f"{part}({each})" for each in column))
            case "cast":
                ours, duckdb, spark = self.text(0)
                return Words(
                    f"CAST({ours} AS INT)",
                    f"CASE WHEN regexp_full_match({duckdb}, '{CAST_INTEGER}') "
                    f"THEN TRY_CAST(trim({duckdb}) AS BIGINT) END",
                    f"CASE WHEN {spark} RLIKE '^[ ]*[+-]?[0-9]+[ ]*$' "
                    f"THEN try_cast({spark} AS bigint) END",
                )
            case "truncate":
                ours, duckdb, spark = self.column("g")
                return Words(f"CAST({ours} AS INT)", f"CAST(trunc({duckdb}) AS BIGINT)",
                             f"CAST({spark} AS bigint)")  # fmt: skip
            case _:
                test = self.condition(depth - 1)
                return Words(*(f"CASE WHEN {one} THEN {two} ELSE 0 END"
                               for one, two in zip(test, inner, strict=True)))  # fmt: skip

    def real(self, depth: int) -> Words:
        if depth <= 0 or self.draw.random() < 0.5:
            return self.column("f", "g")
        call = self.draw.choice(("abs", "floor", "ceil", "round", "sqrt", "divide", "greatest",
                                 "least", "coalesce"))  # fmt: skip
        ours, duckdb, spark = self.real(depth - 1)
        small = self.column("g")
        match call:
            case "abs":
                return Words(f"abs({ours})", f"abs({duckdb})", f"abs({spark})")
            case "floor" | "ceil":
                ours, duckdb, spark = small
                return Words(f"{call}({ours})", f"{call}({duckdb})", f"{call}({spark})")
            case "round":
                ours, duckdb, _ = small
                number = self.draw.randint(0, 2)
                text = f"round({duckdb}, {number})"
                scaled = f"(g * power(10, {number}))"  # Spark rounds the digits of a double
                spark = f"(sign({scaled}) * floor(abs({scaled}) + 0.5D)) / power(10, {number})"
                return Words(f"round({ours}, {number})", text, spark)
            case "sqrt":
                return Words(f"sqrt({ours})", f"CASE WHEN {duckdb} >= 0 THEN sqrt({duckdb}) END",
                             f"CASE WHEN {spark} >= 0 THEN sqrt({spark}) END")  # fmt: skip
            case "divide":
                return Words(f"({ours} / {small[0]})", f"({duckdb} / nullif({small[1]}, 0))",
                             f"({spark} / nullif({small[2]}, 0))")  # fmt: skip
            case "coalesce":
                return Words(f"coalesce({ours}, 1.5)", f"coalesce({duckdb}, 1.5::DOUBLE)",
                             f"coalesce({spark}, 1.5D)")  # fmt: skip
            case _:
                return Words(f"{call}({ours}, {small[0]})", f"{call}({duckdb}, {small[1]})",
                             f"{call}({spark}, {small[2]})")  # fmt: skip

    def decimal(self, depth: int) -> Words:
        if depth <= 0 or self.draw.random() < 0.3:
            return self.column("d")
        call = self.draw.choice(("abs", "round", "floor", "ceil", "add", "multiply", "greatest",
                                 "least", "coalesce", "case", "nullif", "minus"))  # fmt: skip
        if call in ("round", "floor", "ceil", "multiply"):  # so that results have few digits
            inner, digits = self.column("d"), self.draw.randint(0, 2)
            texts = {
                "round": f"round({{}}, {digits})",
                "multiply": "({} * {})",
            }
            text = texts.get(call, f"{call}({{}})")
            return Words(*(text.replace("{}", each) for each in inner))
        inner = self.decimal(depth - 1)
        match call:
            case "abs":
                return Words(*(f"abs({each})" for each in inner))
            case "add":
                number = self.draw.choice(("1.5", "-12.345", "3"))
                return Words(*(f"({each} + ({number}))" for each in inner))
            case "minus":
                return Words(*(f"(- {each})" for each in inner))
            case "nullif":
                return Words(*(f"nullif({each}, 12.345)" for each in inner))
            case "case":
                test = self.condition(depth - 1)
                return Words(*(f"CASE WHEN {one} THEN {two} ELSE 0.25 END"
                               for one, two in zip(test, inner, strict=True)))  # fmt: skip
        return Words(*(f"{call}({each}, 1.25)" for each in inner))

    def time(self, depth: int) -> Words:
        if depth <= 0:
            return self.column("ts")
        unit = self.draw.choice(UNITS)
        inner = self.time(depth - 1)
        if self.draw.random() < 0.5:
            return Words(f"date_trunc('{unit}', {inner[0]})", f"date_trunc('{unit}', {inner[1]})",
                         f"cast(date_trunc('{unit}', {inner[2]}) AS timestamp_ntz)")  # fmt: skip
        hours = self.draw.randint(1, 40)
        return Words(f"({inner[0]} + {hours} hours)", f"({inner[1]} + INTERVAL {hours} HOUR)",
                     f"({inner[2]} + INTERVAL '{hours}' HOUR)")  # fmt: skip

    # --- conditions ---------------------------------------------------------------------------

    def condition(self, depth: int) -> Words:
        if depth > 0 and self.draw.random() < 0.4:
            word = self.draw.choice(("AND", "OR", "NOT"))
            if word == "NOT":
                was, self.is_negated = self.is_negated, True
                inner = self.condition(depth - 1)
                self.is_negated = was
                return Words(*(f"(NOT {each})" for each in inner))
            one, two = self.condition(depth - 1), self.condition(depth - 1)
            return Words(*(f"({left} {word} {right})"
                           for left, right in zip(one, two, strict=True)))  # fmt: skip
        return self.draw.choice(
            (self.compared_texts, self.compared_numbers, self.compared_reals, self.compared_times,
             self.member, self.matched, self.between, self.empty, self.distinct, self.big,
             self.compared_decimals)
        )(depth)  # fmt: skip

    def sign(self) -> str:
        return self.draw.choice(COMPARISONS)

    def compared_texts(self, depth: int) -> Words:
        sign, left = self.sign(), self.text(depth)
        right = self.literal(TEXTS) if self.draw.random() < 0.6 else self.text(0)
        return Words(*(f"({a} {sign} {b})" for a, b in zip(left, right, strict=True)))

    def compared_numbers(self, depth: int) -> Words:
        sign, left = self.sign(), self.whole(depth)
        right = self.same(self.draw.choice(("0", "1", "2.5", "-7", "42")))
        if self.draw.random() < 0.4:
            right = self.whole(depth - 1)
        return Words(*(f"({a} {sign} {b})" for a, b in zip(left, right, strict=True)))

    def big(self, _: int) -> Words:
        sign = self.sign()
        right = self.draw.choice(("9223372036854775807", "-9223372036854775807", "9007199254740992",
                                  "9007199254740991.5"))  # fmt: skip
        return Words(f"(a.big {sign} {right})", f"(big {sign} {right})",
                     f"(big {sign} {right}BD)")  # fmt: skip

    def compared_decimals(self, depth: int) -> Words:
        sign, left = self.sign(), self.decimal(min(depth, 2))
        right = self.same(self.draw.choice(("0", "12.345", "-0.5", "1.25", "12.3450001")))
        if self.draw.random() < 0.3:
            right = self.column("d")
        return Words(*(f"({a} {sign} {b})" for a, b in zip(left, right, strict=True)))

    def compared_reals(self, depth: int) -> Words:
        if self.is_negated:
            return self.compared_numbers(depth)
        sign, left = self.sign(), self.real(depth)
        number = self.draw.choice(("0.0", "1.5", "-2.5", "2.5"))
        right = Words(number, f"{number}::DOUBLE", f"{number}D")
        if self.draw.random() < 0.4:
            right = self.real(0)
        return Words(f"({left[0]} {sign} {right[0]})",
                     _without_nan(left[1], sign, right[1]),
                     _without_nan(left[2], sign, right[2]))  # fmt: skip

    def compared_times(self, depth: int) -> Words:
        sign = self.sign()
        if self.draw.random() < 0.3:
            return Words(f"(a.day {sign} DATE '2000-01-01')", f"(day {sign} DATE '2000-01-01')",
                         f"(day {sign} DATE '2000-01-01')")  # fmt: skip
        left = self.time(min(depth, 2))
        moment = self.draw.choice(("2000-01-01 00:00:00", "2024-02-29 13:45:10.5"))
        return Words(f"({left[0]} {sign} TIMESTAMP '{moment}')",
                     f"({left[1]} {sign} TIMESTAMP '{moment}')",
                     f"({left[2]} {sign} TIMESTAMP_NTZ '{moment}')")  # fmt: skip

    def member(self, depth: int) -> Words:
        word = self.draw.choice(("IN", "NOT IN"))
        if self.draw.random() < 0.5:
            operand = self.text(depth - 1)
            values = [f"'{each}'" for each in self.draw.sample(TEXTS, 3)]
        else:
            operand = self.whole(depth - 1)
            values = [str(each) for each in self.draw.sample((0, 1, 7, 42, -7), 3)]
        if self.draw.random() < 0.3:
            values.append("NULL")
        return Words(*(f"({each} {word} ({', '.join(values)}))" for each in operand))

    def matched(self, depth: int) -> Words:
        operand, negation = self.text(depth - 1), self.draw.choice(("", "NOT "))
        kind = self.draw.choice(("LIKE", "ILIKE", "RLIKE", "starts_with", "ends_with", "contains"))
        if kind in ("LIKE", "ILIKE"):
            test = f"{negation}{kind} '{self.draw.choice(PATTERNS)}' ESCAPE '!'"
            return Words(*(f"({each} {test})" for each in operand))
        if kind == "RLIKE":
            pattern = self.draw.choice(REGEXES)
            return Words(f"({operand[0]} {negation}RLIKE '{pattern}')",
                         f"({negation} regexp_matches({operand[1]}, '{pattern}'))",
                         f"({operand[2]} {negation}RLIKE '{pattern}')")  # fmt: skip
        part = self.draw.choice(("a", "b", "c", ""))
        spark = {"starts_with": "startswith", "ends_with": "endswith"}.get(kind, kind)
        return Words(f"{kind}({operand[0]}, '{part}')", f"{kind}({operand[1]}, '{part}')",
                     f"{spark}({operand[2]}, '{part}')")  # fmt: skip

    def between(self, depth: int) -> Words:
        negation = self.draw.choice(("", "NOT "))
        low, high = sorted(self.draw.sample(range(-8, 50), 2))
        return Words(*(f"({each} {negation}BETWEEN {low} AND {high})"
                       for each in self.whole(depth - 1)))  # fmt: skip

    def empty(self, depth: int) -> Words:
        negation = self.draw.choice(("", "NOT "))
        operand = self.one_of(self.text, self.whole, self.real, self.time)(depth - 1)
        return Words(*(f"({each} IS {negation}NULL)" for each in operand))

    def distinct(self, depth: int) -> Words:
        negation = self.draw.choice(("", "NOT "))
        left, right = self.text(depth - 1), self.column("s", "t")
        ours = f"({left[0]} IS {negation}DISTINCT FROM {right[0]})"
        duckdb = f"({left[1]} IS {negation}DISTINCT FROM {right[1]})"
        return Words(ours, duckdb, f"({left[2]} IS {negation}DISTINCT FROM {right[2]})")


def _without_nan(left: str, sign: str, right: str) -> str:
    """NaN differs from everything, and no other comparison with it holds."""
    answer = "true" if sign == "!=" else "false"
    return (
        f"(CASE WHEN {left} IS NULL OR {right} IS NULL THEN NULL "
        f"WHEN isnan({left}) OR isnan({right}) THEN {answer} ELSE {left} {sign} {right} END)"
    )


def predicates(count: int, seed: int = 7) -> list[Words]:
    """Return different conditions."""
    generator = Generator(seed)
    found: dict[str, Words] = {}
    while len(found) < count:
        words = generator.condition(3)
        found.setdefault(words.ours, words)
    return list(found.values())
