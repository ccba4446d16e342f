"""Patterns to position automata (semantics, sections 2 and 6).

An automaton is written down as `first | edges | last`. `AB` is the edge from position A to
position B, `A~A` a loop edge; copies of a type are numbered in text order. `AB-C` is blocked while
there is a match of !C in the gap, `AB-C+D` while there is one of !C or of !D, and `AB-C/D` has two
ways: open unless both are blocked.
"""

import pytest

from cepheid.analysis.automaton import FREE, Automaton
from cepheid.analysis.build_automaton import MAXIMUM_POSITIONS
from cepheid.analysis.schema import OPEN_SCHEMA
from tests.analysis.schemas import bind


def automaton_of(pattern: str) -> Automaton:
    return bind(f"PATTERN {pattern} WITHIN 10", schema=OPEN_SCHEMA).pattern.automaton


def labels_of(automaton: Automaton) -> list[str]:
    names = ["".join(each.types) for each in automaton.positions]
    return [
        name if names.count(name) == 1 else f"{name}{names[:index].count(name) + 1}"
        for index, name in enumerate(names)
    ]


def drawing_of(automaton: Automaton) -> str:
    labels = labels_of(automaton)

    def blocked(alternatives):
        if alternatives == FREE:
            return ""
        texts = ["+".join(automaton.negated_parts[part].text for part in sorted(choice))
                 for choice in sorted(alternatives, key=sorted)]  # fmt: skip
        return "-" + "/".join(texts)

    def borders(each_border):
        return " ".join(labels[each.position] + blocked(each.blocked_by) for each in each_border)

    edges = " ".join(
        f"{labels[edge.source]}{'~' if edge.is_loop else ''}{labels[edge.target]}"
        f"{blocked(edge.blocked_by)}"
        for edge in automaton.edges
    )
    return f"{borders(automaton.first)} | {edges} | {borders(automaton.last)}"


@pytest.mark.parametrize(
    ("pattern", "drawing"),
    [
        ("A", "A |  | A"),
        ("SEQ(A, B, C)", "A | AB BC | C"),
        ("SEQ(A, SEQ(B, C), D)", "A | AB BC CD | D"),
        ("A+", "A | A~A | A"),
        ("A*", "A | A~A | A"),
        ("A?", "A |  | A"),
        ("SEQ(A+, B)", "A | A~A AB | B"),
        ("SEQ(A+, B, A)", "A1 | A1~A1 A1B BA2 | A2"),
        ("(SEQ(A+, B))+", "A | A~A AB B~A | B"),
        ("(SEQ(A, B+))+", "A | AB B~A B~B | B"),
        ("((A+)+)+", "A | A~A | A"),
        ("SEQ((SEQ(A, B))+, C)", "A | AB B~A BC | C"),
        ("(SEQ(A+, A+))+", "A1 | A1~A1 A1A2 A2~A1 A2~A2 | A2"),
        ("ANY(A, B)", "AB |  | AB"),
        ("SEQ(A, ANY(B, C))", "A | ABC | BC"),
    ],
)
def test_sequences_and_kleene(pattern, drawing):
    assert drawing_of(automaton_of(pattern)) == drawing


@pytest.mark.parametrize(
    ("pattern", "drawing"),
    [
        ("SEQ(A, B?, C)", "A | AB AC BC | C"),
        ("SEQ(A?, B)", "A B | AB | B"),
        ("SEQ(A, B?)", "A | AB | A B"),
        ("SEQ(A?, B?)", "A B | AB | A B"),
        ("SEQ(A, B*, C)", "A | AB AC B~B BC | C"),
        ("SEQ(A?, B?, C?)", "A B C | AB AC BC | A B C"),
        ("(SEQ(A, B?))+", "A | A~A AB B~A | A B"),
        ("(SEQ(A?, B?))+", "A B | A~A A~B B~A B~B | A B"),
    ],
)
def test_optional_parts_can_be_skipped(pattern, drawing):
    assert drawing_of(automaton_of(pattern)) == drawing


