"""Random texts of queries: about the columns of a table, by the grammar; and misspelt ones.

Most of the former can be run: literals are of the types of the columns that they are compared with.
"""

import re
from collections.abc import Callable
from functools import partial
from random import Random
from typing import NamedTuple

import pyarrow as pa

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.functions import ALL, KINDS, Parameter
from cepheid.engine.events.event_schema import attribute_type
from tests.properties.any_tables import ATTRIBUTES

COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
NUMBERS = ("0", "1", "2", "2.5", "-1", "1e300", "9223372036854775807", "9223372036854775808",
           "80%", "9" * 40, "9" * 400, ":q")  # fmt: skip
WORDS = ("'u'", "''", "'it''s'", ":p")
MOMENTS = ("'2024-03-31'", "'2024-03-31 01:30:00'", "'2024-03-31T01:30:00.123456789+02:00'")
LITERALS = {
    AttributeType.INTEGER: NUMBERS,
    AttributeType.FLOAT: NUMBERS,
    AttributeType.STRING: WORDS,
    AttributeType.TIMESTAMP: MOMENTS,
    AttributeType.DATE: MOMENTS,
    AttributeType.BOOLEAN: ("TRUE", "FALSE"),
}
EVERY_LITERAL = (*NUMBERS, *WORDS, *MOMENTS, "TRUE", "FALSE", "NULL")
PARAMETERS = {"p": "it's", "q": 2}


class Pattern(NamedTuple):
    """A pattern, and which of its variables a and b are arrays."""

    text: str
    arrays: str = ""
    names: str = "ab"


PATTERNS = (
    Pattern("A a", names="a"), Pattern("SEQ(A a, B b)"), Pattern("SEQ(A+ a, B b)", "a"),
    Pattern("SEQ(A a, B+ b)", "b"), Pattern("SEQ(A+ a[], B+ b[])", "ab"), Pattern("A+ a", "a", "a"),
    Pattern("SEQ(A a, !(C c), B b)"), Pattern("SEQ(A a, ANY(A, B) b)"),
    Pattern("SEQ(A+ a, B? b)", "a"), Pattern("SEQ(A* a, B b)", "a"), Pattern("SEQ(!C c, A a, B b)"),
    Pattern("SEQ(A a, B b, !C c)"), Pattern("A a OR B b"), Pattern("A a AND B b"),
    Pattern("A+ a AND SEQ(A, B b)", "a"), Pattern("(SEQ(A+ a, B b))+", "ab"),
    Pattern("SEQ(A{2} a, B b)", "a"), Pattern("SEQ(A{1,3} a, B{2,} b)", "ab"),
    Pattern("SEQ(A a, (B b, !C c)+)", "b"), Pattern("SEQ(A a, !(B, C+ c), B b)"),
    Pattern("SEQ(A a, B b, C)"), Pattern("SEQ(A+ a, !ANY(A, C) c, B b)", "a"),
    Pattern("SEQ(ANY(A, B, C)+ a, C b)", "a"), Pattern("SEQ(A a, (B b OR C))"),
    Pattern("SEQ(A a, ANY x, B b)"), Pattern("ANY+ a", "a", "a"),
)  # fmt: skip
STRATEGIES = ("skip_till_any_match", "skip_till_next_match", "contiguous", "strict_contiguity",
              "partition_contiguity", "latest_wins")  # fmt: skip
LENGTHS = {True: ("3", "2", "5", "4 EVENTS", "2 s", "9223372036854775807", f"{'9' * 400} EVENTS"),
           False: (f"{'9' * 400}", "2 hours", "1 day", "4 EVENTS", "90 minutes",
                   "3000000 days")}  # fmt: skip
