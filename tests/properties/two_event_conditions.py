"""Random conditions on two events, in our words and in those of DuckDB.

Division by zero and casts of floats are written out for DuckDB, which has an error or rounds there.
There is no NaN, since NOT turns comparisons round.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import NamedTuple

import pyarrow as pa

COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
PATTERNS = ("a%", "_b%", "%", "A_")
TIMES = (
    datetime.datetime(2024, 1, 1),
    datetime.datetime(2024, 1, 1, 0, 1, 30),
    datetime.datetime(2024, 2, 29, 12, 0, 0, 500_000),
)


class Words(NamedTuple):
    """One expression twice."""

    ours: str
    duckdb: str


def events(seed: int = 0, count: int = 14) -> pa.Table:
    """Return rows of two types with NULL and edge values in every column."""
    draw = random.Random(seed)

    def some(values: list[object], kind: pa.DataType) -> pa.Array:
        return pa.array([draw.choice([None, *values]) for _ in range(count)], kind)

    prices = [Decimal("0.10"), Decimal("1.50"), Decimal("-2.00"), Decimal("3.00")]
    fine = [Decimal("1234567890123456.10"), Decimal("1234567890123456.11"), Decimal("0.10")]
    return pa.table(
        {
            "id": list(range(count)),
            "kind": ["AB"[draw.randrange(2)] for _ in range(count)],
            "n": some([0, 1, 2, -3, 7], pa.int64()),
            "m": some([0, 1, 2, 2**53 + 1], pa.int64()),
            "f": some([0.0, 1.5, -2.5, 3.0], pa.float64()),
            "d": some(list(prices), pa.decimal128(9, 2)),
            "g": some(list(fine), pa.decimal128(20, 2)),
            "s": some(["a", "b", "", "Ab"], pa.string()),
            "b": some([True, False], pa.bool_()),
            "t": some(list(TIMES), pa.timestamp("us")),
            "day": some([each.date() for each in TIMES], pa.date32()),
        }
    )


def put(template: str, *parts: Words) -> Words:
    """Return a template filled in in both languages."""
    return Words(*(template.format(*each) for each in zip(*parts, strict=True)))


def same(text: str) -> Words:
    return Words(text, text)


class Generator:
    """Draws conditions on the events a and b."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def column(self, names: Sequence[str]) -> Words:
        return same(f"{self.draw.choice('ab')}.{self.draw.choice(names)}")

    def one(self, *names: str) -> str:
        return self.draw.choice(names)

    # --- values -------------------------------------------------------------------------------

    def number(self, depth: int, names: str = "nm") -> Words:
        if depth <= 0 or self.draw.random() < 0.4:
            return self.column(names)
        one, two = self.number(depth - 1, names), self.number(depth - 1, names)
        match self.one("abs", "sign", "+", "-", "least", "greatest", "coalesce", "nullif", "case",
                       "%", "cast", "literal"):  # fmt: skip
            case "abs":
                return put("abs({0})", one)
            case "sign":
                return Words(f"sign({one.ours})", f"CAST(sign({one.duckdb}) AS BIGINT)")
            case "+" | "-" as operator:
                return put(f"({{0}} {operator} {{1}})", one, two)
            case "least" | "greatest" | "coalesce" | "nullif" as name:
                return put(f"{name}({{0}}, {{1}})", one, two)
            case "case":
                test = self.condition(depth - 1)
                return put("CASE WHEN {0} THEN {1} ELSE {2} END", test, one, two)
            case "%" if names == "nm":
                divisor = self.column("n")
                return Words(f"({one.ours} % {divisor.ours})",
                             f"({one.duckdb} % nullif({divisor.duckdb}, 0))")  # fmt: skip
            case "cast" if names == "nm":
                ours, theirs = self.column("f")
                return Words(f"CAST({ours} AS INT)", f"CAST(trunc({theirs}) AS BIGINT)")
            case _:
                return same(str(self.draw.randint(0, 3)))

    def of_one(self, names: str) -> Words:
        """A function of one event, decimals among them."""
        column = self.column(names)
        match self.one("column", "coalesce", "greatest", "case", "round", "abs"):
            case "coalesce":
                return put("coalesce({0}, 0)", column)
            case "greatest":
                return put("greatest({0}, 1)", column)
            case "case":
                event = column.ours[0]
                return put(f"CASE WHEN {event}.n > 0 THEN {{0}} ELSE 0 END", column)
            case "round" if names == "d":
                return put("round({0}, 1)", column)
            case "abs":
                return put("abs({0})", column)
            case _:
                return column

    def text(self, depth: int) -> Words:
        if depth <= 0 or self.draw.random() < 0.5:
            return self.column("s")
        one, two = self.text(depth - 1), self.text(depth - 1)
        match self.one("least", "greatest", "coalesce", "nullif", "case", "upper", "literal"):
            case "upper":
                return put("upper({0})", self.column("s"))
            case "literal":
                return same("'a'")
            case "case":
                test = self.condition(depth - 1)
                return put("CASE WHEN {0} THEN {1} ELSE {2} END", test, one, two)
            case name:
                return put(f"{name}({{0}}, {{1}})", one, two)

    def time(self) -> Words:
        sign, minutes = self.one("+", "-"), self.one("1", "2", "90")
        ours, theirs = self.column("t")
        if self.draw.random() < 0.5:
            return Words(ours, theirs)
        return Words(f"({ours} {sign} {minutes} minutes)",
                     f"({theirs} {sign} INTERVAL {minutes} MINUTE)")  # fmt: skip

    def chosen(self, make: Callable[[], Words]) -> Words:
        """One of several values that are only compared: times, dates or decimals."""
        name = self.one("least", "greatest", "coalesce", "nullif", "case", "one")
        if name == "one":
            return make()
        if name == "case":
            test = self.condition(0)
            return put("CASE WHEN {0} THEN {1} ELSE {2} END", test, self.chosen(make), make())
        return put(f"{name}({{0}}, {{1}})", self.chosen(make), make())

    def length(self, depth: int) -> Words:
        """A length of time; DuckDB's are in microseconds."""
        if self.draw.random() < 0.3:
            minutes = self.draw.randint(0, 2)
            return Words(f"{minutes} minutes", str(minutes * 60_000_000))
        if depth > 0 and self.draw.random() < 0.4:
            test, one, two = self.condition(0), self.length(0), self.length(0)
            return put("CASE WHEN {0} THEN {1} ELSE {2} END", test, one, two)
        one, two = self.chosen(self.time), self.time()
        return Words(f"({one.ours} - {two.ours})",
                     f"(epoch_us({one.duckdb}) - epoch_us({two.duckdb}))")  # fmt: skip

    # --- conditions ---------------------------------------------------------------------------

    def condition(self, depth: int) -> Words:
        if depth > 0 and self.draw.random() < 0.35:
            one, two = self.condition(depth - 1), self.condition(depth - 1)
            template = self.one("({0} AND {1})", "({0} OR {1})", "(NOT {0})", "(({0}) = ({1}))",
                                "({0} IN ({1}, b.b))", "(({0}) IS NULL)",
                                "(nullif({0}, {1}) IS NOT NULL)")  # fmt: skip
            return put(template, one, two)
        sign = self.one(*COMPARISONS)
        compared = f"({{0}} {sign} {{1}})"
        match self.one("number", "real", "decimal", "fine", "difference", "text", "time",
                       "day", "length", "boolean", "in", "between", "null", "distinct",
                       "chosen", "like"):  # fmt: skip
            case "number":
                return put(compared, self.number(depth), self.number(depth - 1))
            case "real":
                return put(compared, self.number(depth, "f"), self.column("f"))
            case "decimal":
                other = self.one("column", "1.5", "0.10")
                right = self.of_one("d") if other == "column" else same(other)
                return put(compared, self.of_one("d"), right)
            case "fine":
                return put(compared, self.of_one("g"), self.of_one("dg"))
            case "difference":
                return put("({0} - {1} " + sign + " 0.01)", same("b.g"), same("a.g"))
            case "text":
                return put(compared, self.text(depth), self.text(depth - 1))
            case "time":
                return put(compared, self.time(), self.time())
            case "day":
                names = [f"{each}.day" for each in "ab"]
                right = self.one(*names, "DATE '2024-01-01'")
                return put(compared, same(self.one(*names)), same(right))
            case "length":
                return put(compared, self.length(depth), self.length(0))
            case "chosen":
                makes = (self.time, lambda: self.column(("day",)), lambda: self.of_one("dg"))
                make = self.draw.choice(makes)
                if self.draw.random() < 0.3:
                    return put(f"({{0}} {self.one('IS NULL', 'IS NOT NULL')})", self.chosen(make))
                return put(compared, self.chosen(make), self.chosen(make))
            case "boolean":
                return self.column("b")
            case "in":
                make = self.text if self.draw.random() < 0.5 else self.number
                members = [make(0) for _ in range(self.draw.randint(1, 3))]
                last = self.one("", ", NULL")
                listed = ", ".join(f"{{{number + 1}}}" for number in range(len(members))) + last
                word = self.one("IN", "NOT IN")
                return put(f"({{0}} {word} ({listed}))", make(depth - 1), *members)
            case "between":
                word = self.one("BETWEEN", "NOT BETWEEN")
                parts = (self.number(depth - 1), self.number(0), self.number(0))
                return put(f"({{0}} {word} {{1}} AND {{2}})", *parts)
            case "null":
                word = self.one("IS NULL", "IS NOT NULL")
                value = self.number(depth) if self.draw.random() < 0.5 else self.text(depth)
                return put(f"({{0}} {word})", value)
            case "distinct":
                word = self.one("IS DISTINCT FROM", "IS NOT DISTINCT FROM")
                make = self.text if self.draw.random() < 0.5 else self.number
                return put(f"({{0}} {word} {{1}})", make(depth - 1), make(0))
            case _:
                word, pattern = self.one("LIKE", "NOT LIKE", "ILIKE"), self.one(*PATTERNS)
                return put(f"({{0}} {word} '{pattern}')", self.column("s"))


def conditions(count: int, seed: int = 7) -> list[Words]:
    """Return so many conditions."""
    generator = Generator(seed)
    return [generator.condition(generator.draw.randint(0, 2)) for _ in range(count)]
