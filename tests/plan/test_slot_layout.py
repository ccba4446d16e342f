"""Which queries are linear, with how many slots, and the reasons of those that are not."""

import pytest

import cepheid
from cepheid.plan.gap_automaton import CLOSED, gap_automaton
from cepheid.plan.slot_layout import lay_out_slots


def layout_of(text: str):
    return lay_out_slots(cepheid.query(f"PATTERN {text}").bind())


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("SEQ(A, B, C)", 4),  # not begun, A, B, complete
        ("(SEQ(A+, B))+", 4),
        ("SEQ(A, !C, B)", 3),
        ("SEQ(A, !C, B?)  WITHIN 5", 4),  # after A: before B, and at the end
        ("SEQ(A, !SEQ(C, D), B)", 4),  # before and after a C
        ("SEQ(!C, A) WITHIN 5", 2),
        ("SEQ(A, !C) WITHIN 5", 2),
        ("SEQ(A, !ANY(C, D), B)", 3),
        ("SEQ(A, !C, !D, B)", 3),
        ("(SEQ(A, !C, B))+", 4),
    ],
)
def test_slots(text, slots):
    layout = layout_of(text)
    assert not isinstance(layout, str)
    assert layout.size == slots


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SEQ(A a, B b) WHERE a.x < b.x", "the adjacent predicate 'a.x < b.x' reads other events"),
        (
            "SEQ(A a, !C c, B b) WHERE c.x = b.x",
            "the negated part !C c has a condition on other events",
        ),
        (
            "SEQ(A, !SEQ(C, !D, C), B)",
            "the negated part !SEQ(C, !D, C) has a negation inside",
        ),
        (
            "SEQ(A a, !C c, B) WHERE (c.x = 1 OR a.x = 1)",
            "OR in WHERE concerns a negated part",
        ),
        ("SEQ(A, B) AND SEQ(A, C)", "AND joins two patterns"),
        (
            "SEQ(A a, B b) WITHIN 3 BETWEEN a, b",
            "WITHIN … BETWEEN reads earlier events of a run",
        ),
        ("SEQ(A, !C{11}, B)", "the negated parts have more than 10 events"),
        ("SEQ(!C, A, !(C, D)) WITHIN 9 RETURN COUNT(*)", None),
        ("SEQ(!(C, D), A) WITHIN 9 SLIDE 3 RETURN COUNT(*)", None),
        (
            "SEQ(!(C, D), A) WITHIN 9 RETURN COUNT(*)",
            "more than one event of !SEQ(C, D) is needed to block the start of a trend",
        ),
        (
            "SEQ(A, !SEQ(C{3}, D), !SEQ(C, D{3}), B)",
            None,
        ),
    ],
)
def test_reasons(text, reason):
    found = layout_of(text)
    assert (found if isinstance(found, str) else None) == reason


def test_a_gap_is_closed_when_a_part_is_complete():
    bound = cepheid.query("PATTERN SEQ(A, !SEQ(C, D), B)").bind()
    automaton = bound.pattern.automaton
    (edge,) = automaton.edges
    gap = gap_automaton(edge.blocked_by, automaton.negated_parts)
    # Codes: nothing, C, D, both at once, which do not follow each other.
    assert gap is not None
    assert gap.moves == ((0, 1, 0, 1), (1, 1, CLOSED, CLOSED))