SLIDES = {
    "3": "2",
    "2": "1",
    "5": "5",
    "4 EVENTS": "2 EVENTS",
    "2 hours": "1 hour",
    "1 day": "1 day",
}
FUNCTIONS = ("count", "sum", "avg", "min", "max")
SUMMARIES = ("array", "median", "stddev", "first", "last", "string_agg", "count(DISTINCT", "nth")
CAST_TYPES = ("INT", "DOUBLE", "DECIMAL(10, 2)", "STRING", "BOOLEAN", "DATE", "TIMESTAMP")
# What may stand around values: {one} and {other} of events, a {literal}, the name of a {type}.
FORMS = {
    "any": (
        *("CASE WHEN {one} = {other} THEN {one} ELSE {other} END", "({one} NOT IN ({literal}))"),
        *("CASE WHEN {one} IS NULL THEN {other} END", "({one} IN ({other}, {literal}, NULL))"),
        *("CASE {one} WHEN {literal} THEN NULL ELSE {other} END", "({one} IS NULL)"),
        *("({one} BETWEEN {literal} AND {other})", "({one} IS DISTINCT FROM {other})"),
        *("nullif({one}, {other})", "coalesce(NULL, {one})", "coalesce({one}, {literal})"),
        *("greatest({one}, NULL)", "least({one}, {literal})", "CAST({one} AS {type})"),
    ),
    "string": ("({one} LIKE 'u%')", "({one} RLIKE 'u|1')", "({one} || 'q')", "{one} LIKE NULL"),
    "number": ("({one} - {other})", "-{one}", "({one} * 2)"),
    "time": ("({one} + 1 hour)", "({one} - {other})"),
    "array": ("contains({one}, {literal})", "contains({one}, {other})"),
    "boolean": ("(NOT {one})", "({one} AND {other})"),
}
CHOICES = ("LONGEST", "SHORTEST", "FIRST", "LAST")
SKIPS = ("", "", " SKIP PAST LAST EVENT", " SKIP TO NEXT EVENT")
NOISE = (
    *("LIKE", "IN", "IS", "CASE", "WHEN", "BETWEEN", "SELECT", "round(", "lower(", "ORDER BY"),
    *("(", ")", "[", "]", "{", "}", ",", ".", ";", "+", "*", "?", "!", "'", '"', "`", ":", "<"),
    *(">", "=", "--", "/*", "*/", "\n", "é", "²", "\x00", "9" * 400, "1e999", "A", "a", "[i]"),
    *("[i-1]", "[..i-1]", "[a.LEN]", "[]", "PATTERN", "WHERE", "RETURN", "WITHIN", "SLIDE"),
    *("GROUP BY", "HAVING", "OUTPUT", "INTO", "AGG", "SEQ", "ANY", "NOT", "AND", "OR", "NEXT"),
    *("EXACT", "LOG2(", "COUNT(*)", "{0}", "{2,1}", "{99999999999}", "AS", "NULL", "LIMIT"),
    *("9" * 5000, "LEN", "i", "-", "%", "/", "[2]", ".x", ".LEN", "['k']"),
)  # fmt: skip
WORD = re.compile(r"\w+|'[^']*'|\s+|.", re.DOTALL)


