"""Random workloads: queries that have parts, windows or sums in common, or not."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from tests.properties import comparison
from tests.properties.aggregate_streams import SCHEMA, aggregate_streams
from tests.properties.aggregates import METHODS
from tests.properties.queries import (
    Case,
    cases,
    negation_cases,
    pair_cases,
    predicate_cases,
)

PARTS = (
    "(B b OR SEQ(B b2, C c))",
    "SEQ(B b, C c?)",
    "B b{1,2}",
    "SEQ(B b, C c*)",
    "B b+",
    "B b+",
    "SEQ(B b, C c)+",
    "SEQ(B b, C c)",
    "SEQ(B b+, C c)",
    "ANY(B, C) b+",
    "B b",
)
BEFORE = ("", "(A a OR A a2)", "A a?", "A a", "A a+", "D d", "A a, D d", "NOT D d, A a")
AFTER = ("", "A z", "D z", "A z+", "NOT D z", "NOT D y, A z", "B z", "C z")
CONDITIONS = ("", "", "b.x > 0", "b.x > 0", "b.x < 2", "b.f >= 0", "b.x != 1")
WINDOWS = ("", "WITHIN 4 SLIDE 4", "WITHIN 4 SLIDE 2", "WITHIN 6 SLIDE 2", "WITHIN 5 SLIDE 1")
RESULTS = (
    "COUNT(*) AS n",
    "COUNT(*) AS n, SUM(b.x) AS total",
    "AVG(b.x) AS mean",
    "SUM(b.x) AS total, COUNT(b) AS events",
    "MIN(b.f) AS least, MAX(b.x) AS most",
    "COUNT(*) AS n, MIN(b.s) AS least",
    "SUM(b.f) AS total, MAX(b.at) AS latest",
    "LOG2(COUNT(*)) AS bits",
    "EXACT COUNT(*) AS n, LOG2(COUNT(*)) AS bits",
    "COUNT(*) AS n, EXACT COUNT(*) AS digits, SUM(b.x) AS total",
)
HAVING = (
    "", "", "", "HAVING COUNT(*) > 1", "HAVING LOG2(COUNT(*)) >= 1", "HAVING COUNT(*) % 2 = 1",
    "HAVING SUM(b.x) > 0 OR COUNT(b) < 2", "HAVING NOT AVG(b.f) > 0", "HAVING MIN(b.s) < 'b'",
)  # fmt: skip
GROUPS = ("", "[k]", "[k] GROUP")


@dataclass(frozen=True)
class WorkloadCase:
    """Query texts by name, and the events to run them on, with their columns."""

    texts: dict[str, str]
    events: Sequence[dict[str, Any]]
    order: tuple[str, ...]
    schema: pa.Schema = SCHEMA

    def case(self, name: str) -> Case:
        """One query by itself."""
        return Case(self.texts[name], tuple(self.events), self.order)

    def table(self) -> pa.Table:
        """The events with all columns, whatever they hold."""
        return pa.Table.from_pylist(list(self.events), schema=self.schema)


@st.composite
def alike(draw: st.DrawFn, pool: dict[str, list[str]]) -> str:
    """A query around one of a few parts, with windows and results of a few kinds."""
    before, after = draw(st.sampled_from(BEFORE)), draw(st.sampled_from(AFTER))
    part = draw(st.sampled_from(pool["parts"]))
    items = [each for each in (before, part, after) if each]
    pattern = f"SEQ({', '.join(items)})" if len(items) > 1 or "," in part else part
    group = draw(st.sampled_from(pool["groups"]))
    conditions = ["skip_till_any_match", *(["[k]"] if group else [])]
    conditions += [each for each in [draw(st.sampled_from(pool["conditions"]))] if each]
    window = draw(st.sampled_from(pool["windows"]))
    if not window and re.search(r"^PATTERN SEQ\(NOT|NOT D z\)", f"PATTERN {pattern}"):
        window = "WITHIN 4 SLIDE 2"
    result = draw(st.sampled_from(pool["results"]))
    text = f"PATTERN {pattern} WHERE {' AND '.join(conditions)} {window} RETURN {result}"
    group_by = "GROUP BY k " if group.endswith("GROUP") else ""
    return f"{text} {group_by}{draw(st.sampled_from(pool['having']))}".rstrip()


@st.composite
def workloads(draw: st.DrawFn, *, longest: int = 10, has_others: bool = True) -> WorkloadCase:
    """Two to eight queries and a short stream; some have little in common with the others."""
    pool = {
        "parts": few(draw, PARTS, 2),
        "conditions": few(draw, CONDITIONS, 3),
        "windows": few(draw, WINDOWS, 2),
        "results": few(draw, RESULTS, 2),
        "having": few(draw, HAVING, 2),
        "groups": few(draw, GROUPS, 1),
    }
    similar = alike(pool)
    other = st.one_of(*(METHODS[each].map(_text) for each in ("plain", "negated", "recent")))
    query = st.one_of(*[similar] * 5, other) if has_others else similar
    texts = draw(st.lists(query, min_size=2, max_size=8))
    return WorkloadCase(
        {f"q{number}": text for number, text in enumerate(texts, start=1)},
        draw(aggregate_streams(longest=longest)),
        draw(st.sampled_from(((), ("seq",)))),
    )


def _text(case: Case) -> str:
    return case.text


ADJACENT = ("b.x < NEXT(b).x", "b.x >= NEXT(b).x", "b.x != NEXT(b).x", "b.s = NEXT(b).s",
            "b.f <= NEXT(b).f", "b.x < NEXT(z).x", "b.time < NEXT(b).time")  # fmt: skip
ADJACENT_PATTERNS = (
    "SEQ(A a, B b+)", "SEQ(D a, B b+)", "SEQ(A a, B b+, C z)", "B b+", "SEQ(A a+, B b+)",
    "SEQ(A a, B b)", "SEQ(B b+, B z)", "SEQ(A a?, B b{2,})",
    "SEQ(A a, !C y, B b+)", "SEQ(A a, B b+, !D y, C z)",
)  # fmt: skip
BEGINNINGS = ("A a", "A a+", "A a, B b", "A a, B b+", "A a?, B b", "(A a OR B a2), B b")
ENDINGS = ("", "C z", "D z", "B z", "C z+", "D y, C z", "A z?", "(C z OR D z2)")
SUMS = (
    "COUNT(*) AS n",
    "COUNT(*) AS n",
    "SUM(b.x) AS total",
    "AVG(b.f) AS mean, COUNT(b) AS events",
    "COUNT(*) AS n, MIN(b.x) AS least",
    "MAX(b.f) AS most, SUM(b.x) AS total",
    "EXACT COUNT(*) AS n, LOG2(COUNT(*)) AS bits",
    "COUNT(*) AS n HAVING COUNT(*) > 1",
    "COUNT(b) AS events HAVING SUM(b.x) >= 0",
)


def few(draw: st.DrawFn, items: Sequence[str], most: int) -> list[str]:
    """A few of some items."""
    return draw(st.lists(st.sampled_from(items), min_size=1, max_size=most))


def _stream(draw: st.DrawFn, texts: Sequence[str], longest: int) -> WorkloadCase:
    return WorkloadCase(
        {f"q{number}": text for number, text in enumerate(texts, start=1)},
        draw(aggregate_streams(longest=longest)),
        draw(st.sampled_from(((), ("seq",)))),
    )


@st.composite
def adjacent_workloads(draw: st.DrawFn, *, longest: int = 10) -> WorkloadCase:
    """Queries with one or two adjacent predicates, of different patterns, windows and results.

    Some have none, and some negate events between others.
    """
    adjacent = few(draw, ADJACENT, 2)
    windows = few(draw, (*WINDOWS, "WITHIN 40 SLIDE 1"), 2)  # more than a lane is sure to pay for
    group, texts = draw(st.sampled_from(("", "[k]"))), []
    for _ in range(draw(st.integers(2, 6))):
        pattern = draw(st.sampled_from(ADJACENT_PATTERNS))
        tests = [each for each in (group, draw(st.sampled_from(("", "", "a.x > 0"))))
                 if each and (each != "a.x > 0" or " a" in pattern)]  # fmt: skip
        chosen = draw(st.sampled_from([*adjacent, *adjacent, "skip_till_any_match"]))
        tests.append(chosen.replace("NEXT(z)", "NEXT(b)") if " z" not in pattern else chosen)
        tests += draw(st.sampled_from(([], [], ["y.x > 0"]))) if " y" in pattern else []
        window, result = draw(st.sampled_from(windows)), draw(st.sampled_from(SUMS))
        texts.append(f"PATTERN {pattern} WHERE {' AND '.join(tests)} {window} RETURN {result}")
    return _stream(draw, texts, longest)


@st.composite
def beginning_workloads(
    draw: st.DrawFn, *, longest: int = 10, has_matches: bool = False
) -> WorkloadCase:
    """Queries that begin alike: matches, or aggregates of a window that moves with every event."""
    beginnings, windows = few(draw, BEGINNINGS, 2), few(draw, ("WITHIN 4", "WITHIN 7"), 2)
    group = draw(st.sampled_from(("", "[k]", "[k] GROUP")))
    condition = draw(st.sampled_from(("", "a.x > 0")))
    texts = []
    for _ in range(draw(st.integers(2, 6))):
        beginning, ending = draw(st.sampled_from(beginnings)), draw(st.sampled_from(ENDINGS))
        pattern = f"SEQ({beginning}, {ending})" if ending else f"SEQ({beginning})"
        tests = ["skip_till_any_match", *(["[k]"] if group else [])]
        tests += [condition] if condition else []
        text = f"PATTERN {pattern} WHERE {' AND '.join(tests)} {draw(st.sampled_from(windows))}"
        if not has_matches:
            result = draw(st.sampled_from(SUMS if " b" in pattern else SUMS[:1]))
            text += f" RETURN {result}{' GROUP BY k' if group.endswith('GROUP') else ''}"
        texts.append(text)
    return _stream(draw, texts, longest)


SHARED_BEGINNINGS = (
    "A a, B b", "A a, B b+", "A a+, B b", "A a?, B b", "(A a OR B a2), B b", "A a, B b{1,2}",
)  # fmt: skip
SHARED_SUMS = (
    "SUM(b.x) AS total",
    "COUNT(*) AS n, AVG(b.x) AS mean",
    "AVG(b.f) AS mean, COUNT(b) AS events",
    "MIN(b.x) AS least, MAX(b.s) AS most",
    "SUM(b.x) AS total, MAX(b.at) AS latest",
    "COUNT(b) AS events HAVING SUM(b.x) >= 0",
)


@st.composite
def recent_workloads(draw: st.DrawFn) -> WorkloadCase:
    """Sums of one window that moves with every event; the first two queries surely begin alike."""
    beginning, window = draw(st.sampled_from(SHARED_BEGINNINGS)), draw(st.integers(1, 7))
    group = draw(st.sampled_from(("", "[k]", "[k] GROUP")))
    tests = ["skip_till_any_match", *(["[k]"] if group else [])]
    tests += [each for each in [draw(st.sampled_from(("", "b.x > 0", "b.f >= 0")))] if each]
    sums = few(draw, SHARED_SUMS, 2)
    texts = []
    for number in range(draw(st.integers(2, 5))):
        ending = draw(st.sampled_from(ENDINGS))
        pattern = f"SEQ({beginning}, {ending})" if ending else f"SEQ({beginning})"
        result = sums[0] if number < 2 else draw(st.sampled_from(sums))
        text = f"PATTERN {pattern} WHERE {' AND '.join(tests)} WITHIN {window} RETURN {result}"
        texts.append(f"{text}{' GROUP BY k' if group.endswith('GROUP') else ''}")
    return _stream(draw, texts, 10)


@st.composite
def mixed_workloads(draw: st.DrawFn) -> WorkloadCase:
    """Queries of every kind on one stream: matches, pairs, all strategies, predicates, negation."""
    kinds = (cases(), predicate_cases(), negation_cases(), pair_cases())
    drawn = draw(st.lists(st.one_of(*kinds), min_size=2, max_size=5))
    return WorkloadCase(
        {f"q{number}": each.text for number, each in enumerate(drawn, start=1)},
        drawn[0].events,
        drawn[0].order,
        comparison.SCHEMA,
    )


CHAIN_FUNCTIONS = (
    "COUNT(*) AS n",
    "SUM(v.x) AS s",
    "AVG(v.x) AS m, COUNT(*) AS n",
    "MIN(v.x) AS least",
    "MAX(v.f) AS most, SUM(v.f) AS s",
    "SUM(v.x) AS s, MAX(v.x) AS most",
)
ELEMENT = st.tuples(st.sampled_from("ABC"), st.sampled_from(("", "", "+", "{2,}")))


@st.composite
def chain_workloads(draw: st.DrawFn) -> WorkloadCase:
    """Two to five sequences over few types, so that they have segments in common.

    They are counted, or aggregated in different ways; some have negated events between elements.
    """
    group, window = draw(st.sampled_from(("", "[k]", "[k] GROUP"))), draw(st.integers(1, 7))
    functions = few(draw, CHAIN_FUNCTIONS, 3)
    texts = {}
    for number in range(1, draw(st.integers(2, 5)) + 1):
        elements = draw(st.lists(ELEMENT, min_size=1, max_size=4))
        words = [f"{kind} v{place}{more}" for place, (kind, more) in enumerate(elements)]
        tests = ["skip_till_any_match", *(["[k]"] if group else [])]
        condition = draw(st.sampled_from(("", "", "x > 0", "x != 1")))
        if condition:
            tests.append(f"v{draw(st.integers(0, len(elements) - 1))}.{condition}")
        returned = draw(st.sampled_from(functions))
        returned = returned.replace("v.", f"v{draw(st.integers(0, len(elements) - 1))}.")
        if len(words) > 1 and draw(st.booleans()):
            place = draw(st.integers(1, len(words) - 1))
            words.insert(place, f"!{draw(st.sampled_from('ABCD'))} n")
            tests += draw(st.sampled_from(([], [], ["n.x > 0"])))
        texts[f"q{number}"] = (
            f"PATTERN SEQ({', '.join(words)}) WHERE {' AND '.join(tests)} WITHIN {window} "
            f"RETURN {returned}{' GROUP BY k' if group.endswith('GROUP') else ''}"
        )
    order = draw(st.sampled_from(((), ("seq",))))
    return WorkloadCase(texts, draw(aggregate_streams(longest=12)), order)
