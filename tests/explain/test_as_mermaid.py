import re

import pytest

from cepheid.explain.as_mermaid import as_mermaid
from tests.explain.plans import QUERIES, explanation_of


@pytest.mark.parametrize("name", QUERIES)
def test_every_state_and_edge_is_there(name):
    explanation = explanation_of(QUERIES[name])
    lines = as_mermaid(explanation).splitlines()
    for side in explanation.sides:
        for state in side.states:
            assert any(re.match(rf" *(p\d_)?s{state.index}\(", line) for line in lines)
        for edge in side.edges:
            arrow = rf" *(p\d_)?s{edge.source} [-=.]+>(\|.*\|)? (p\d_)?s{edge.target}"
            assert any(re.fullmatch(arrow, line) for line in lines)


def test_labels_hold_no_markup_of_their_own():
    text = as_mermaid(explanation_of(QUERIES["signs"]))
    assert "a#lt;b#gt;#amp;c" in text
    assert "b.n = '#lt;#amp;#quot;#gt;'" in text
    assert "a.q = '#96;#35;#92;'" in text
    for label in re.findall(r'\("(.*)"\)', text):
        assert not re.search(r'["`&\\]|<(?!/?[bi]>|br/>)', label)


def test_blocked_edges_are_dashed_and_loops_thick():
    lines = as_mermaid(explanation_of("PATTERN SEQ(A, !C c, B+) WITHIN 3")).splitlines()
    assert '  s0 -.->|"¬ C c"| s1' in lines
    assert "  s1 ==> s1" in lines