class TextMaker:
    """Makes queries about one table."""

    def __init__(self, random: Random, schema: pa.Schema) -> None:
        self.random = random
        self.types = {each.name: attribute_type(each.type) for each in schema}
        self.types |= {"type": self.types["kind"], "time": self.types["ts"]}
        self.pattern = random.choice(PATTERNS)

    def one_in(self, count: int) -> bool:
        return self.random.randrange(count) == 0

    def attribute(self) -> str:
        return self.random.choice((*ATTRIBUTES, *ATTRIBUTES, *self.types))

    def ordered(self) -> str:
        """Return an attribute whose values can be compared, most of the time."""
        good = [each for each, kind in self.types.items() if kind is not AttributeType.OTHER]
        return self.attribute() if self.one_in(15) else self.random.choice(good)

    def key(self) -> str:
        """Return an attribute to partition by: a column, most of the time."""
        chosen = self.ordered()
        return {"type": "kind", "time": "ts"}.get(chosen, chosen) if not self.one_in(9) else chosen

    def function(self, attribute: str) -> str:
        """Return a function that takes the attribute, most of the time."""
        if self.types[attribute].is_numeric or self.one_in(15):
            return self.random.choice(FUNCTIONS)
        is_ordered = self.types[attribute] is not AttributeType.OTHER
        return self.random.choice(("count", "min", "max")) if is_ordered else "count"

    def literal(self, attribute: str) -> str:
        if self.one_in(12):
            return self.random.choice(EVERY_LITERAL)
        return self.random.choice(LITERALS.get(self.types[attribute], EVERY_LITERAL))

    # --- values ---------------------------------------------------------------------------------

    def event(self, *, in_return: bool) -> str:
        """Return a variable with an index where it can have one."""
        variable = self.random.choice(self.pattern.names)
        if self.one_in(20):
            return self.random.choice(("A", "B", "c", "NEXT(a)", "a[1]", "z"))
        if variable not in self.pattern.arrays:
            return variable
        last = f"{variable}[{variable}.LEN]"
        if in_return:
            return self.random.choice((f"{variable}[1]", last))
        return self.random.choice(
            (variable, f"{variable}[1]", f"{variable}[i]", f"{variable}[i-1]", last)
        )

    def value(self, attribute: str, *, in_return: bool) -> str:
        variable = self.random.choice(self.pattern.names)
        if variable in self.pattern.arrays and self.one_in(9):
            function = self.random.choice(SUMMARIES)
            option = {"string_agg": ", ','", "nth": ", 2"}.get(function, "")
            return f"{function}{' ' if '(' in function else '('}{variable}[].{attribute}{option})"
        if variable in self.pattern.arrays and self.one_in(3):
            index = "[]" if in_return or self.one_in(2) else "[..i-1]"
            function = self.function(attribute)
            shown = "" if function == "count" and self.one_in(3) else f".{attribute}"
            return f"{function}({variable}{index}{shown})"
        if self.one_in(20):
            return f"{variable}.LEN"
        return f"{self.event(in_return=in_return)}.{attribute}"

    def applied(self, attribute: str, value_of: Callable[[str], str]) -> str:
        """Return a function, a test or a cast, of values that it takes most of the time."""
        kind = self.types[attribute]
        if self.one_in(2):
            fitting = [*FORMS["any"]] * 2
            for name, forms in FORMS.items():
                if kind in KINDS.get(name, (AttributeType.BOOLEAN,)) or self.one_in(30):
                    fitting += forms
            return self.random.choice(fitting).format(
                one=value_of(attribute), other=value_of(attribute),
                literal=self.literal(attribute), type=self.random.choice(CAST_TYPES),
            )  # fmt: skip
        known = [each for each in ALL if any(one.takes(kind) for one in each.parameters)]
        function = self.random.choice(ALL if self.one_in(15) or not known else known)
        parameters = [each for each in function.parameters
                      if not each.is_optional or self.one_in(2)]  # fmt: skip
        parameters += [each for each in parameters[-1:] if each.is_repeated]
        values = [self.argument(each, attribute, value_of) for each in parameters]
        return f"{self.random.choice((function.name, *function.other_names))}({', '.join(values)})"

    def argument(self, parameter: Parameter, attribute: str, value_of: Callable[[str], str]) -> str:
        if parameter.is_literal and not self.one_in(20):
            known = {"unit": "'hour'", "pattern": "'(.)'", "integer": "1"}
            return known.get(parameter.name, known.get(parameter.kind, "'u'"))
        taken = [each for each in self.types if parameter.takes(self.types[each])]
        if attribute in taken or not taken or self.one_in(15):
            taken = [attribute]
        return value_of(self.random.choice(taken))

    def of_one(self, attribute: str) -> str:
        """Return a function of one event, or a test of it."""
        variable = self.random.choice(self.pattern.names)
        return self.applied(attribute, lambda each: f"{variable}.{each}")

    def computed(self, attribute: str, *, in_return: bool) -> str:
        if self.one_in(4):
            return self.applied(attribute, partial(self.value, in_return=in_return))
        plain = self.value(attribute, in_return=in_return)
        if not (self.types[attribute].is_numeric and self.one_in(2)) and not self.one_in(20):
            return plain
        other = self.value(attribute, in_return=in_return)
        operator, literal = self.random.choice("+-*/%"), self.literal(attribute)
        forms = (f"({plain} {operator} {other})", f"({plain} {operator} {literal})", f"-({plain})")
        return self.random.choice(forms)

    # --- conditions -----------------------------------------------------------------------------

    def comparison(self) -> str:
        attribute = self.ordered()
        left = self.computed(attribute, in_return=False)
        right = self.literal(attribute) if self.one_in(2) else self.computed(
            self.attribute() if self.one_in(15) else attribute, in_return=False)  # fmt: skip
        return f"{left} {self.random.choice(COMPARISONS)} {right}"

    def condition(self) -> str:
        match self.random.randrange(14):
            case 0:
                return f"({self.comparison()} OR {self.comparison()})"
            case 1:
                return f"NOT ({self.comparison()} AND {self.comparison()})"
            case 2:
                return f"[{self.key()}]"
            case 3:
                attribute = self.key()
                return f"[{attribute} = {self.literal(attribute)}]"
            case 4 if "b" in self.pattern.names and "AND" not in self.pattern.text:
                attribute = self.ordered()
                return f"a.{attribute} = b.{attribute}"
            case 5 if self.one_in(3):
                return self.random.choice((*STRATEGIES, "TRUE", "FALSE", f"a.{self.attribute()}"))
            case 6 if "c" in self.pattern.text:
                attribute = self.ordered()
                return f"c.{attribute} = a.{attribute}"
            case 7:
                attribute = self.attribute()
                computed = self.applied(attribute, partial(self.value, in_return=False))
                return f"({computed}) IS NOT NULL" if self.one_in(2) else f"{computed} = {computed}"
        return self.comparison()

    # --- clauses --------------------------------------------------------------------------------

    def text(self) -> str:
        """Return a whole query."""
        clauses = [f"PATTERN {self.pattern.text}"]
        terms = [self.condition() for _ in range(self.random.choice((0, 1, 1, 2)))]
        if terms:
            clauses.append(f"WHERE {' AND '.join(terms)}")
        if self.one_in(4):
            clauses.append(f"SEMANTICS {self.random.choice(STRATEGIES)}")
        is_aggregate = self.one_in(2)
        clauses += self.window(is_aggregate=is_aggregate)
        clauses += self.aggregates() if is_aggregate else self.columns()
        return "\n".join(clauses)

    def window(self, *, is_aggregate: bool) -> list[str]:
        if self.one_in(2) and "!" not in self.pattern.text:
            return []
        length = self.random.choice(LENGTHS[self.types["ts"] is AttributeType.INTEGER])
        clauses = [f"WITHIN {length}"]
        if is_aggregate and length in SLIDES and self.one_in(2):
            clauses.append(f"SLIDE {SLIDES[length]}")
        if self.one_in(8):
            gap = "2 EVENTS" if self.one_in(9) else length.replace("EVENTS", "s")
            clauses.append(f"WITHIN {gap} BETWEEN a, {self.pattern.names[-1]}")
        return clauses

    def columns(self) -> list[str]:
        clauses = []
        if self.one_in(2):
            shown = [self.computed(self.attribute(), in_return=True) for _ in range(2)]
            shown += [self.random.choice(EVERY_LITERAL)] if self.one_in(4) else []
            shown += [f"a.{self.attribute()}"] if self.one_in(2) else []
            named = [f"{each} AS c{n}" for n, each in enumerate(shown)]
            named += [self.random.choice(("a.*", "*"))] if self.one_in(9) else []
            clauses.append(f"RETURN {', '.join(named)}")
        if self.one_in(5):
            chosen = f"{self.random.choice(CHOICES)}{self.random.choice(SKIPS)}"
            forms = ("NON OVERLAPPING", "COMPRESSED", "PARTIAL", chosen, chosen)
            clauses.append(f"OUTPUT {self.random.choice(forms)}")
        return clauses

    def aggregate(self) -> str:
        if self.one_in(3):
            return self.random.choice(("COUNT(*)", "EXACT COUNT(*)", "LOG2(COUNT(*))", "COUNT(a)"))
        attribute = self.attribute()
        if self.one_in(4):
            return f"{self.function(attribute).upper()}({self.of_one(attribute)})"
        name = self.random.choice(self.pattern.names)
        return f"{self.function(attribute).upper()}({name}.{attribute})"

    def aggregates(self) -> list[str]:
        shown = [self.aggregate() for _ in range(self.random.choice((1, 2, 3)))]
        wanted = self.random.choice((0, 0, 1, 2))
        groups = list(dict.fromkeys(self.key() for _ in range(wanted)))
        columns = [f"{each} AS c{number}" for number, each in enumerate(shown)]
        columns += [f"{self.random.choice(EVERY_LITERAL)} AS lit"] if self.one_in(4) else []
        if self.one_in(9):
            groups.append(self.of_one(self.attribute()))
        clauses = [f"RETURN {', '.join(columns)}"]
        if groups:
            clauses.append(f"GROUP BY {', '.join(groups)}")
        if self.one_in(3):
            left = self.random.choice(("c0", *groups, *shown))
            right = self.literal(left) if left in self.types else self.random.choice(NUMBERS)
            clauses.append(f"HAVING {left} {self.random.choice(COMPARISONS)} {right}")
        return clauses


def any_text(random: Random, table: pa.Table) -> str:
    """Return a query about the columns of a table."""
    return TextMaker(random, table.schema).text()


def misspelt(random: Random, correct: str) -> str:
    """Return a text of which words are missing, doubled, exchanged or foreign."""
    words = WORD.findall(correct)
    for _ in range(random.choice((1, 1, 2, 3))):
        place = random.randrange(len(words) + 1)
        match random.randrange(5):
            case 0:
                del words[place : place + 1]
            case 1:
                words.insert(place, random.choice(NOISE))
            case 2:
                words[place : place + 1] = [random.choice(NOISE)]
            case 3:
                words = words[:place]
            case _:
                words[place:place] = words[place : place + random.randint(1, 4)]
    return "".join(words)