@pytest.mark.parametrize(
    ("pattern", "drawing"),
    [
        ("A OR B", "A B |  | A B"),
        ("SEQ(A OR B, C)", "A B | AC BC | C"),
        ("SEQ(A, B) OR SEQ(A, C)", "A1 A2 | A1B A2C | B C"),
        ("(A | SEQ(B, C))+", "A B | A~A A~B BC C~A C~B | A C"),
        ("SEQ(P1+, P2) OR P2", "P1 P22 | P1~P1 P1P21 | P21 P22"),
        ("SEQ(A, B* OR C, D)", "A | AB AC AD B~B BD CD | D"),
    ],
)
def test_alternatives_are_positions_of_one_automaton(pattern, drawing):
    assert drawing_of(automaton_of(pattern)) == drawing


@pytest.mark.parametrize(
    ("pattern", "drawing"),
    [
        ("A{1}", "A |  | A"),
        ("A{3}", "A1 | A1~A2 A2~A3 | A3"),
        ("A{3,}", "A1 | A1~A2 A2~A3 A3~A3 | A3"),
        ("A{1,}", "A | A~A | A"),
        ("A{1,3}", "A1 | A1~A2 A2~A3 | A1 A2 A3"),
        ("A{2,3}", "A1 | A1~A2 A2~A3 | A2 A3"),
        ("A{0,2}", "A1 | A1~A2 | A1 A2"),
        ("SEQ(A{1,2}, B)", "A1 | A1~A2 A1B A2B | B"),
        ("SEQ(A, B{0,2}, C)", "A | AB1 AC B1~B2 B1C B2C | C"),
        ("(SEQ(A, B)){2}", "A1 | A1B1 B1~A2 A2B2 | B2"),
        ("(A+){2,}", "A1 | A1~A1 A1~A2 A2~A2 | A2"),
    ],
)
def test_a_repetition_count_is_that_many_copies_with_loop_edges(pattern, drawing):
    assert drawing_of(automaton_of(pattern)) == drawing


def test_all_copies_bind_the_variable_of_their_occurrence():
    automaton = automaton_of("SEQ(A a{1,3}, B b)")
    assert [each.variable for each in automaton.positions] == ["a", "a", "a", "b"]
    assert [each.occurrence for each in automaton.positions] == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("pattern", "drawing"),
    [
        ("SEQ(A, !C, B)", "A | AB-C | B"),
        ("SEQ(A+, !C, B)", "A | A~A AB-C | B"),
        ("SEQ(A, !C, !D, B)", "A | AB-C+D | B"),
        ("SEQ(!C, A, B)", "A-C | AB | B"),
        ("SEQ(A, B, !C)", "A | AB | B-C"),
        ("SEQ(!C, A+, !D)", "A-C | A~A | A-D"),
        ("SEQ(A, SEQ(!C, B))", "A | AB-C | B"),
        ("SEQ(SEQ(A, !C), SEQ(!D, B))", "A | AB-C+D | B"),
        ("SEQ(A, !SEQ(C, D), B)", "A | AB-SEQ(C, D) | B"),
        ("SEQ(A, ~(C OR D), B)", "A | AB-C OR D | B"),
    ],
)
def test_a_negation_blocks_an_edge_an_entry_or_an_exit(pattern, drawing):
    assert drawing_of(automaton_of(pattern)) == drawing


@pytest.mark.parametrize(
    ("pattern", "drawing"),
    [
        ("(SEQ(A, !C))+", "A | A~A-C | A-C"),
        ("(SEQ(!C, A))+", "A-C | A~A-C | A"),
        ("(SEQ(!C, A, B, !D))+", "A-C | AB B~A-C+D | B-D"),
        ("SEQ((SEQ(A, !C))+, B)", "A | A~A-C AB-C | B"),
        ("(SEQ(A, !C)){2}", "A1 | A1~A2-C | A2-C"),
        ("SEQ(A, (SEQ(!C, B))+)", "A | AB-C B~B-C | B"),
    ],
)
def test_a_negation_at_the_border_of_a_repeated_group_blocks_its_loop_edges(pattern, drawing):
    assert drawing_of(automaton_of(pattern)) == drawing


