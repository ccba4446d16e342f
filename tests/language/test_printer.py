"""Printing a tree and parsing the text gives the tree again."""

import pytest
from hypothesis import given, settings

from cepheid.language import ast
from cepheid.language.parser import parse
from cepheid.language.printer import print_expression, print_pattern, print_query
from tests.language import strategies


@given(strategies.queries())
@settings(max_examples=100, deadline=None)
def test_parsing_a_printed_query_gives_it_back(query):
    assert parse(print_query(query)) == query


@given(strategies.patterns())
@settings(max_examples=100, deadline=None)
def test_parsing_a_printed_pattern_gives_it_back(pattern):
    assert parse(f"PATTERN {print_pattern(pattern)}").pattern == pattern


@given(strategies.expressions())
@settings(max_examples=200, deadline=None)
def test_parsing_a_printed_expression_gives_it_back(expression):
    assert parse(f"PATTERN A WHERE {print_expression(expression)}").where == expression


def test_one_clause_a_line_in_a_fixed_order():
    text = "OUTPUT ALL RETURN count(*) AS n HAVING n > 1 "
    text += "into Alarm within 5 min slide 1 min group-by S.sector where [id] pattern Stock S+"
    assert print_query(parse(text)).splitlines() == [
        "PATTERN Stock S+",
        "WHERE [id]",
        "GROUP BY S.sector",
        "WITHIN 5 min",
        "SLIDE 1 min",
        "RETURN COUNT(*) AS n",
        "HAVING n > 1",
        "OUTPUT ALL",
        "INTO Alarm",
    ]


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("a.x + b.x * 2", "a.x + b.x * 2"),
        ("(a.x + b.x) * 2", "(a.x + b.x) * 2"),
        ("a.x - (b.x - 1)", "a.x - (b.x - 1)"),
        ("((a.x) = (1))", "a.x = 1"),
        ("a.x = 1 and (b.x = 2 or c.x = 3)", "a.x = 1 AND (b.x = 2 OR c.x = 3)"),
        ("not (a.x = 1 and b.x = 2)", "NOT (a.x = 1 AND b.x = 2)"),
        ("-(-a.x) > 0", "-(-a.x) > 0"),
        ("a[ a.len ].x <> 80%*b.x", "a[a.LEN].x != 0.8 * b.x"),
        ('a.x == "it\'s"', "a.x = 'it''s'"),
        ("avg( a[ ..i - 1 ].x ) > 1", "AVG(a[..i-1].x) > 1"),
    ],
)
def test_expressions_have_one_spelling_with_few_parentheses(written, printed):
    assert print_expression(parse(f"PATTERN A WHERE {written}").where) == printed


def test_names_that_are_words_of_the_language_get_backticks_only_where_needed():
    pattern = ast.Sequence((ast.EventPattern(("not",), "where"), ast.EventPattern(("B",), "from")))
    query = ast.Query(pattern, where=ast.Attribute("where", "within"))
    assert print_query(query) == "PATTERN SEQ(`not` `where`, B from)\nWHERE where.within"
