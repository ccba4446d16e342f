"""PATTERN and EVENT: text to tree."""

import pytest

from cepheid.language.ast import (
    Alternation,
    Conjunction,
    EventPattern,
    Negation,
    Repeat,
    Sequence,
)
from cepheid.language.parser import parse


def pattern_of(text):
    return parse(f"PATTERN {text}").pattern


def event(*types, variable=None):
    return EventPattern(types, variable)


A, B, C = event("A"), event("B"), event("C")


@pytest.mark.parametrize("keyword", ["PATTERN", "EVENT", "pattern", "Event"])
def test_both_keywords_start_a_pattern(keyword):
    assert parse(f"{keyword} A").pattern == A


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A", A),
        ("(A)", A),
        ("SEQ(A)", A),
        ("SEQ(A, B)", Sequence((A, B))),
        ("seq(A, B, C)", Sequence((A, B, C))),
        ("(A, B)", Sequence((A, B))),
        ("SEQ(A, SEQ(B, C))", Sequence((A, Sequence((B, C))))),
        ("ANY(A, B)", event("A", "B")),
        ("any(A)", A),
        ("ANY(A, B) x", event("A", "B", variable="x")),
        ("SEQ(A, ANY(B, C) x)", Sequence((A, event("B", "C", variable="x")))),
    ],
)
def test_events_and_sequences(text, expected):
    assert pattern_of(text) == expected


def test_pattern_with_parentheses_needs_no_seq():
    assert parse("PATTERN(A, B)").pattern == Sequence((A, B))


@pytest.mark.parametrize(
    ("quantifier", "minimum", "maximum"),
    [
        ("+", 1, None),
        ("*", 0, None),
        ("?", 0, 1),
        ("{3}", 3, 3),
        ("{3,}", 3, None),
        ("{2,5}", 2, 5),
        ("{0,}", 0, None),
        ("{0,4}", 0, 4),
        ("{ 2 , 5 }", 2, 5),
    ],
)
def test_quantifiers_on_a_type_and_on_a_group(quantifier, minimum, maximum):
    assert pattern_of(f"A{quantifier}") == Repeat(A, minimum, maximum)
    group = Repeat(Sequence((A, B)), minimum, maximum)
    assert pattern_of(f"(SEQ(A, B)){quantifier}") == group
    assert pattern_of(f"SEQ(A, B){quantifier}") == group
    assert pattern_of(f"(A, B){quantifier}") == group


def test_quantifiers_nest():
    assert pattern_of("(SEQ(A+, B))+") == Repeat(Sequence((Repeat(A, 1, None), B)), 1, None)
    assert pattern_of("((A+){2,})?") == Repeat(Repeat(Repeat(A, 1, None), 2, None), 0, 1)
    assert pattern_of("A+*") == Repeat(Repeat(A, 1, None), 0, None)


@pytest.mark.parametrize(
    "text", ["Stock+ a[]", "Stock a+", "Stock+ a", "Stock a[]+", "(Stock a)+", "Stock + a [ ]"]
)
def test_a_variable_stands_before_or_after_the_quantifier(text):
    assert pattern_of(text) == Repeat(event("Stock", variable="a"), 1, None)


@pytest.mark.parametrize("text", ["Stock a", "Stock a[]", "(Stock a)", "SEQ(Stock a)"])
def test_a_variable_without_a_quantifier(text):
    assert pattern_of(text) == event("Stock", variable="a")


@pytest.mark.parametrize("sign", ["OR", "or", "|", "||", "\N{LOGICAL OR}"])
def test_alternation(sign):
    assert pattern_of(f"A {sign} B {sign} C") == Alternation((A, B, C))


@pytest.mark.parametrize("sign", ["AND", "and", "&", "&&", "∧"])
def test_conjunction(sign):
    assert pattern_of(f"A {sign} B") == Conjunction((A, B))


def test_and_binds_tighter_than_or_and_parentheses_override():
    assert pattern_of("A OR B AND C") == Alternation((A, Conjunction((B, C))))
    assert pattern_of("(A OR B) AND C") == Conjunction((Alternation((A, B)), C))
    assert pattern_of("A|B+") == Alternation((A, Repeat(B, 1, None)))


@pytest.mark.parametrize("sign", ["!", "! ", "~", "~ ", "NOT ", "not ", "¬"])
@pytest.mark.parametrize(
    ("part", "inner"),
    [
        ("B", B),
        ("(B)", B),
        ("B b", event("B", variable="b")),
        ("(B b)", event("B", variable="b")),
        ("B+", Repeat(B, 1, None)),
        ("SEQ(B, C)", Sequence((B, C))),
        ("(B, C)", Sequence((B, C))),
        ("ANY(B, C)", event("B", "C")),
        ("(ANY(B, C) z)", event("B", "C", variable="z")),
        ("(B OR C)", Alternation((B, C))),
    ],
)
def test_negation_of_any_sub_pattern(sign, part, inner):
    assert pattern_of(f"SEQ(A, {sign}{part}, C)") == Sequence((A, Negation(inner), C))


@pytest.mark.parametrize(
    "name", ["SHELF-READING", "Not-Delivered", "Seq-Start", "Any-Thing", "a-b-c", "_x", "Größe"]
)
def test_type_names_may_have_hyphens(name):
    assert pattern_of(f"SEQ({name} x, B)") == Sequence((event(name, variable="x"), B))


@pytest.mark.parametrize("name", ["where", "seq", "a b", "x.y", "2nd", "SHELF-READING", "not"])
def test_backticks_make_any_text_a_name(name):
    assert pattern_of(f"`{name}` `{name}`") == event(name, variable=name)


def test_words_of_the_language_are_type_names_where_a_type_is_meant():
    text = "PATTERN SEQ(Event, Output o, Group g, Where)"
    expected = (
        event("Event"),
        event("Output", variable="o"),
        event("Group", variable="g"),
        event("Where"),
    )
    assert parse(text).pattern == Sequence(expected)


def test_spans_say_where_a_part_was_written():
    text = "PATTERN SEQ(A a, !(B b),\n  C+ c[])"
    parts = parse(text).pattern.parts
    written = [text[each.span.start : each.span.end] for each in parts]
    assert written == ["A a", "!(B b)", "C+ c[]"]
