"""The oracle agrees with a reading of the text that shares nothing but the parser with it.

What analysis decides, oracle and engine take from it alike: which events a name stands for, which
equalities partition, how NOT and OR are turned into clauses. A mistake there would go unseen.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cepheid
from tests import oracle
from tests.oracle import plain_reading

TYPES = ("A", "B", "C")
ATTRIBUTES = ("k", "x")
COMPARISONS = ("=", "=", "!=", "<", "<=", ">", ">=")


class Small(NamedTuple):
    """A query text, its events, and the attributes that types have."""

    text: str
    events: list[dict[str, Any]]
    schemas: dict[str, list[str]] | None


@st.composite
def small_queries(draw: st.DrawFn) -> Small:
    count = draw(st.integers(1, 4))
    parts, names, negated = [], [], []
    for place in range(count):
        kinds = draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=2, unique=True))
        event = kinds[0] if len(kinds) == 1 else f"ANY({', '.join(kinds)})"
        is_negated = 0 < place < count - 1 and draw(st.integers(0, 2)) == 0
        name = f"{'n' if is_negated else 'v'}{place}"
        called = [] if draw(st.integers(0, 3)) == 0 else [name]
        if is_negated:
            negated += called
            parts.append(f"!({' '.join([event, *called])})")
        else:
            names += [*called, *kinds]
            repeated = f"{event}{draw(st.sampled_from(['', '', '+']))}"
            parts.append(" ".join([repeated, *called]))
    pattern = parts[0] if count == 1 else f"SEQ({', '.join(parts)})"
    terms = [draw(conditions(names)) for _ in range(draw(st.integers(0, 3)))]
    for each in negated:
        terms += [draw(comparisons([each], names)) for _ in range(draw(st.integers(0, 2)))]
    variables = [each for each in names if each not in TYPES]
    match draw(st.integers(0, 5)):
        case 0:
            terms.append("[k]")
        case 1:  # a chain of all positive variables
            terms += [f"{one}.k = {other}.k" for one, other in pairwise(variables)]
        case 2 | 3:  # a chain of keys with different names, perhaps of negated events, too
            linked = [f"{each}.{draw(st.sampled_from('kx'))}" for each in [*variables, *negated]]
            terms += [f"{one} = {other}" for one, other in pairwise(linked)]
    where = f"\nWHERE {' AND '.join(terms)}" if terms else ""
    within = f"\nWITHIN {draw(st.integers(1, 9))}" if draw(st.booleans()) else ""
    schemas = None
    if draw(st.integers(0, 2)) == 0:
        lacking = draw(st.sampled_from(TYPES))
        schemas = {
            each: ["type", "time", "number", "k"] + (["x"] if each != lacking else [])
            for each in TYPES
        }
    return Small(f"PATTERN {pattern}{where}{within}", draw(streams(schemas)), schemas)


@st.composite
def streams(draw: st.DrawFn, schemas: dict[str, list[str]] | None) -> list[dict[str, Any]]:
    event = st.fixed_dictionaries(
        {
            "type": st.sampled_from(TYPES),
            "time": st.integers(0, 9),
            "k": st.sampled_from((1, 2, None)),
            "x": st.sampled_from((0, 1, 2, None)),
        }
    )
    listed = draw(st.lists(event, max_size=7))
    for number, each in enumerate(listed):
        each["number"] = number
        if schemas is not None and "x" not in schemas[each["type"]]:
            each["x"] = None
    return listed


@st.composite
def comparisons(draw: st.DrawFn, left: list[str], right: list[str]) -> str:
    attribute = draw(st.sampled_from(ATTRIBUTES))
    one = f"{draw(st.sampled_from(left))}.{attribute}"
    if draw(st.booleans()):  # an equality that may be part of a chain
        return f"{one} = {draw(st.sampled_from(right))}.{attribute}"
    other = f"{draw(st.sampled_from(right))}.{draw(st.sampled_from(ATTRIBUTES))}"
    if draw(st.integers(0, 3)) == 0:
        other = draw(st.sampled_from(["0", "1", f"{other} + 1"]))
    return f"{one} {draw(st.sampled_from(COMPARISONS))} {other}"


@st.composite
def conditions(draw: st.DrawFn, names: list[str]) -> str:
    one = draw(comparisons(names, names))
    match draw(st.integers(0, 5)):
        case 0:
            return f"NOT {one}"
        case 1:
            return f"({one} OR {draw(comparisons(names, names))})"
        case 2:
            return f"NOT ({one} AND {draw(comparisons(names, names))})"
        case 3:
            both = f"{one} AND {draw(comparisons(names, names))}"
            return f"({both} OR {draw(comparisons(names, names))})"
    return one


def numbers_of(small: Small) -> list[tuple[int, ...]]:
    """What the oracle finds, as numbers of events."""
    blank = {"type": "A", "time": 0, "k": 0, "x": 0, "number": 0}
    schema = oracle.schema_of([*small.events, blank], declared=small.schemas)
    try:
        query = oracle.bind(small.text, schema)
    except cepheid.BindingError:
        assume(False)
    found = oracle.matches(query, small.events)
    return sorted(tuple(event.row["number"] for event, _ in match) for match in found)


@settings(max_examples=1500)
@given(small_queries())
def test_oracle_equals_plain_reading(small: Small) -> None:
    expected = plain_reading.matches(small.text, small.events, small.schemas)
    assert numbers_of(small) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "stream", "expected"),
    [
        (
            "PATTERN SEQ(A a, !(B b), C c) WHERE a.k = c.k",
            [("A", 1, 1, 0), ("B", 2, 2, 0), ("C", 3, 1, 0)],
            [],
        ),
        (
            "PATTERN SEQ(A a, A v, B b) WHERE A.x <= v.x",
            [("A", 1, 1, 3), ("A", 2, 1, 2), ("B", 3, 1, 9)],
            [],
        ),
        (
            "PATTERN SEQ(A, A v) WHERE A.x > v.x",
            [("A", 1, 1, 3), ("A", 2, 1, 2)],
            [],
        ),
        ("PATTERN SEQ(A a, B b) WHERE NOT a.x < b.x", [("A", 1, 1, 3), ("B", 2, 1, 2)], [(0, 1)]),
    ],
    ids=["equality-beside-negation", "type-and-variable", "type-and-unnamed", "not"],
)
def test_examples(
    text: str, stream: list[tuple[str, int, int, int]], expected: list[tuple[int, ...]]
) -> None:
    names = ("type", "time", "k", "x")
    events = [
        dict(zip(names, each, strict=True)) | {"number": number}
        for number, each in enumerate(stream)
    ]
    assert plain_reading.matches(text, events) == expected
    assert numbers_of(Small(text, events, None)) == expected
