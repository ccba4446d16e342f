"""Random aggregate queries whose predicates mostly read the last event of a run and the new one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from cepheid.language.parser import parse
from tests.properties.drawn_patterns import positive_types

OPERATORS = ("<", "<=", ">", ">=", "=", "!=")
STRATEGIES = (
    "SEMANTICS skip-till-any-match",
    "SEMANTICS skip-till-next-match",
    "WHERE-TERM skip_till_next_match",
    "SEMANTICS contiguous",
    "WHERE-TERM strict_contiguity",
)
PATTERNS = {
    "P1 a+": "a",
    "P1{2,} a": "a",
    "SEQ(P1 a, P2 b)": "ab",
    "SEQ(P1 a+, P2 b)": "ab",
    "SEQ(P1 a, P2 b+)": "ab",
    "SEQ(P1 a*, P2 b)": "ab",
    "SEQ(P1 a, P2? b, C c)": "abc",
    "SEQ((P1 a OR C c), P2 b)": "abc",
    "SEQ(P1 a+, P2 b+, C c)": "abc",
    "(SEQ(P1 a+, P2 b))+": "ab",
}
NEGATED_INSIDE = {
    "SEQ(P1 a+, !C, P2 b)": "ab",
    "SEQ(P1 a, !SEQ(C, D), P2 b+)": "ab",
    "(SEQ(P1 a+, !C, P2 b))+": "ab",
    "SEQ(P1 a+, !C, P2? b, !D, P1 c)": "abc",
}
NEGATED_AT_BORDERS = {
    "SEQ(!C, P1 a+, P2 b)": "ab",
    "SEQ(P1 a+, !SEQ(C, D))": "a",
    "SEQ(!SEQ(D, C), P1 a, P2? b, !D)": "ab",
}
REPEATED = {"a+", "a*", "b+", "{2,} a"}


@dataclass(frozen=True)
class AdjacentCase:
    """A query text without RETURN, the variable that it aggregates, and events."""

    text: str
    variable: str
    events: list[dict[str, Any]]
    order: tuple[str, ...]


event = st.fixed_dictionaries(
    {
        "type": st.sampled_from(("A", "A", "B", "B", "C", "D")),
        "time": st.integers(-2, 9),
        "seq": st.integers(0, 2),
        "k": st.sampled_from((1, 1, 2, None)),
        "x": st.sampled_from((0, 1, 2, 3, None)),
        "y": st.sampled_from((0.0, -0.0, 1.5, 2.5, None, float("nan"))),
        "t": st.sampled_from(("a", "b", "c", None)),
    }
)


@st.composite
def conditions(draw: st.DrawFn, names: Sequence[str]) -> str:
    """A condition on two consecutive events; a few read more."""
    operator = draw(st.sampled_from(OPERATORS))
    one, other = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    attribute = draw(st.sampled_from(("x", "x", "x", "y", "t", "seq")))
    left, right = f"{one}.{attribute}", f"NEXT({other}).{attribute}"
    forms = [f"{left} {operator} {right}"] * 6 + [f"{right} {operator} {left}"] * 2
    if attribute != "t":
        forms += [
            f"{left} + 1 {operator} {right}",
            f"{one}.x {operator} NEXT({other}).y",
            f"({left} {operator} {right} OR {one}.x = 1)",
            f"{left} + {right} {operator} 3",
            f"{left} - {right} {operator} {draw(st.integers(-2, 2))}",
            f"{right} - {left} {operator} {draw(st.integers(-2, 2))}",
            f"1 {operator} {right} - {left}",
            f"{one}.x {operator} {other}.x",
        ]
    return draw(st.sampled_from(forms))


@st.composite
def adjacent_cases(draw: st.DrawFn) -> AdjacentCase:
    """A random query and events."""
    windowed = draw(st.booleans())
    patterns = PATTERNS | NEGATED_INSIDE | (NEGATED_AT_BORDERS if windowed else {})
    pattern = draw(st.sampled_from(list(patterns)))
    names = patterns[pattern]
    first, second = draw(st.sampled_from([("A", "B"), ("A", "A"), ("ANY(A, B)", "B")]))
    text = "PATTERN " + pattern.replace("P1", first).replace("P2", second)
    callable_names = [*names, *names, *positive_types(parse(text).pattern)]
    where = draw(st.lists(conditions(callable_names), min_size=0, max_size=3))
    if any(each in pattern for each in REPEATED) and draw(st.integers(0, 2)) == 0:
        name = "b" if "b+" in pattern else "a"
        last = f"{name}[{name}.LEN].x > 0"
        difference = f"{name}[i].x - {name}[i-1].x {draw(st.sampled_from(OPERATORS))} 1"
        forms = [
            f"{name}[i].x > {name}[i-1].x",
            difference,
            f"{name}[i].x > 0",
            f"{name}[1].x > 0",
            last,
        ]
        where.append(draw(st.sampled_from((*forms, f"{name}[i-1].x != 2"))))
    if draw(st.integers(0, 3)) == 0:
        where.append("[k]")
    strategy = draw(st.sampled_from(STRATEGIES))
    if strategy.startswith("WHERE-TERM"):
        where.append(strategy.split()[1])
    else:
        text += f" {strategy}"
    if where:
        text += f" WHERE {' AND '.join(where)}"
    if windowed:
        length, unit = draw(st.integers(1, 8)), draw(st.sampled_from(("", " EVENTS")))
        text += f" WITHIN {length}{unit} SLIDE {draw(st.integers(1, length))}{unit}"
    if draw(st.integers(0, 7)) == 0:
        bound = draw(st.sampled_from(("a, b", "a, a", "b, b", "A, A")))
        text += f" WITHIN {draw(st.integers(1, 4))} BETWEEN {bound}"
    order = draw(st.sampled_from(((), ("seq",))))
    variable = draw(st.sampled_from(names))
    return AdjacentCase(text, variable, draw(st.lists(event, max_size=9)), order)
