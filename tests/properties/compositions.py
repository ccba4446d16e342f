"""Random sets of queries in which one reads the results of another.

The first query gives T, the second may read it and gives T or U, the last reads what there is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from cepheid.language import ast
from tests.properties.queries import (
    Case,
    cases,
    count_positions,
    equalities,
    name_events,
    negation_cases,
    opening,
    patterns,
    streams,
)


@dataclass(frozen=True)
class Composition:
    """Query texts by name, and the events to run them on."""

    texts: dict[str, str]
    events: Sequence[dict[str, Any]]
    order: tuple[str, ...]


def with_types(text: str, **types: str) -> str:
    """Return a query text in which event types have other names."""
    for old, new in types.items():
        text = re.sub(rf"\b{old}\b", new, text)
    return text


@st.composite
def givers(draw: st.DrawFn, into: str, place: str) -> str:
    """A query whose results have a time, and often the attributes that the events have.

    Counts and arrays are called after the place: two queries may give the same type.
    """
    names: dict[str, bool] = {}
    pattern = name_events(draw(patterns(most_events=2)), names)
    assume(count_positions(pattern) <= 6)
    where = ["[k]"] if draw(st.booleans()) else []
    length = draw(st.integers(1, 6))
    if draw(st.integers(0, 6)) == 0:
        clauses = draw(opening(ast.EventPattern(("A",), "a"), where))
        pair = clauses[0].replace(
            "A a", draw(st.sampled_from(("A a AND B b", "SEQ(A a, C) AND B b")))
        )
        return "\n".join([pair, *clauses[1:], f"WITHIN {length}", f"RETURN a.x, b.k INTO {into}"])
    if draw(st.integers(0, 2)) == 0:
        clauses = draw(opening(pattern, where))
        slide = f" SLIDE {draw(st.integers(1, length))}" if draw(st.booleans()) else ""
        group = draw(st.sampled_from(("", "GROUP BY k", "GROUP BY k, seq", "GROUP BY k, x")))
        clauses += [
            f"WITHIN {length}{slide}",
            f"RETURN COUNT(*) AS n_{place}",
            group,
            f"INTO {into}",
        ]
        return "\n".join(each for each in clauses if each)
    window = [f"WITHIN {length}"] if draw(st.booleans()) else []
    if window and draw(st.booleans()):
        pattern = ast.Sequence((pattern, ast.Negation(ast.EventPattern(("B",)))))
    clauses = draw(opening(pattern, where)) + window
    if place != "one" or draw(st.integers(0, 4)):  # names of default columns tell no place
        first = {name: f"{name}[1]" if repeats else name for name, repeats in names.items()}
        name = draw(st.sampled_from(list(names)))
        columns = [f"{first[name]}.{each} AS {each}" for each in ("x", "k", "seq")
                   if draw(st.integers(0, 5))]  # fmt: skip
        clauses.append(f"RETURN {', '.join([*columns, f'{name}.time AS times_{place}'])}")
    if draw(st.integers(0, 4)) == 0:
        clauses.append("OUTPUT NON OVERLAPPING")
    return "\n".join([*clauses, f"INTO {into}"])


@st.composite
def readers(draw: st.DrawFn, types: str) -> str:
    """A query over a few types of which every event matters, so that results often take part."""
    one = st.sampled_from(types).map(lambda each: ast.EventPattern((each,)))
    event = one | one.map(lambda each: ast.Repeat(each, 1, None))
    pattern = draw(
        event
        | st.builds(lambda a, b: ast.Sequence((a, b)), event, event)
        | st.builds(lambda a, b, c: ast.Sequence((a, ast.Negation(b), c)), event, one, event)
        | st.builds(lambda a, b: ast.Sequence((ast.Negation(a), b)), one, event)
    )
    names: dict[str, bool] = {}
    negated: dict[str, bool] = {}
    pattern = name_events(pattern, names, negated=negated)
    is_joined = draw(st.integers(0, 3)) == 0  # results may lack what is compared
    where = [draw(equalities(names) | equalities([*names, *negated]))] if is_joined else []
    clauses = draw(opening(pattern, where))
    unit = draw(st.sampled_from(("", " EVENTS")))
    clauses.append(f"WITHIN {draw(st.integers(3, 9))}{unit}")
    shown = [f"{name}.{each}" for name in names for each in ("type", "time", "seq")]
    return "\n".join([*clauses, f"RETURN {', '.join(shown)}"])


@st.composite
def compositions(draw: st.DrawFn) -> Composition:
    """Two or three queries and a short stream."""
    texts = {"one": draw(givers("T", "one"))}
    has_two = draw(st.integers(0, 2)) == 0
    simple = readers("ABCC" if has_two else "ACCC")
    last = draw(st.one_of(simple, simple, cases().map(_text), negation_cases().map(_text)))
    if has_two:
        into = draw(st.sampled_from("TU"))
        middle = draw(givers(into, "two"))
        texts["two"] = middle if into == "T" else with_types(middle, C="T")
        last = with_types(last, B="U")
    texts["last"] = with_types(last, C="T")
    order = draw(st.sampled_from(((), ("seq",))))
    return Composition(texts, draw(streams(shortest=2, longest=6)), order)


def _text(case: Case) -> str:
    return case.text
