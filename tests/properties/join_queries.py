"""Random queries whose events are joined by keys with different names."""

from itertools import pairwise

from hypothesis import strategies as st

from tests.properties.drawn_patterns import TYPES
from tests.properties.queries import STRATEGIES, Case, streams

KEYS = ("k", "x", "seq")


@st.composite
def join_cases(draw: st.DrawFn) -> Case:
    """A sequence of events, and equalities that chain all of them by an attribute each.

    Each event has a type of its own, or some have the same, or any. Events may be repeated,
    optional or negated. Now and then an event is of two types, or is compared by two attributes.
    """
    size = draw(st.integers(2, 3))
    own, few = draw(st.permutations(TYPES))[:size], st.sampled_from([*TYPES[:2], "ANY"])
    types = draw(st.one_of(st.just(own), st.lists(few, min_size=size, max_size=size)))
    negated = 1 if size == 3 and draw(st.booleans()) else None
    keys = {each: draw(st.sampled_from(KEYS)) for each in types}
    parts, names = [], []
    for place, each in enumerate(types):
        name = f"v{place}"
        names.append(f"{name}.{keys[each] if types == own else draw(st.sampled_from(KEYS))}")
        repeated = draw(st.sampled_from(("", "", "+", "{1,2}", "?" if place == 1 else "")))
        has_two = draw(st.integers(0, 7)) == 0 and "ANY" not in (each, types[-1])
        event = f"ANY({each}, {types[-1]})" if has_two else each
        parts.append(f"!({event} {name})" if place == negated else f"{event}{repeated} {name}")
    if draw(st.integers(0, 5)) == 0:
        parts.append(f"{types[0]} v9")
        names.append(f"v9.{draw(st.sampled_from(KEYS))}")
    if draw(st.integers(0, 7)) == 0:
        names.append(f"v0.{draw(st.sampled_from(KEYS))}")
    linked = draw(st.permutations(names))
    where = [f"{one} = {other}" for one, other in pairwise(linked)]
    where += draw(st.sampled_from(((), (), ("[k]",), ("v0.x > 0",))))
    strategy = draw(st.sampled_from(STRATEGIES))
    if strategy.startswith("WHERE-TERM"):
        where.append(strategy.split()[1])
        strategy = ""
    unit = draw(st.sampled_from(("", "", " EVENTS")))
    window = draw(st.sampled_from(("", f"WITHIN {draw(st.integers(2, 9))}{unit}")))
    every = dict.fromkeys(each.split(".")[0] for each in names)
    shown = [each for each in every if each != f"v{negated}"]
    columns = ", ".join(f"{each}.x, {each}.time" for each in shown)
    ending = f"RETURN {columns}"
    if draw(st.integers(0, 2)) == 0:
        group = draw(st.sampled_from(("", "GROUP BY seq")))
        ending = f"RETURN COUNT(*) AS n, SUM({shown[0]}.x) AS total {group}"
    clauses = [f"PATTERN SEQ({', '.join(parts)})", strategy, f"WHERE {' AND '.join(where)}"]
    text = "\n".join(filter(None, [*clauses, window, ending]))
    return Case(text, draw(streams(longest=9)), draw(st.sampled_from(((), ("seq",)))))
