from itertools import combinations
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from cepheid.explain.draw_lines import draw
from cepheid.explain.explain import FORMATS, explain
from tests.explain.plans import explanation_of, plan_of

EVENTS = st.sampled_from("ABC")


def larger(patterns):
    several = st.lists(patterns, min_size=2, max_size=3)
    return (
        several.map(lambda parts: f"SEQ({', '.join(parts)})")
        | several.map(lambda parts: f"SEQ({', !N, '.join(parts)})")
        | several.map(lambda parts: f"({' OR '.join(parts)})")
        | st.tuples(patterns, st.sampled_from(["+", "*", "?", "{2,3}"])).map(
            lambda two: f"({two[0]}){two[1]}"
        )
    )


PATTERNS = st.recursive(EVENTS, larger, max_leaves=8)
CLAUSES = st.lists(st.tuples(EVENTS, EVENTS, st.sampled_from(["<", ">"])), max_size=3)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(PATTERNS, CLAUSES)
def test_any_pattern_can_be_explained(pattern, clauses):
    used = [(one, other, sign) for one, other, sign in clauses if {one, other} <= set(pattern)]
    where = " AND ".join(f"{one}.x {sign} NEXT({other}).x" for one, other, sign in used)
    query = f"PATTERN {pattern} {where and 'WHERE '}{where} WITHIN 10"
    plan = plan_of(query)
    texts = {format: explain(plan, format=format) for format in FORMATS}
    ElementTree.fromstring(texts["svg"])
    (side,) = explanation_of(query).sides
    areas = [each.area for each in draw(side).boxes]
    assert not [pair for pair in combinations(areas, 2) if pair[0].overlaps(pair[1])]
