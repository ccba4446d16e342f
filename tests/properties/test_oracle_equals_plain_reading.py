"""The oracle agrees with a reading of the text that shares nothing but the parser with it.

What analysis decides, oracle and engine take from it alike: which events a name stands for, which
equalities partition, how NOT and OR are turned into clauses. A mistake there would go unseen.
"""

from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.analysis.bound import BoundQuery
from tests import oracle
from tests.oracle import plain_reading
from tests.oracle.plain_routes import TooManyWords
from tests.properties.plain_queries import (
    TYPES,
    Small,
    comparisons,
    schemas_of_types,
    shaped_queries,
    streams,
    wide_queries,
)


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
    schemas = draw(schemas_of_types())
    return Small(f"PATTERN {pattern}{where}{within}", draw(streams(schemas)), schemas)


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


def bound(small: Small) -> BoundQuery:
    """What analysis makes of the text; a query that it refuses is dropped."""
    blank = {"type": "A", "time": 0, "k": 0, "x": 0, "number": 0}
    schema = oracle.schema_of([*small.events, blank], declared=small.schemas)
    try:
        return oracle.bind(small.text, schema)
    except cepheid.BindingError:
        assume(False)
        raise


def numbers_of(small: Small) -> list[tuple[int, ...]]:
    """What the oracle finds, as numbers of events."""
    found = oracle.matches(bound(small), small.events)
    return sorted(tuple(event.row["number"] for event, _ in match) for match in found)


@settings(max_examples=1500)
@given(small_queries())
def test_oracle_equals_plain_reading(small: Small) -> None:
    expected = plain_reading.matches(small.text, small.events, small.schemas)
    assert numbers_of(small) == sorted(expected)


@settings(max_examples=600)
@given(wide_queries())
def test_wider_queries(small: Small) -> None:
    found = numbers_of(small)
    try:
        expected = plain_reading.matches(small.text, small.events, small.schemas)
    except TooManyWords:
        assume(False)
    assert found == sorted(expected)


@settings(max_examples=600)
@given(shaped_queries())
def test_strategies(small: Small) -> None:
    assert numbers_of(small) == sorted(plain_reading.matches(small.text, small.events))


@settings(max_examples=400)
@given(wide_queries(is_count=True))
def test_counts(small: Small) -> None:
    query = bound(small)
    try:
        expected = plain_reading.counts(small.text, small.events, small.schemas)
    except TooManyWords:
        assume(False)
    rows = {
        (row.get("window_start", row.get("time")), row.get("k")): row["n"]
        for row in oracle.evaluate(query, small.events)
    }
    # WITHIN alone has a row for each end of a match, and for what could have been one.
    # A whole stream has a row without groups.
    rows = {key: count for key, count in rows.items() if count or key in expected}
    ends = query.window is not None and query.window.slide is None
    assert rows == {key: count for key, count in expected.items() if key in rows or not ends}


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
