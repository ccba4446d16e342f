"""Random queries whose events are joined by keys with different names."""

from itertools import pairwise

from hypothesis import strategies as st

from tests.properties.drawn_patterns import TYPES
from tests.properties.queries import STRATEGIES, Case, streams

KEYS = ("k", "x", "seq")


@st.composite
def join_cases(draw: st.DrawFn) -> Case:
    """A sequence of events, each of a type of its own, and equalities that chain all of them.

    Events may be repeated, optional or negated. Now and then an event is of two types, or a type
    has two keys, so that the equalities stay predicates.
    """
    types = draw(st.permutations(TYPES))[: draw(st.integers(2, 3))]
    keys = {each: draw(st.sampled_from(KEYS)) for each in types}
    negated = types[1] if len(types) == 3 and draw(st.booleans()) else None
    parts, names = [], []
    for place, each in enumerate(types):
        name = f"v{place}"
        names.append(f"{name}.{keys[each]}")
        repeated = draw(st.sampled_from(("", "", "+", "{1,2}", "?" if place == 1 else "")))
        event = f"ANY({each}, {types[-1]})" if draw(st.integers(0, 7)) == 0 else each
        parts.append(f"!({event} {name})" if each == negated else f"{event}{repeated} {name}")
    if draw(st.integers(0, 5)) == 0:
        parts.append(f"{types[0]} v9")
        names.append(f"v9.{draw(st.sampled_from(KEYS))}")
    linked = draw(st.permutations(names))
    where = [f"{one} = {other}" for one, other in pairwise(linked)]
    where += draw(st.sampled_from(((), (), ("[k]",), ("v0.x > 0",))))
    strategy = draw(st.sampled_from(STRATEGIES))
    if strategy.startswith("WHERE-TERM"):
        where.append(strategy.split()[1])
        strategy = ""
    unit = draw(st.sampled_from(("", "", " EVENTS")))
    window = draw(st.sampled_from(("", f"WITHIN {draw(st.integers(2, 9))}{unit}")))
    shown = [each.split(".")[0] for each in names if each.split(".")[0] != _name(negated, types)]
    columns = ", ".join(f"{each}.x, {each}.time" for each in shown)
    ending = f"RETURN {columns}"
    if draw(st.integers(0, 2)) == 0:
        group = draw(st.sampled_from(("", "GROUP BY seq")))
        ending = f"RETURN COUNT(*) AS n, SUM({shown[0]}.x) AS total {group}"
    clauses = [f"PATTERN SEQ({', '.join(parts)})", strategy, f"WHERE {' AND '.join(where)}"]
    text = "\n".join(filter(None, [*clauses, window, ending]))
    return Case(text, draw(streams(longest=9)), draw(st.sampled_from(((), ("seq",)))))


def _name(event_type: str | None, types: list[str]) -> str:
    return "" if event_type is None else f"v{types.index(event_type)}"