@pytest.mark.parametrize(
    ("pattern", "drawing"),
    [
        ("SEQ(A, !C, B?, D)", "A | AB-C AD-C BD | D"),
        ("SEQ(A, B?, !C, D)", "A | AB AD-C BD-C | D"),
        ("SEQ(A, !C, B?, !E, D)", "A | AB-C AD-C+E BD-E | D"),
        ("SEQ(A, !C, B?)", "A | AB-C | A-C B"),
        ("SEQ(A?, !C, B)", "A B-C | AB-C | B"),
        ("SEQ(A, (SEQ(!C, B))?, D)", "A | AB-C AD BD | D"),
        ("SEQ(A, !C, B*, !E)", "A | AB-C B~B | A-C+E B-E"),
    ],
)
def test_an_edge_that_skips_optional_parts_collects_the_negations_it_crosses(pattern, drawing):
    assert drawing_of(automaton_of(pattern)) == drawing


def test_two_ways_across_a_gap_give_alternatives():
    drawing = drawing_of(automaton_of("SEQ(A, SEQ(!C, B?) OR SEQ(!E, D?), F)"))
    assert drawing == "A | AB-C AD-E AF-C/E BF DF | F"


def test_a_round_that_is_skipped_in_part_crosses_the_negation_once():
    drawing = drawing_of(automaton_of("(SEQ(A?, !C, B?))+"))
    assert drawing == "A B-C | A~A-C A~B-C B~A B~B-C | A-C B"


def test_a_negated_part_has_an_automaton_and_variables_of_its_own():
    automaton = automaton_of("SEQ(A a, !SEQ(C+ c, !X x, D d), B b)")
    (part,) = automaton.negated_parts
    assert part.variables == ("c", "d")
    assert drawing_of(part.automaton) == "C | C~C CD-X x | D"
    assert [each.variable for each in automaton.positions] == ["a", "b"]


def test_copies_of_a_negation_are_one_part():
    assert len(automaton_of("(SEQ(A, !C, B)){3}").negated_parts) == 1
    assert len(automaton_of("SEQ(A, !C, B, !C, A)").negated_parts) == 2


def test_the_sides_of_and_are_two_automata():
    query = bind("PATTERN SEQ(A, B+) AND C", schema=OPEN_SCHEMA)
    drawings = [drawing_of(each.automaton) for each in query.patterns]
    assert drawings == ["A | AB B~B | B", "C |  | C"]


@pytest.mark.parametrize(
    ("pattern", "position", "mandatory"),
    [
        ("SEQ(A+, B)", "A", {"A"}),
        ("SEQ(A, B)", "A", {"B"}),
        ("SEQ(A, B?, C)", "A", {"B", "C"}),
        ("(SEQ(A+, B))+", "B", {"A"}),
        ("SEQ((SEQ(A, B))+, C)", "B", {"A"}),
        ("SEQ(A{1,2}, B)", "A1", {"A2"}),
        ("SEQ(A{1,2}, B)", "A2", {"B"}),
    ],
)
def test_loop_edges_are_the_mandatory_ones(pattern, position, mandatory):
    automaton = automaton_of(pattern)
    labels = labels_of(automaton)
    found = automaton.mandatory_from(labels.index(position))
    assert {labels[each] for each in found} == mandatory


@pytest.mark.parametrize(
    ("pattern", "unbounded"),
    [("A+", True), ("SEQ(A, B*)", True), ("A{3,}", True), ("(SEQ(A, B))+", True),
     ("SEQ(A, B?)", False), ("A{2,5}", False), ("SEQ(A, !(C+), B)", False)],
)  # fmt: skip
def test_unbounded_repetition(pattern, unbounded):
    assert automaton_of(pattern).has_unbounded_repetition is unbounded


def test_the_largest_pattern():
    automaton = automaton_of(f"A{{{MAXIMUM_POSITIONS}}}")
    assert len(automaton.positions) == MAXIMUM_POSITIONS
