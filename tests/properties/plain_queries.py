"""Random small queries that the plain reading knows, with their events."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from hypothesis import strategies as st

TYPES = ("A", "B", "C")
ATTRIBUTES = ("k", "x")
COMPARISONS = ("=", "=", "!=", "<", "<=", ">", ">=")
REPETITIONS = ("+", "+", "*", "?", "{2}", "{1,2}", "{2,}", "{0,2}")
STRATEGIES = (
    "SEMANTICS skip-till-next-match",
    "SEMANTICS contiguous",
    "skip_till_next_match",
    "skip_till_next_match",
    "strict_contiguity",
)
# What random patterns seldom are: leaving a repetition is optional, an edge starts another turn or
# does not, and two ways between the same events cross different negated parts.
SHAPES = (
    "SEQ(A+ v0, B v1)",
    "SEQ(A* v0, B+ v1)",
    "(SEQ(A+ v0, B v1))+",
    "(SEQ(A v0, B? v1))+",
    "(SEQ(A? v0, B? v1))+",
    "(SEQ(A+ v0, A+ v1))+",
    "(SEQ(A v0, !(C n0), B? v1))+",
    "SEQ(A v0, SEQ(B? v1, !(C n0), B? v2) OR SEQ(C? v3, !(B n1)), A v4)",
    "SEQ(!(B n0), A v0)",
    "SEQ(A v0, !(C n0), B+ v1)",
)


class Small(NamedTuple):
    """A query text, its events, and the attributes that types have."""

    text: str
    events: list[dict[str, Any]]
    schemas: dict[str, list[str]] | None


class _Drawn:
    """The names of a pattern as it is drawn, and whether each is several events."""

    def __init__(self) -> None:
        self.names: dict[str, bool] = {}
        self.negated: list[str] = []

    def call(self, *, is_array: bool) -> str:
        name = f"v{len(self.names)}"
        self.names[name] = is_array
        return name


@st.composite
def schemas_of_types(draw: st.DrawFn) -> dict[str, list[str]] | None:
    """What types have, or nothing; of one type x is missing."""
    if draw(st.integers(0, 2)):
        return None
    lacking = draw(st.sampled_from(TYPES))
    common = ["type", "time", "number", "k"]
    return {each: common + (["x"] if each != lacking else []) for each in TYPES}


@st.composite
def streams(
    draw: st.DrawFn,
    schemas: dict[str, list[str]] | None,
    *,
    types: Sequence[str] = TYPES,
    shortest: int = 0,
    longest: int = 7,
) -> list[dict[str, Any]]:
    """Events in any order, often at one time."""
    event = st.fixed_dictionaries(
        {
            "type": st.sampled_from(types),
            "time": st.integers(0, 9),
            "k": st.sampled_from((1, 1, 1, 2, None)),
            "x": st.sampled_from((0, 1, 2, None)),
        }
    )
    listed = draw(st.lists(event, min_size=shortest, max_size=longest))
    for number, each in enumerate(listed):
        each["number"] = number
        if schemas is not None and "x" not in schemas[each["type"]]:
            each["x"] = None
    return listed


@st.composite
def comparisons(draw: st.DrawFn, left: Sequence[str], right: Sequence[str]) -> str:
    """A comparison of two names, or of one with a number."""
    attribute = draw(st.sampled_from(ATTRIBUTES))
    one = f"{draw(st.sampled_from(left))}.{attribute}"
    if draw(st.booleans()):  # an equality that may be part of a chain
        return f"{one} = {draw(st.sampled_from(right))}.{attribute}"
    other = f"{draw(st.sampled_from(right))}.{draw(st.sampled_from(ATTRIBUTES))}"
    if draw(st.integers(0, 3)) == 0:
        other = draw(st.sampled_from(["0", "1", f"{other} + 1"]))
    return f"{one} {draw(st.sampled_from(COMPARISONS))} {other}"


@st.composite
def _events(draw: st.DrawFn) -> str:
    kinds = draw(st.sampled_from((["A"], ["A"], ["B"], ["B"], ["C"], ["A", "B"], ["B", "C"])))
    return kinds[0] if len(kinds) == 1 else f"ANY({', '.join(kinds)})"


@st.composite
def _patterns(draw: st.DrawFn, drawn: _Drawn, most: int, *, is_array: bool = False) -> str:
    """A pattern of at most `most` events; each has a name."""
    repetition = draw(st.sampled_from(REPETITIONS)) if draw(st.booleans()) else ""
    is_array = is_array or repetition not in ("", "?")
    if most == 1 or draw(st.integers(0, 4)) == 0:
        return f"{draw(_events())}{repetition} {drawn.call(is_array=is_array)}"
    left = draw(st.integers(1, most - 1))
    parts = [draw(_patterns(drawn, each, is_array=is_array)) for each in (left, most - left)]
    if draw(st.integers(0, 2)) == 0:
        return f"({' OR '.join(parts)}){repetition}"
    if not repetition and draw(st.integers(0, 2)) == 0:
        parts.insert(1, draw(_negations(drawn)))
    return f"(SEQ({', '.join(parts)})){repetition}"


@st.composite
def _negations(draw: st.DrawFn, drawn: _Drawn) -> str:
    match draw(st.integers(0, 3)):
        case 0:
            return f"!(SEQ({draw(_events())}, {draw(_events())}))"
        case 1:
            return f"!({draw(_events())}+)"
    name = f"n{len(drawn.negated)}"
    drawn.negated.append(name)
    return f"!({draw(_events())} {name})"


@st.composite
def _reads(draw: st.DrawFn, names: dict[str, bool]) -> str:
    """What a condition can read of a name."""
    name = draw(st.sampled_from(list(names)))
    forms = [f"{name}.x"]
    if names[name]:
        forms += [f"{name}[1].x", f"{name}[i].x", f"{name}[i-1].x", f"{name}[{name}.LEN].x"]
        forms += [f"{name}.LEN", f"count({name}[..i-1])"]
        forms += [f"{each}({name}[..i-1].x)" for each in ("avg", "max", "sum")]
        forms += [f"{each}({name}[].x)" for each in ("sum", "min", "count")]
    return draw(st.sampled_from(forms))


@st.composite
def _conditions(draw: st.DrawFn, names: dict[str, bool]) -> str:
    """A condition with indices."""
    operator = draw(st.sampled_from(COMPARISONS))
    left, right = draw(_reads(names)), draw(_reads(names))
    name, other = draw(st.sampled_from(list(names))), draw(st.sampled_from(list(names)))
    return draw(
        st.sampled_from(
            (
                f"{left} {operator} {right}",
                f"{left} {operator} {right} + 1",
                f"{left} {operator} {draw(st.integers(0, 2))}",
                f"NOT {left} {operator} {right}",
                f"({left} {operator} {right} OR {name}.x = 1)",
                f"NOT ({left} {operator} {right} AND {name}.x = {other}.x)",
                f"{name}.x {operator} NEXT({other}).x",
            )
        )
    )


@st.composite
def wide_queries(draw: st.DrawFn, *, is_count: bool = False) -> Small:
    """Optional and repeated parts, OR, indices, negation at the border, strategies, windows."""
    drawn = _Drawn()
    if draw(st.integers(0, 2)) == 0:
        pattern = draw(st.sampled_from(SHAPES))
        repeated = re.findall(r"[+*] (v\d)", pattern)
        for name in re.findall(r"v\d", pattern):
            drawn.names[name] = name in repeated or pattern.endswith(")+")
        drawn.negated += re.findall(r"n\d", pattern)
    else:
        pattern = draw(_patterns(drawn, draw(st.sampled_from((1, 2, 2, 3)))))
    has_window = draw(st.integers(0, 2)) > 0
    if has_window and draw(st.integers(0, 1)) == 0:
        negated = draw(_negations(drawn))
        both = [pattern, negated] if draw(st.booleans()) else [negated, pattern]
        pattern = f"SEQ({', '.join(both)})"
    count = draw(st.sampled_from((0, 0, 1, 1, 2)))
    terms = [draw(_conditions(drawn.names)) for _ in range(count)]
    for each in drawn.negated:
        terms += [draw(comparisons([each], list(drawn.names)))
                  for _ in range(draw(st.integers(0, 1)))]  # fmt: skip
    everything = [*drawn.names, *drawn.negated]
    match draw(st.integers(0, 4)):
        case 0:
            terms.append("[k]")
        case 1:  # a chain, perhaps without the negated events
            chosen = everything if draw(st.booleans()) else list(drawn.names)
            terms += [f"{one}.k = {other}.k" for one, other in pairwise(chosen)]
    strategy = draw(st.sampled_from(STRATEGIES)) if draw(st.integers(0, 2)) else ""
    if strategy and not strategy.startswith("SEMANTICS"):
        terms.append(strategy)
        strategy = ""
    clauses = [f"PATTERN {pattern}", strategy]
    clauses.append(f"WHERE {' AND '.join(terms)}" if terms else "")
    if has_window:
        length = draw(st.integers(3, 12))
        window = f"WITHIN {length}"
        if is_count and draw(st.booleans()):
            window += f" SLIDE {draw(st.integers(1, length))}"
        clauses.append(window)
    if draw(st.integers(0, 2)) == 0:
        first, second = sorted(draw(st.sampled_from(list(drawn.names))) for _ in range(2))
        if draw(st.integers(0, 3)) == 0:
            first, second = second, first
        clauses.append(f"WITHIN {draw(st.integers(1, 4))} BETWEEN {first}, {second}")
    if is_count:
        clauses.append("RETURN COUNT(*) AS n")
        clauses.append(draw(st.sampled_from(("", "GROUP BY k"))))
    schemas = draw(schemas_of_types())
    events = streams(schemas, types="AAABBC", shortest=4, longest=6)
    return Small("\n".join(filter(None, clauses)), draw(events), schemas)


@st.composite
def shaped_queries(draw: st.DrawFn) -> Small:
    """One of the shapes under any strategy, without conditions."""
    strategy = draw(st.sampled_from(STRATEGIES))
    written = strategy if strategy.startswith("SEMANTICS") else f"WHERE {strategy}"
    text = f"PATTERN {draw(st.sampled_from(SHAPES))}\n{written}\nWITHIN {draw(st.integers(4, 12))}"
    return Small(text, draw(streams(None, types="AABBC", shortest=4, longest=6)), None)
