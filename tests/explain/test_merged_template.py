"""Patterns of queries that are folded together, drawn as one: HAMLET's merged template."""

import xml.etree.ElementTree as ET

import pytest

import cepheid

RETURNED = "RETURN COUNT(*) AS n, SUM(T.duration) AS s"
RIDES = {
    "q1": f"PATTERN SEQ(R, T+, !P) WHERE [driver] WITHIN 30 SLIDE 10 {RETURNED}",
    "q2": f"PATTERN SEQ(R, T+, D) WHERE [driver] AND R.pool = 1 WITHIN 30 SLIDE 5 {RETURNED}",
    "q3": f"PATTERN SEQ(R, T+, C) WHERE [driver] AND T.speed < 10 WITHIN 20 SLIDE 10 {RETURNED}",
}
SVG = "{http://www.w3.org/2000/svg}"


def mermaid(texts: dict[str, str]) -> list[str]:
    drawn = cepheid.workload(texts).explain(format="mermaid")
    return [line.strip() for line in drawn.splitlines()]


def test_every_type_is_there_once():
    states = [line for line in mermaid(RIDES) if "<b>" in line]
    assert [line.split("<b>")[1].split("</b>")[0] for line in states] == ["R", "T", "D", "C"]


def test_edges_name_the_queries_that_have_them():
    lines = mermaid(RIDES)
    assert 'p1_s0 -->|"all"| p1_s1' in lines
    assert 'p1_s1 ==>|"all"| p1_s1' in lines
    assert 'p1_s1 -->|"q2"| p1_s2' in lines
    assert 'p1_s1 -->|"q3"| p1_s3' in lines


def test_conditions_negations_and_ends_name_theirs():
    lines = mermaid(RIDES)
    assert any("R.pool = 1 (q2)" in line for line in lines)
    assert any("T.speed #lt; 10 (q3)" in line and "ends q1" in line for line in lines)
    assert 'p1_s1 -.->|"¬ P (q1)"| p1_finish' in lines


def test_types_in_another_order_have_an_edge_back():
    texts = {
        "q1": "PATTERN SEQ(A, B+) RETURN COUNT(*) AS n",
        "q2": "PATTERN SEQ(B+, A) RETURN COUNT(*) AS n",
    }
    lines = mermaid(texts)
    assert 'p1_s0 -->|"q1"| p1_s1' in lines
    assert 'p1_s1 ==>|"q2"| p1_s0' in lines


def test_those_by_themselves_are_drawn_beside_it():
    lines = mermaid(RIDES | {"pairs": "PATTERN SEQ(R, C) WITHIN 5", "both": "PATTERN A AND B"})
    assert [line for line in lines if line.startswith("subgraph")] == [
        'subgraph side1["Set 1: q1, q2, q3"]',
        'subgraph side2["pairs, by itself"]',
        'subgraph side3["both, by itself"]',
        'subgraph side4["AND"]',
    ]


@pytest.mark.parametrize("count", [2, 30])
def test_picture_has_every_state_and_edge(count):
    texts = {
        f"q{number}": f"PATTERN SEQ(X{number}, T+, X{number + 1}) RETURN COUNT(*) AS n"
        for number in range(count)
    }
    root = ET.fromstring(cepheid.workload(texts).explain(format="svg"))
    words = [each.text for each in root.iter(f"{SVG}text")]
    assert {"T", *(f"X{number}" for number in range(count + 1))} <= set(words)
    assert "all" in words  # the loop of T
    if count == 2:
        assert words.count("q0") >= 2


def test_many_by_themselves_are_not_all_drawn():
    texts = {f"q{number}": f"PATTERN SEQ(A{number}, B) WITHIN 5" for number in range(20)}
    drawn = cepheid.workload(texts).explain(format="svg")
    assert "8 more by themselves are not drawn" in drawn


def test_an_unknown_format_is_refused():
    with pytest.raises(cepheid.errors.ConfigError, match="no format 'pdf'"):
        cepheid.workload(RIDES).explain(format="pdf")
