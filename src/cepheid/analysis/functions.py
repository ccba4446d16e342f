"""Every function of the language: what it takes, what it gives, what it says, how Spark spells it.

Analysis, hints, the reference and the tests read this list. What a function does in process is in
`program/arrow_functions.py`, under the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cepheid.analysis.attribute_types import TEMPORAL, AttributeType

BOOLEAN, INTEGER, FLOAT = AttributeType.BOOLEAN, AttributeType.INTEGER, AttributeType.FLOAT
DECIMAL, STRING, DATE = AttributeType.DECIMAL, AttributeType.STRING, AttributeType.DATE
TIMESTAMP, ZONED = AttributeType.TIMESTAMP, AttributeType.ZONED
DURATION = AttributeType.DURATION
FREE = frozenset((AttributeType.UNKNOWN, AttributeType.NULL))

KINDS: Mapping[str, frozenset[AttributeType]] = {
    "string": frozenset((STRING,)),
    "number": frozenset((INTEGER, FLOAT, DECIMAL)),
    "integer": frozenset((INTEGER,)),
    "number or length of time": frozenset((INTEGER, FLOAT, DECIMAL, DURATION)),
    "time": TEMPORAL,
    "array": frozenset((AttributeType.ARRAY,)),
    "string or array": frozenset((STRING, AttributeType.ARRAY)),
    "any": frozenset(AttributeType) - {AttributeType.STRUCT, AttributeType.MAP},
    "value with an order": frozenset((INTEGER, FLOAT, DECIMAL, STRING, DURATION)) | TEMPORAL,
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """What may stand for an argument.

    `is_literal`: the value must be known before the events. The last one may be left out, or be
    there several times.
    """

    name: str
    kind: str
    is_literal: bool = False
    is_optional: bool = False
    is_repeated: bool = False

    def takes(self, found: AttributeType) -> bool:
        """Whether an argument can have a type."""
        return found in KINDS[self.kind] or found in FREE

    def __str__(self) -> str:
        text = f"{self.name}, …" if self.is_repeated else self.name
        return f"[{text}]" if self.is_optional else text


@dataclass(frozen=True, slots=True)
class Function:
    """One function.

    `result` is a type, or the argument whose type the result has. `spark` is an expression of Spark
    SQL with `{0}` for the first argument, perhaps one for every type of that; without one the
    function runs in Python there, too.
    """

    name: str
    group: str
    parameters: tuple[Parameter, ...]
    result: AttributeType | int
    meaning: str
    examples: tuple[tuple[str, str], ...]
    spark: str | Mapping[AttributeType, str] = ""
    other_names: tuple[str, ...] = field(default=())

    @property
    def signature(self) -> str:
        """How it is called: `substr(text, start, [length])`."""
        return f"{self.name}({', '.join(map(str, self.parameters))})"

    @property
    def least(self) -> int:
        """The fewest arguments."""
        return sum(not each.is_optional for each in self.parameters)

    @property
    def most(self) -> int | None:
        """The most arguments, if there is such a number."""
        return None if any(p.is_repeated for p in self.parameters) else len(self.parameters)

    def parameter(self, index: int) -> Parameter:
        """Return the parameter that an argument is for."""
        return self.parameters[min(index, len(self.parameters) - 1)]


TEXT = Parameter("text", "string")
NUMBER = Parameter("x", "number")
TIME = Parameter("time", "time")
ANYTHING = Parameter("x", "any")


def _literal(name: str, kind: str, *, optional: bool = False) -> Parameter:
    return Parameter(name, kind, is_literal=True, is_optional=optional)


def _several(name: str, kind: str) -> Parameter:
    return Parameter(name, kind, is_repeated=True)


def _text(name: str, *more: Parameter, result: AttributeType = STRING, meaning: str,
          spark: str = "", examples: tuple[tuple[str, str], ...],
          others: tuple[str, ...] = ()) -> Function:  # fmt: skip
    return Function(name, "Strings", (TEXT, *more), result, meaning, examples, spark, others)


def _number(name: str, *more: Parameter, result: AttributeType | int = FLOAT, meaning: str,
            spark: str | Mapping[AttributeType, str] = "",
            examples: tuple[tuple[str, str], ...],
            others: tuple[str, ...] = ()) -> Function:  # fmt: skip
    return Function(name, "Numbers", (NUMBER, *more), result, meaning, examples, spark, others)


def _part(name: str, spark: str, meaning: str, example: str) -> Function:
    shown = f"{name}(TIMESTAMP '2024-02-29 13:45:10.5')"
    return Function(name, "Times", (TIME,), INTEGER, meaning, ((shown, example),), spark)


_ROUND = (
    "CASE WHEN abs({0} * 1e{1}) < 4503599627370496 THEN (cast({0} * 1e{1} AS bigint) + "
    "CASE WHEN abs({0} * 1e{1} - cast({0} * 1e{1} AS bigint)) >= 0.5 "
    "THEN cast(sign({0}) AS bigint) ELSE 0 END) / 1e{1} ELSE {0} END"
)
_WHOLE = "CASE WHEN abs({{0}}) < 4503599627370496 THEN cast({}({{0}}) AS double) ELSE {{0}} END"
_MICROSECONDS = {
    ZONED: "unix_micros({0})",
    TIMESTAMP: "timestampdiff(MICROSECOND, timestamp_ntz'1970-01-01 00:00:00', {0})",
    DATE: "unix_date({0}) * 86400000000L",
}

ALL = (
    _text("lower", meaning="The text in lower case.", spark="lower({0})",
          examples=(("lower('ÄbC')", "'äbc'"),), others=("lcase",)),
    _text("upper", meaning="The text in upper case.", spark="upper({0})",
          examples=(("upper('straße')", "'STRASSE'"),), others=("ucase",)),
    _text("length", meaning="How many characters the text has.", result=INTEGER,
          spark="cast(length({0}) AS bigint)", examples=(("length('für')", "3"),),
          others=("char_length", "len")),
    _text("substr", Parameter("start", "integer"),
          Parameter("length", "integer", is_optional=True),
          meaning="Characters from a place on; the first is 1, and -1 is the last.",
          examples=(("substr('Cepheid', 3, 2)", "'ph'"), ("substr('Cepheid', -3)", "'eid'")),
          spark="substr({0}, {1}, {2})", others=("substring",)),
    _text("trim", Parameter("characters", "string", is_optional=True),
          meaning="The text without blanks, or without these characters, at both ends.",
          examples=(("trim('  a b ')", "'a b'"), ("trim('--a-b-', '-')", "'a-b'")),
          spark="btrim({0}, {1})", others=("btrim",)),
    _text("ltrim", Parameter("characters", "string", is_optional=True),
          meaning="The text without them at its beginning.",
          examples=(("ltrim('  a ')", "'a '"),), spark="ltrim({1}, {0})"),
    _text("rtrim", Parameter("characters", "string", is_optional=True),
          meaning="The text without them at its end.",
          examples=(("rtrim('  a ')", "'  a'"),), spark="rtrim({1}, {0})"),
    Function("concat", "Strings", (_several("text", "string"),), STRING,
             "The texts one after another; `x || y` is short for it. NULL if one of them is.",
             (("concat('a', 'b', 'c')", "'abc'"), ("'a' || 'b'", "'ab'")), "concat({*})"),
    _text("starts_with", Parameter("beginning", "string"), result=BOOLEAN,
          meaning="Whether the text begins so.", spark="startswith({0}, {1})",
          examples=(("starts_with('Cepheid', 'Ce')", "TRUE"),), others=("startswith",)),
    _text("ends_with", Parameter("end", "string"), result=BOOLEAN,
          meaning="Whether the text ends so.", spark="endswith({0}, {1})",
          examples=(("ends_with('Cepheid', 'ce')", "FALSE"),), others=("endswith",)),
    Function("contains", "Strings",
             (Parameter("text", "string or array"), Parameter("part", "any")), BOOLEAN,
             "Whether the text has this part, or the array this element.",
             (("contains('Cepheid', 'phe')", "TRUE"), ("contains(a.tags, 'new')", "TRUE")),
             {STRING: "contains({0}, {1})", AttributeType.ARRAY: "array_contains({0}, {1})"},
             ("array_contains",)),
    _text("replace", Parameter("part", "string"), Parameter("new", "string"),
          meaning="The text with every such part replaced.", spark="replace({0}, {1}, {2})",
          examples=(("replace('a-b-c', '-', '+')", "'a+b+c'"),)),
    _text("regexp_extract", _literal("pattern", "string"),
          _literal("group", "integer", optional=True),
          meaning="What a pattern of RE2 finds first, or one of its groups; '' if nothing.",
          examples=(("regexp_extract('id=42;', 'id=([0-9]+)', 1)", "'42'"),)),
    _text("split_part", Parameter("separator", "string"), Parameter("number", "integer"),
          meaning="A part of the text between separators, the first is 1; '' if there is none.",
          examples=(("split_part('a/b/c', '/', 2)", "'b'"),), spark="split_part({0}, {1}, {2})"),
    Function("abs", "Numbers", (Parameter("x", "number or length of time"),), 0,
             "The number, or the length of time, without its sign.", (("abs(-3)", "3"),),
             {INTEGER: "abs(nullif({0}, -9223372036854775808L))", FLOAT: "abs({0})",
              DECIMAL: "abs({0})", DURATION: "abs(nullif({0}, -9223372036854775808L))"}),
    _number("sign", result=INTEGER, meaning="-1, 0 or 1; NULL for NaN.",
            spark="CASE WHEN isnan(cast({0} AS double)) THEN NULL "
            "ELSE cast(sign({0}) AS bigint) END",
            examples=(("sign(-2.5)", "-1"),), others=("signum",)),
    _number("round", _literal("digits", "integer", optional=True), result=0,
            meaning="The nearest number with so many digits after the point; halves go away "
            "from zero.",
            spark={INTEGER: "{0}", FLOAT: _ROUND, DECIMAL: "round({0}, {1})"},
            examples=(("round(2.5)", "3.0"), ("round(-1.25, 1)", "-1.3"))),
    _number("floor", result=0, meaning="The largest whole number that is not larger.",
            spark={INTEGER: "{0}", FLOAT: _WHOLE.format("floor"), DECIMAL: "floor({0})"},
            examples=(("floor(-1.5)", "-2.0"),)),
    _number("ceil", result=0, meaning="The smallest whole number that is not smaller.",
            spark={INTEGER: "{0}", FLOAT: _WHOLE.format("ceil"), DECIMAL: "ceil({0})"},
            examples=(("ceil(-1.5)", "-1.0"),), others=("ceiling",)),
    _number("sqrt", meaning="The square root; NULL of negative numbers.",
            spark="CASE WHEN cast({0} AS double) < 0 THEN NULL ELSE sqrt(cast({0} AS double)) END",
            examples=(("sqrt(2.25)", "1.5"),)),
    _number("power", Parameter("exponent", "number"), meaning="`x` to the power of `exponent`.",
            spark="power(cast({0} AS double), cast({1} AS double))",
            examples=(("power(2, 10)", "1024.0"),), others=("pow",)),
    _number("ln", meaning="The natural logarithm; NULL of what is not positive.",
            spark="ln(cast({0} AS double))", examples=(("ln(1)", "0.0"),)),
    _number("log10", meaning="The logarithm to base 10; NULL of what is not positive.",
            spark="log10(cast({0} AS double))", examples=(("log10(1000)", "3.0"),)),
    _number("exp", meaning="e to the power of `x`.", spark="exp(cast({0} AS double))",
            examples=(("exp(0)", "1.0"),)),
    _number("mod", Parameter("divisor", "number"), result=0,
            meaning="`x % divisor`, with the sign of `x`; NULL if the divisor is 0.",
            examples=(("mod(-7, 3)", "-1"),)),
    Function("least", "Numbers", (_several("x", "value with an order"),), 0,
             "The smallest of the values that are not NULL; NaN is larger than every number.",
             (("least(3, NULL, 2)", "2"),), "least({*})"),
    Function("greatest", "Numbers", (_several("x", "value with an order"),), 0,
             "The largest of the values that are not NULL.",
             (("greatest(3, NULL, 2)", "3"),), "greatest({*})"),
    Function("coalesce", "NULL", (_several("x", "any"),), 0,
             "The first of the values that is not NULL.",
             (("coalesce(NULL, 2, 3)", "2"),), "coalesce({*})", ("ifnull", "nvl")),
    Function("nullif", "NULL", (ANYTHING, Parameter("y", "any")), 0,
             "`x`, or NULL if it equals `y`.", (("nullif(3, 3)", "NULL"),)),
    _part("year", "year({0})", "The year.", "2024"),
    _part("quarter", "quarter({0})", "The quarter of the year, 1 to 4.", "1"),
    _part("month", "month({0})", "The month, 1 to 12.", "2"),
    _part("day", "day({0})", "The day of the month.", "29"),
    _part("hour", "hour({0})", "The hour, 0 to 23.", "13"),
    _part("minute", "minute({0})", "The minute.", "45"),
    _part("second", "cast(floor(extract(SECOND FROM {0})) AS bigint)",
          "The second, without its fraction.", "10"),
    _part("day_of_week", "weekday({0}) + 1", "1 for Monday to 7 for Sunday.", "4"),
    _part("day_of_year", "dayofyear({0})", "The day of the year.", "60"),
    Function("date_trunc", "Times", (_literal("unit", "string"), TIME), 1,
             "The time at which its year, quarter, month, week, day, hour, minute or second began.",
             (("date_trunc('hour', TIMESTAMP '2024-02-29 13:45:10')",
               "TIMESTAMP '2024-02-29 13:00:00'"),)),
    Function("epoch", "Times", (TIME,), FLOAT,
             "Seconds since 1970-01-01; of a time without zone as if it were in UTC.",
             (("epoch(TIMESTAMP '1970-01-02 00:00:01.5')", "86401.5"),),
             {kind: f"({text}) / 1e6" for kind, text in _MICROSECONDS.items()}),
    Function("microseconds", "Times", (TIME,), INTEGER,
             "Microseconds since 1970-01-01, as a whole number.",
             (("microseconds(TIMESTAMP '1970-01-01 00:00:01.5')", "1500000"),), _MICROSECONDS),
    Function("size", "Arrays", (Parameter("array", "array"),), INTEGER,
             "How many elements the array has.", (("size(a.tags)", "2"),),
             "CASE WHEN {0} IS NOT NULL THEN cast(size({0}) AS bigint) END",
             ("cardinality", "array_length")),
)  # fmt: skip

BY_NAME: Mapping[str, Function] = {
    name: each for each in ALL for name in (each.name, *each.other_names)
}
TRUNCATED = ("second", "minute", "hour", "day", "week", "month", "quarter", "year")
